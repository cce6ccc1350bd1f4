//! Which bones move a vertex, and by how much.

use crate::source::SourcePrimitive;

/// All influences of a vertex: each bone once, largest weight first (equal ones in source order), sum 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Influences {
    pub(crate) list: Vec<(u16, f64)>,
    /// The source gives the vertex no weight at all.
    pub(crate) weightless: bool,
}

/// All influences of a vertex that keeps only some of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DroppedInfluences {
    /// Vertex of the stream.
    pub(crate) vertex: u32,
    /// All influences, as in [`Influences::list`].
    pub(crate) all: Vec<(u16, f64)>,
}

impl Influences {
    /// Reads the influences of a vertex. Weights are divided by their sum; where all are zero, the vertex follows its
    /// first joint.
    pub(crate) fn of_vertex(primitive: &SourcePrimitive, vertex: usize, bone_of_joint: &[u16]) -> Self {
        let mut list: Vec<(u16, f64)> = Vec::new();
        let mut sum = 0.0;
        for set in &primitive.influence_sets {
            for (joint, weight) in set.joints[vertex].iter().zip(set.weights[vertex]) {
                if weight <= 0.0 {
                    continue;
                }
                let bone = bone_of_joint[usize::from(*joint)];
                let weight = f64::from(weight);
                sum += weight;
                match list.iter_mut().find(|(known, _)| *known == bone) {
                    Some((_, known)) => *known += weight,
                    None => list.push((bone, weight)),
                }
            }
        }
        if list.is_empty() {
            let first = usize::from(primitive.influence_sets[0].joints[vertex][0]);
            return Self { list: vec![(bone_of_joint[first], 1.0)], weightless: true };
        }
        for (_, weight) in &mut list {
            *weight /= sum;
        }
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self { list, weightless: false }
    }

    /// The strongest `most` influences (1 to 4), divided by their sum. Unused places have weight 0 and name the first
    /// bone.
    pub(crate) fn strongest(&self, most: usize) -> ([u16; 4], [f32; 4]) {
        let kept = &self.list[..self.list.len().min(most)];
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let mut bones = [kept[0].0; 4];
        let mut weights = [0.0; 4];
        for (place, (bone, weight)) in kept.iter().enumerate() {
            bones[place] = *bone;
            #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what storing is")]
            let stored = (weight / sum) as f32;
            weights[place] = stored;
        }
        (bones, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::InfluenceSet;

    fn primitive(sets: &[([u16; 4], [f32; 4])]) -> SourcePrimitive {
        SourcePrimitive {
            triangles: [].into(),
            not_triangles: false,
            positions: [[0.0; 3]].into(),
            normals: None,
            tangents: None,
            uvs: None,
            has_colors: false,
            influence_sets: sets
                .iter()
                .map(|(joints, weights)| InfluenceSet {
                    joints: [*joints].into(),
                    weights: [*weights].into(),
                })
                .collect(),
            morph_targets: Vec::new(),
            material: None,
        }
    }

    #[test]
    fn the_strongest_of_both_sets_are_kept_and_sum_to_one() {
        let eight =
            primitive(&[([0, 1, 2, 3], [0.1, 0.2, 0.05, 0.05]), ([4, 5, 6, 7], [0.3, 0.1, 0.1, 0.1])]);
        let bones: Vec<u16> = (10..18).collect();
        let all = Influences::of_vertex(&eight, 0, &bones);
        assert_eq!(all.list.len(), 8);
        let (kept, weights) = all.strongest(4);
        assert_eq!(kept, [14, 11, 10, 15]);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((weights[0] - 0.3 / 0.7).abs() < 1e-6);
        let (kept, weights) = all.strongest(1);
        assert_eq!((kept, weights), ([14; 4], [1.0, 0.0, 0.0, 0.0]));
        let (_, weights) = all.strongest(2);
        assert!((weights[0] - 0.6).abs() < 1e-6 && (weights[1] - 0.4).abs() < 1e-6);
    }

    #[test]
    fn one_bone_in_several_places_is_one_influence_and_no_weight_follows_the_first_joint() {
        let twice = primitive(&[([2, 2, 0, 0], [0.25, 0.5, 0.25, 0.0])]);
        assert_eq!(Influences::of_vertex(&twice, 0, &[7, 8, 9]).list, [(9, 0.75), (7, 0.25)]);
        let none = primitive(&[([2, 1, 0, 0], [0.0; 4])]);
        let all = Influences::of_vertex(&none, 0, &[7, 8, 9]);
        assert_eq!((all.list, all.weightless), (vec![(9, 1.0)], true));
    }

    #[test]
    fn weights_that_do_not_sum_to_one_are_divided_by_their_sum() {
        let double = primitive(&[([0, 1, 0, 0], [1.0, 1.0, 0.0, 0.0])]);
        assert_eq!(Influences::of_vertex(&double, 0, &[0, 1]).list, [(0, 0.5), (1, 0.5)]);
    }
}
