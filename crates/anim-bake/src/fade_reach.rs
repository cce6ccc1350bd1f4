//! How far vertices can leave the boxes of the clips while local tracks blend.
//!
//! In a blend every translation and scale is between those of the clips, whatever the weights and masks, and a rotation
//! may be any. So a vertex stays in a ball: its centre is the deepest node above everything that moves whose ancestors
//! stand still, in the same way in all clips, and its radius is the largest sum of bone lengths below that, each with its
//! largest scale. The centre itself is a translation, which blends on straight lines. This always holds, for one clip
//! that fades into itself too.

use anim_core::glam::{DAffine3, DMat3, DVec3};
use anim_core::local_record::LocalSource;
use anim_core::matrix_rows::affine_from_rows;
use anim_format::model::{AnimFile, Content};
use anim_format::playback::local_view;

use crate::evaluate::vec3;
use crate::geometry::Geometry;
use crate::packed_vertex::PackedVertex;

/// What a node does over all frames of all clips.
#[derive(Clone, Debug)]
struct NodeReach {
    /// `parent_from_node`, if it is the same in all of them.
    fixed: Option<DAffine3>,
    /// Largest length of its translation.
    length: f64,
    /// Largest factor by which it stretches anything.
    stretch: f64,
    /// By clip: the box of its translations.
    places: Vec<[DVec3; 2]>,
}

/// The file's `fade_overshoot_metres`: by how much the smallest box around the boxes of clips that blend has to grow, on
/// every side, to hold all vertices, and the smallest ball around their balls. 0 without local tracks. The bounds of all
/// clips are known.
pub(crate) fn fade_overshoot(file: &AnimFile<'_>, geometry: &Geometry, packed: &[PackedVertex]) -> f32 {
    if !file.page_sets.iter().any(|set| set.content == Content::Local) || geometry.positions.is_empty() {
        return 0.0;
    }
    let nodes = node_reaches(file);
    let (bone_reach, has_vertices) = bone_reaches(file, geometry, packed);
    let center = find_center(file, &nodes, &has_vertices);
    let radius = radius(file, &nodes, &bone_reach, &center) * stretch(&center.model_from_parent);
    let mut overshoot = 0.0f64;
    for (number, clip) in file.clips.iter().enumerate() {
        let [low, high] = match center.node {
            Some(node) => transformed_box(&center.model_from_parent, nodes[node].places[number]),
            None => [center.model_from_parent.translation; 2],
        };
        let reach = radius.max(farthest_static(file, geometry, [low, high]));
        let (box_min, box_max) = (vec3(clip.bounds.box_min), vec3(clip.bounds.box_max));
        let sides = (high + reach - box_max).max(box_min - (low - reach));
        let ball_center = vec3(clip.bounds.sphere_center);
        let farthest = (high - ball_center).abs().max((low - ball_center).abs()).length();
        let of_ball = farthest + reach - f64::from(clip.bounds.sphere_radius);
        overshoot = overshoot.max(sides.max_element()).max(of_ball);
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounded up below")]
    let single = (overshoot * (1.0 + 1e-5)) as f32;
    if single > 0.0 { single.next_up() } else { 0.0 }
}

fn node_reaches(file: &AnimFile<'_>) -> Vec<NodeReach> {
    let none = NodeReach { fixed: None, length: 0.0, stretch: 0.0, places: Vec::new() };
    let mut nodes = vec![none; file.nodes.len()];
    for (number, clip) in file.clips.iter().enumerate() {
        for track in &clip.tracks {
            let set = &file.page_sets[track.page_set as usize];
            if set.content != Content::Local {
                continue;
            }
            let view = local_view(file, track, set);
            for ((index, node), is_first) in (0u32..).zip(&mut nodes).zip(std::iter::repeat(number == 0)) {
                let record = view.records[index as usize];
                let sources = [record.rotation_source(), record.translation_source(), record.scale_source()];
                let is_matrix = matches!(sources[0], LocalSource::Matrix(_));
                let moves = !is_matrix && sources.iter().any(|source| matches!(source, LocalSource::Slot(_)));
                let frames = if moves { track.frames } else { 1 };
                let mut places = [DVec3::INFINITY, DVec3::NEG_INFINITY];
                for frame in 0..frames {
                    let (local, own_stretch) = match view.node_matrix(index) {
                        Some(rows) => {
                            let matrix = affine_from_rows(&rows);
                            (matrix, stretch(&matrix))
                        }
                        None => {
                            let local = view.node_transform(index, frame, frame, 0.0).expect("no matrix");
                            let rows = anim_core::local_pose::local_rows(&local);
                            (affine_from_rows(&rows), f64::from(local.scale.abs().max_element()))
                        }
                    };
                    places = [places[0].min(local.translation), places[1].max(local.translation)];
                    node.length = node.length.max(local.translation.length());
                    node.stretch = node.stretch.max(own_stretch);
                    let same = !moves && (is_first || node.fixed == Some(local));
                    node.fixed = same.then_some(local);
                }
                node.places.push(places);
            }
        }
    }
    nodes
}

/// For each bone the largest distance of its vertices from its node, and for each node whether it has any.
fn bone_reaches(
    file: &AnimFile<'_>,
    geometry: &Geometry,
    packed: &[PackedVertex],
) -> (Vec<Option<f64>>, Vec<bool>) {
    let binds: Vec<DAffine3> = file.bones.iter().map(|bone| affine_from_rows(&bone.bone_from_bind)).collect();
    let mut reaches: Vec<Option<f64>> = vec![None; file.bones.len()];
    let mut add = |position: [f32; 3], bones: [u16; 4], weights: [f32; 4]| {
        for (bone, _) in bones.iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
            let bone = usize::from(*bone);
            let distance = binds[bone].transform_point3(vec3(position)).length();
            reaches[bone] = Some(reaches[bone].map_or(distance, |reach: f64| reach.max(distance)));
        }
    };
    for (vertex, drawn) in packed.iter().enumerate() {
        add(geometry.positions[vertex], geometry.bones[vertex], geometry.weights[vertex]);
        add(drawn.position, drawn.bones, drawn.weights);
    }
    let mut has_vertices = vec![false; file.nodes.len()];
    for (bone, reach) in file.bones.iter().zip(&reaches) {
        if let (Some(node), Some(_)) = (bone.node, reach) {
            has_vertices[node as usize] = true;
        }
    }
    (reaches, has_vertices)
}

/// Where the ball is.
struct Center {
    /// The node whose translation it is, and which may turn; `None` if it is the origin of the last node that stands
    /// still, or of the model.
    node: Option<usize>,
    /// All ancestors of the node together.
    model_from_parent: DAffine3,
    /// That last node.
    parent: Option<usize>,
}

/// Walks down as long as everything hangs on one node that stands still.
fn find_center(file: &AnimFile<'_>, nodes: &[NodeReach], has_vertices: &[bool]) -> Center {
    let mut carries = has_vertices.to_vec();
    for number in (0..nodes.len()).rev() {
        if let Some(parent) = file.nodes[number].parent.filter(|_| carries[number]) {
            carries[parent as usize] = true;
        }
    }
    let mut center = Center { node: None, model_from_parent: DAffine3::IDENTITY, parent: None };
    loop {
        let parent = center.parent.map(|parent| u32::try_from(parent).expect("a node number"));
        let mut children =
            (0..nodes.len()).filter(|node| carries[*node] && file.nodes[*node].parent == parent);
        let (first, second) = (children.next(), children.next());
        let own_vertices = center.parent.is_some_and(|parent| has_vertices[parent]);
        match first.filter(|_| second.is_none() && !own_vertices) {
            None => return center,
            Some(child) => match nodes[child].fixed {
                Some(local) => {
                    center.model_from_parent *= local;
                    center.parent = Some(child);
                }
                None => return Center { node: Some(child), ..center },
            },
        }
    }
}

/// The largest distance of a vertex from the centre, in units of the centre's parent.
fn radius(file: &AnimFile<'_>, nodes: &[NodeReach], bone_reach: &[Option<f64>], center: &Center) -> f64 {
    let mut largest = 0.0f64;
    for (bone, reach) in file.bones.iter().zip(bone_reach) {
        let (Some(node), Some(reach)) = (bone.node, reach) else { continue };
        let mut reach = *reach;
        let mut at = Some(node as usize);
        while let Some(node) = at.filter(|_| at != center.parent) {
            let NodeReach { length, stretch, .. } = nodes[node];
            let length = if center.node == Some(node) { 0.0 } else { length };
            reach = length + stretch * reach;
            at = file.nodes[node].parent.map(|parent| parent as usize);
        }
        largest = largest.max(reach);
    }
    largest
}

/// The largest distance from a box of vertices that hang on the static bone and on another.
fn farthest_static(file: &AnimFile<'_>, geometry: &Geometry, [low, high]: [DVec3; 2]) -> f64 {
    let is_static = |bone: u16| file.bones[usize::from(bone)].node.is_none();
    let mut farthest = 0.0f64;
    for ((position, bones), weights) in geometry.positions.iter().zip(&geometry.bones).zip(&geometry.weights)
    {
        let mut used = bones.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(bone, _)| *bone);
        if used.clone().any(is_static) && used.any(|bone| !is_static(bone)) {
            let position = vec3(*position);
            farthest = farthest.max((position - low).abs().max((position - high).abs()).length());
        }
    }
    farthest
}

/// At least the factor by which a matrix stretches what it stretches most, and at most half a percent more.
///
/// With `A` the matrix times its transpose, that is the 128th root of the norm of `A` to the 64th power.
fn stretch(matrix: &DAffine3) -> f64 {
    let mut power = matrix.matrix3.transpose() * matrix.matrix3;
    let mut root = 1.0;
    let mut exponent = 0.5;
    for _ in 0..6 {
        let norm = norm(&power);
        if !(norm > 0.0) {
            return 0.0;
        }
        root *= libm::pow(norm, exponent);
        power *= 1.0 / norm;
        power = power * power;
        exponent *= 0.5;
    }
    root * libm::pow(norm(&power), exponent)
}

fn norm(matrix: &DMat3) -> f64 {
    libm::sqrt(matrix.to_cols_array().iter().map(|v| v * v).sum())
}

/// A box that holds what an affine matrix makes of a box.
fn transformed_box(matrix: &DAffine3, [low, high]: [DVec3; 2]) -> [DVec3; 2] {
    let center = matrix.transform_point3((low + high) * 0.5);
    let half = (high - low) * 0.5;
    let [x, y, z] = [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis];
    let reach = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
    [center - reach, center + reach]
}

#[cfg(test)]
mod tests {
    use super::*;
    use anim_core::glam::DQuat;

    #[test]
    fn a_matrix_stretches_by_its_largest_scale() {
        for (scale, expected) in [
            (DVec3::ONE, 1.0),
            (DVec3::new(0.01, -3.0, 2.0), 3.0),
            (DVec3::ZERO, 0.0),
            (DVec3::new(1e30, 1.0, 1.0), 1e30),
        ] {
            let turn = DAffine3::from_quat(DQuat::from_rotation_y(1.0) * DQuat::from_rotation_x(0.3));
            let matrix = turn * DAffine3::from_scale(scale) * turn;
            let found = stretch(&matrix);
            assert!((expected * 0.999_999..=expected * 1.005).contains(&found), "{scale}: {found}");
        }
    }
}
