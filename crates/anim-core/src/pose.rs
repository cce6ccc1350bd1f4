//! Local transforms to model transforms, down the hierarchy.

use glam::DAffine3;

/// The number that stands for "no parent" in a parent table.
pub const NO_PARENT: u32 = u32::MAX;

/// Fills `model_from_node`: for each node the product of the local transforms from its root down to itself.
///
/// `parents[i]` is the parent of node `i`, below `i` (parents first), or [`NO_PARENT`].
///
/// # Panics
///
/// If the three slices differ in length, or a parent does not come before its child. Tables read from a file are
/// validated before they come here.
pub fn compose_model_poses(parents: &[u32], parent_from_node: &[DAffine3], model_from_node: &mut [DAffine3]) {
    assert_eq!(parents.len(), parent_from_node.len());
    assert_eq!(parents.len(), model_from_node.len());
    for node in 0..parents.len() {
        let parent = parents[node];
        model_from_node[node] = if parent == NO_PARENT {
            parent_from_node[node]
        } else {
            model_from_node[..node][parent as usize] * parent_from_node[node]
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_chain_adds_up_and_two_roots_stay_apart() {
        let step = DAffine3::from_translation(DVec3::X);
        let mut out = [DAffine3::IDENTITY; 4];
        compose_model_poses(&[NO_PARENT, NO_PARENT, 0, 2], &[step; 4], &mut out);
        assert_eq!(out.map(|m| m.translation.x), [1.0, 1.0, 2.0, 3.0]);
    }
}
