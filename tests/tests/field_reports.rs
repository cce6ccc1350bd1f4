//! Kinds of fault that users of other tools report, each made impossible here.

use anim_bake::evaluate::ClipCurves;
use anim_bake::gltf::{Import, import};
use anim_bake::{BakeSettings, Baked, Diagnostic, bake_import};
use anim_core::matrix_rows::{IDENTITY_ROWS, affine_from_rows};
use anim_format::model::{AnimFile, ClipMode, Encoding, Interpolation};
use anim_format::playback::{attachment_matrix, palette_at, posed_vertices, rest_palette};
use anim_format::vertices::VertexReader;
use anim_tests::gltf_builder::{GltfBuilder, translation_matrix};
use serde_json::json;

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const FIRST_JOINT: ([[u16; 4]; 3], [[f32; 4]; 3]) = ([[0; 4]; 3], [[1.0, 0.0, 0.0, 0.0]; 3]);
/// A quarter turn about +Z.
const QUARTER_Z: [f32; 4] = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];

fn imported(builder: &GltfBuilder) -> Import {
    import(&builder.bytes(), &|uri: &str| Err(std::io::Error::other(uri.to_owned())), None)
        .expect("a valid model")
}

fn exact() -> BakeSettings {
    BakeSettings { encodings: vec![Encoding::Affine32], ..BakeSettings::default() }
}

fn halves() -> BakeSettings {
    BakeSettings { encodings: vec![Encoding::Affine16], ..BakeSettings::default() }
}

fn baked(builder: &GltfBuilder, settings: &BakeSettings) -> Baked {
    bake_import(&imported(builder), settings).expect("a model that bakes")
}

fn problems(builder: &GltfBuilder, settings: &BakeSettings) -> Vec<Diagnostic> {
    bake_import(&imported(builder), settings)
        .expect_err("a model that cannot be baked")
        .diagnostics()
        .to_vec()
}

/// All vertices of a part at a time of a clip.
fn vertices(file: &AnimFile<'_>, clip: usize, seconds: f64, part: usize) -> Vec<[f32; 3]> {
    let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
    palette_at(file, &file.clips[clip], seconds, &mut palette);
    let part = &file.parts[part];
    posed_vertices(file, part, &palette, 0..part.vertex_count).iter().map(|v| v.position).collect()
}

fn assert_near(found: &[[f32; 3]], expected: &[[f32; 3]]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((f - e).abs() < 1e-5, "{found:?} instead of {expected:?}");
    }
}

fn warning<'w>(baked: &'w Baked, id: &str) -> &'w Diagnostic {
    baked.warnings.iter().find(|w| w.id == id).unwrap_or_else(|| panic!("no {id} in {:?}", baked.warnings))
}

/// One joint that a skinned triangle follows, and the mesh node.
fn skinned_triangle() -> (GltfBuilder, usize) {
    let mut g = GltfBuilder::new();
    let joint = g.node(None, json!({"name": "joint"}));
    let skin = g.skin(&[joint], None);
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    g.node(None, json!({"name": "body", "mesh": mesh, "skin": skin}));
    (g, joint)
}

#[test]
fn a_skin_without_inverse_bind_matrices_means_identity() {
    let (mut g, joint) = skinned_triangle();
    g.clip("move", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0])]);
    let file = baked(&g, &exact()).file;
    assert_near(&vertices(&file, 0, 0.5, 0), &TRIANGLE.map(|[x, y, z]| [x + 2.0, y, z]));
}

#[test]
fn all_ancestors_of_a_joint_count_and_the_mesh_node_does_not_but_its_children_do() {
    let mut g = GltfBuilder::new();
    let armature =
        g.node(None, json!({"name": "armature", "scale": [100, 100, 100], "translation": [0, 7, 0]}));
    let helper = g.node(Some(armature), json!({"translation": [0.5, 0, 0]}));
    let joint = g.node(Some(helper), json!({"name": "joint"}));
    let skin = g.skin(&[joint], None);
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    let body = g.node(None, json!({"mesh": mesh, "skin": skin, "translation": [1000, 0, 0]}));
    let rigid = g.mesh(&TRIANGLE, &[]);
    g.node(Some(body), json!({"mesh": rigid}));
    let file = baked(&g, &exact()).file;
    assert_near(
        &vertices(&file, 0, 0.0, 0),
        &TRIANGLE.map(|[x, y, z]| [x * 100.0 + 50.0, y * 100.0 + 7.0, z]),
    );
    assert_near(&vertices(&file, 0, 0.0, 1), &TRIANGLE.map(|[x, y, z]| [x + 1000.0, y, z]));
}

#[test]
fn joints_in_another_scene_or_in_none_still_move_their_mesh() {
    for scenes in [json!([{"nodes": [1]}]), json!([{"nodes": [1]}, {"nodes": [0]}])] {
        let (mut g, joint) = skinned_triangle();
        g.root["scenes"] = scenes;
        g.clip("move", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0])]);
        let file = baked(&g, &exact()).file;
        assert_near(&vertices(&file, 0, 1.0, 0), &TRIANGLE.map(|[x, y, z]| [x + 4.0, y, z]));
    }
}

#[test]
fn a_limit_of_influences_keeps_the_largest_and_weights_that_sum_to_one() {
    let mut g = GltfBuilder::new();
    let joints: Vec<usize> =
        (0..6u8).map(|x| g.node(None, json!({"translation": [f32::from(x), 0, 0]}))).collect();
    let skin = g.skin(&joints, None);
    let mesh = g.mesh(
        &TRIANGLE,
        &[
            (&[[0, 1, 2, 3]; 3], &[[0.1, 0.3, 0.1, 0.1]; 3]),
            (&[[4, 5, 0, 0]; 3], &[[0.25, 0.15, 0.0, 0.0]; 3]),
        ],
    );
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    for (most, bones) in [(1, &[1u16][..]), (2, &[1, 4]), (3, &[1, 4, 5]), (4, &[1, 4, 5, 0])] {
        let result = baked(&g, &BakeSettings { max_influences: most, ..exact() });
        let reader = VertexReader::new(result.file.mesh.as_ref().expect("a mesh"));
        assert_eq!(&reader.bones(0)[..most], bones);
        assert!((reader.weights(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(reader.weights(0)[most..].iter().all(|w| *w == 0.0));
        warning(&result, "influences-dropped");
        let accuracy = &result.file.metadata.as_ref().expect("metadata").accuracy[0];
        // All six give x = 2.35 in the joints' mean; the kept ones their own mean.
        let all = 0.3 * 1.0 + 0.1 * 2.0 + 0.1 * 3.0 + 0.25 * 4.0 + 0.15 * 5.0;
        let weights = [0.3, 0.25, 0.15, 0.1];
        let kept: f64 = (0..most).map(|i| weights[i] * f64::from(bones[i])).sum::<f64>()
            / weights[..most].iter().sum::<f64>();
        assert!((accuracy.influence_loss_max_metres - (all - kept).abs()).abs() < 1e-5, "{most}");
    }
}

#[test]
fn shear_and_non_uniform_scale_are_kept_as_matrices() {
    // A child turned by 45 degrees below a parent scaled by (1, 2, 1): no translation, rotation and scale is that.
    let mut g = GltfBuilder::new();
    let (s, c) = (0.382_683_43f32, 0.923_879_5f32);
    let parent = g.node(None, json!({"scale": [1, 2, 1]}));
    let joint = g.node(Some(parent), json!({"name": "joint"}));
    let skin = g.skin(&[joint], None);
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    g.clip("turn", &[(joint, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, s, c])]);
    let file = baked(&g, &exact()).file;
    let r = std::f32::consts::FRAC_1_SQRT_2;
    assert_near(&vertices(&file, 0, 1.0, 0), &[[0.0; 3], [r, 2.0 * r, 0.0], [-r, 2.0 * r, 0.0]]);

    // The same as a static sheared matrix on a parent: its rest pose goes through the constant pool.
    let mut g = GltfBuilder::new();
    let sheared = g.node(None, json!({"matrix": [1,0,0,0, 0.5,1,0,0, 0,0,1,0, 3,0,0,1]}));
    let joint = g.node(Some(sheared), json!({"name": "joint"}));
    let skin = g.skin(&[joint], None);
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    let file = baked(&g, &exact()).file;
    assert_near(&vertices(&file, 0, 0.0, 0), &[[3.0, 0.0, 0.0], [4.0, 0.0, 0.0], [3.5, 1.0, 0.0]]);
    assert_eq!(rest_palette(&file)[0][0], [1.0, 0.5, 0.0, 3.0]);
    assert_eq!(file.nodes[0].rest_matrix_in_pool, Some(0));
}

#[test]
fn joints_without_keys_keep_their_rest_transform() {
    let mut g = GltfBuilder::new();
    let root = g.node(None, json!({"translation": [1, 0, 0], "rotation": QUARTER_Z}));
    let middle = g.node(Some(root), json!({"translation": [2, 0, 0], "scale": [2, 2, 2]}));
    let tip = g.node(Some(middle), json!({"translation": [3, 0, 0]}));
    let skin = g.skin(&[root, middle, tip], None);
    let mesh = g.mesh(&TRIANGLE, &[(&[[2; 4]; 3], &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    g.clip("tip", &[(tip, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 3.0, 3.0, 3.0])]);
    let file = baked(&g, &exact()).file;
    // Turned by the root, doubled by the middle, scaled by the tip; the origin is at (1, 2 + 2 * 3).
    assert_near(&vertices(&file, 0, 1.0, 0), &[[1.0, 8.0, 0.0], [1.0, 14.0, 0.0], [-5.0, 8.0, 0.0]]);
}

#[test]
fn neighbouring_keys_of_opposite_sign_do_not_go_the_long_way() {
    let (mut g, joint) = skinned_triangle();
    let [x, y, z, w] = QUARTER_Z;
    g.clip("turn", &[(joint, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, -x, -y, -z, -w])]);
    let file = baked(&g, &exact()).file;
    let r = std::f32::consts::FRAC_1_SQRT_2;
    assert_near(&vertices(&file, 0, 0.5, 0)[1..2], &[[r, r, 0.0]]);
}

#[test]
fn tracks_that_start_late_or_end_early_hold_and_no_state_leaks_between_clips() {
    let mut g = GltfBuilder::new();
    let a = g.node(None, json!({"name": "a"}));
    let b = g.node(None, json!({"name": "b"}));
    let skin = g.skin(&[a, b], None);
    let mesh = g.mesh(&TRIANGLE, &[(&[[0; 4], [1, 0, 0, 0], [1, 0, 0, 0]], &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    g.clip(
        "apart",
        &[
            (a, "translation", "LINEAR", &[0.5, 1.0], &[10.0, 0.0, 0.0, 20.0, 0.0, 0.0]),
            (b, "translation", "LINEAR", &[1.5, 2.0], &[0.0, 30.0, 0.0, 0.0, 40.0, 0.0]),
        ],
    );
    g.clip("only a", &[(a, "translation", "LINEAR", &[0.0, 1.0], &[5.0, 0.0, 0.0, 5.0, 0.0, 0.0])]);
    let result = baked(&g, &exact());
    let file = &result.file;
    assert_eq!(file.clips[0].duration_seconds, 2.0);
    let at = |clip, time| vertices(file, clip, time, 0);
    assert_near(&at(0, 0.0), &[[10.0, 0.0, 0.0], [1.0, 30.0, 0.0], [0.0, 31.0, 0.0]]);
    assert_near(&at(0, 0.75)[..1], &[[15.0, 0.0, 0.0]]);
    assert_near(&at(0, 2.0), &[[20.0, 0.0, 0.0], [1.0, 40.0, 0.0], [0.0, 41.0, 0.0]]);
    assert_near(&at(1, 0.5), &[[5.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
}

#[test]
fn a_trimmed_clip_starts_at_its_first_key() {
    let (mut g, joint) = skinned_triangle();
    let keys = [100.0, 450.0].map(|frame: f32| frame / 30.0);
    g.clip("window", &[(joint, "translation", "LINEAR", &keys, &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0])]);
    let whole = baked(&g, &exact()).file;
    let trimmed = baked(&g, &BakeSettings { trim: true, ..exact() }).file;
    assert!((whole.clips[0].duration_seconds - 15.0).abs() < 1e-5);
    assert!((trimmed.clips[0].duration_seconds - 350.0 / 30.0).abs() < 1e-5);
    assert!((trimmed.clips[0].start_seconds - 100.0 / 30.0).abs() < 1e-5);
    // Both keys lie on a grid of 3 Hz from the first on; the smallest multiple of at least 24 Hz is 24.
    assert_eq!(trimmed.clips[0].tracks[0].frames, 281);
    assert_near(&vertices(&trimmed, 0, 175.0 / 30.0, 0)[..1], &[[1.5, 0.0, 0.0]]);
    assert_near(&vertices(&whole, 0, 1.0, 0)[..1], &[[1.0, 0.0, 0.0]]);
}

#[test]
fn one_key_is_a_pose_of_one_frame_and_no_clip_is_the_rest_pose() {
    let (mut g, joint) = skinned_triangle();
    let rest = baked(&g, &exact()).file;
    assert_eq!((rest.clips.len(), &*rest.clips[0].name, rest.clips[0].tracks[0].frames), (1, "rest_pose", 1));
    g.clip("pose", &[(joint, "translation", "LINEAR", &[0.0], &[3.0, 0.0, 0.0])]);
    g.clip("empty", &[]);
    let file = baked(&g, &exact()).file;
    for (clip, x) in [(0, 3.0), (1, 0.0)] {
        assert_eq!((file.clips[clip].duration_seconds, file.clips[clip].tracks[0].frames), (0.0, 1));
        for time in [-1.0, 0.0, 0.5, 1e9] {
            assert_near(&vertices(&file, clip, time, 0)[..1], &[[x, 0.0, 0.0]]);
        }
    }
}

#[test]
fn step_keys_stay_sharp_alone_and_beside_curves() {
    let (mut g, joint) = skinned_triangle();
    let times = [0.0, 0.5, 1.0];
    let stairs = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0];
    g.clip("stairs", &[(joint, "translation", "STEP", &times, &stairs)]);
    let [x, y, z, w] = QUARTER_Z;
    let turn = [0.0, 0.0, 0.0, 1.0, x, y, z, w];
    g.clip(
        "both",
        &[(joint, "translation", "STEP", &times, &stairs), (joint, "rotation", "LINEAR", &[0.0, 1.0], &turn)],
    );
    let result = baked(&g, &exact());
    let file = &result.file;
    assert_eq!(file.clips[0].tracks[0].interpolation, Interpolation::Step);
    assert_eq!(file.clips[1].tracks[0].interpolation, Interpolation::Linear);
    for clip in [0, 1] {
        for (time, expected) in [(0.0, 0.0), (0.49, 0.0), (0.5, 1.0), (0.99, 1.0), (1.0, 2.0)] {
            assert_near(&vertices(file, clip, time, 0)[..1], &[[expected, 0.0, 0.0]]);
        }
    }
    assert!(file.metadata.as_ref().expect("metadata").accuracy[0].clips[0].max_metres < 1e-6);
    let turning = warning(&result, "jumps-moved");
    assert!(turning.what.starts_with("2 intervals"), "{turning}");
}

#[test]
fn a_model_without_a_skin_bakes_its_moving_nodes_and_one_bone_for_the_rest() {
    let mut g = GltfBuilder::new();
    let moving = g.node(None, json!({"name": "wheel"}));
    let mesh = g.mesh(&TRIANGLE, &[]);
    g.node(Some(moving), json!({"name": "rim", "mesh": mesh, "translation": [0, 1, 0]}));
    for x in [10.0, 20.0] {
        let still = g.mesh(&TRIANGLE, &[]);
        g.node(None, json!({"name": "still", "mesh": still, "translation": [x, 0, 0]}));
    }
    g.clip("roll", &[(moving, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0])]);
    let file = baked(&g, &exact()).file;
    assert_eq!(file.bones.len(), 2);
    assert_eq!(file.bones[1].node, None);
    assert_near(&vertices(&file, 0, 0.5, 0), &TRIANGLE.map(|[x, y, z]| [x + 1.0, y + 1.0, z]));
    assert_near(&vertices(&file, 0, 0.5, 1), &TRIANGLE.map(|[x, y, z]| [x + 10.0, y, z]));
    assert_near(&vertices(&file, 0, 0.5, 2), &TRIANGLE.map(|[x, y, z]| [x + 20.0, y, z]));
}

#[test]
fn an_attachment_follows_its_own_node_whatever_the_order_of_bones() {
    let mut g = GltfBuilder::new();
    let root = g.node(None, json!({"name": "root"}));
    let hand = g.node(Some(root), json!({"name": "hand", "translation": [1, 0, 0]}));
    let socket =
        g.node(Some(hand), json!({"name": "Socket_Hand", "translation": [0, 0, 1], "rotation": QUARTER_Z}));
    let other = g.node(Some(root), json!({"name": "other", "translation": [0, 5, 0]}));
    let singular = [0.0; 15].iter().copied().chain([1.0]).collect::<Vec<f32>>().try_into().expect("16");
    // Joints in another order than the nodes; the hand's inverse bind matrix cannot be inverted.
    let skin = g.skin(
        &[other, hand, root],
        Some(&[translation_matrix([1.0, 2.0, 3.0]), singular, translation_matrix([0.0; 3])]),
    );
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    let [x, y, z, w] = QUARTER_Z;
    g.clip("turn", &[(root, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, x, y, z, w])]);
    let settings = BakeSettings { attach: vec!["other".into(), "ha*".into()], ..exact() };
    let import = imported(&g);
    let file = bake_import(&import, &settings).expect("it bakes").file;
    let names: Vec<&str> = file.attachments.iter().map(|a| &*a.name).collect();
    assert_eq!(names, ["hand", "Socket_Hand", "other"]);
    let curves = ClipCurves::new(&import.asset, Some(&import.asset.clips[0]));
    let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
    for time in [0.0, 0.5, 1.0] {
        // On frames the matrix is exact; the source's own is the reference.
        palette_at(&file, &file.clips[0], time, &mut palette);
        let truth = curves.model_poses(time);
        for (number, node) in [(0, hand), (1, socket), (2, other)] {
            let found = affine_from_rows(&attachment_matrix(&file, number, &palette).expect("it is there"));
            for (f, t) in found.to_cols_array().iter().zip(truth[node].to_cols_array()) {
                assert!((f - t).abs() < 1e-6, "{number} at {time}: {found:?} {:?}", truth[node]);
            }
        }
    }
    assert_eq!(attachment_matrix(&file, 3, &palette), None);
    let missing = problems(&g, &BakeSettings { attach: vec!["foot".into()], ..exact() });
    assert_eq!(missing[0].id, "attachment-not-found");
    assert!(missing[0].expected.contains("\"hand\""), "{}", missing[0]);
}

#[test]
fn skins_over_the_same_joints_share_bones_only_if_their_bind_poses_are_equal() {
    let mut g = GltfBuilder::new();
    let joint = g.node(None, json!({"name": "joint", "translation": [0, 1, 0]}));
    for bind in [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]] {
        let skin = g.skin(&[joint], Some(&[translation_matrix(bind)]));
        let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
        g.node(None, json!({"mesh": mesh, "skin": skin}));
    }
    let file = baked(&g, &exact()).file;
    assert_eq!((file.nodes.len(), file.bones.len(), file.parts.len()), (1, 2, 3));
    assert_near(&vertices(&file, 0, 0.0, 0)[..1], &[[0.0, 1.0, 0.0]]);
    assert_near(&vertices(&file, 0, 0.0, 1)[..1], &[[0.0, 0.0, 0.0]]);
    assert_near(&vertices(&file, 0, 0.0, 2)[..1], &[[0.0, 1.0, 0.0]]);
}

#[test]
fn mirrored_parts_keep_their_front_faces_in_front() {
    let index_order = |file: &AnimFile<'_>| {
        let reader = VertexReader::new(file.mesh.as_ref().expect("a mesh"));
        [reader.index(0), reader.index(1), reader.index(2)]
    };
    // A joint that mirrors in all frames; a static node that mirrors; one that mirrors only sometimes.
    let (mut g, joint) = skinned_triangle();
    g.root["nodes"][joint]["scale"] = json!([-1, 1, 1]);
    let file = baked(&g, &exact()).file;
    assert_eq!(index_order(&file), [0, 2, 1]);
    assert!(!file.parts[0].flags.double_sided);

    let mut still = GltfBuilder::new();
    let mesh = still.mesh(&TRIANGLE, &[]);
    still.node(None, json!({"mesh": mesh, "scale": [-1, 1, 1]}));
    let file = baked(&still, &exact()).file;
    assert_eq!(index_order(&file), [0, 2, 1]);
    let reader = VertexReader::new(file.mesh.as_ref().expect("a mesh"));
    assert_eq!((reader.position(1), reader.normal(1)), ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]));

    let (mut g, joint) = skinned_triangle();
    g.clip("flip", &[(joint, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, -1.0, 1.0, 1.0])]);
    let result = baked(&g, &exact());
    assert_eq!(index_order(&result.file), [0, 1, 2]);
    assert!(result.file.parts[0].flags.double_sided);
    warning(&result, "part-mirrors-sometimes");
}

#[test]
fn a_low_rate_loop_ends_on_its_own_last_frame_and_never_reads_the_next_clip() {
    let (mut g, joint) = skinned_triangle();
    let there_and_back = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    g.clip("loop", &[(joint, "translation", "LINEAR", &[0.0, 0.5, 1.0], &there_and_back)]);
    g.clip("far", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[1e3, 0.0, 0.0, 1e3, 0.0, 0.0])]);
    let file = baked(&g, &BakeSettings { rate_hz: Some(6.0), ..exact() }).file;
    assert_eq!(file.clips[0].tracks[0].frames, 7);
    for (time, x) in [(0.9, 0.2), (0.999, 0.002), (1.0, 0.0), (0.0, 0.0)] {
        assert_near(&vertices(&file, 0, time, 0)[..1], &[[x, 0.0, 0.0]]);
    }
    assert!(file.clips[0].loop_gap_metres < 1e-6);
    assert_eq!(file.clips[0].mode, ClipMode::Loop);
}

#[test]
fn a_gap_between_the_ends_of_a_loop_is_measured_and_reported() {
    let (mut g, joint) = skinned_triangle();
    g.clip("walk", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0])]);
    let result = baked(&g, &exact());
    assert!((result.file.clips[0].loop_gap_metres - 3.0).abs() < 1e-5);
    assert!(warning(&result, "loop-gap").found.contains("\"walk\""));
    let once = baked(&g, &BakeSettings { once_clips: vec!["w*".into()], ..exact() });
    assert_eq!(once.file.clips[0].mode, ClipMode::Once);
    assert!(once.warnings.iter().all(|w| w.id != "loop-gap"));
}

#[test]
fn an_encoding_that_cannot_hold_a_value_is_refused_with_bone_clip_and_value() {
    let (mut g, joint) = skinned_triangle();
    g.clip("leap", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1e5, 0.0, 0.0])]);
    let found = problems(&g, &halves());
    assert_eq!(found[0].id, "value-not-encodable");
    assert_eq!((found[0].clip.as_deref(), found[0].bone.as_deref()), (Some("leap"), Some("joint")));
    assert!(found[0].found.parse::<f32>().is_ok_and(|v| v > 65_504.0), "{}", found[0]);
    assert!(found[0].help.contains("affine32"));
    baked(&g, &exact());
}

#[test]
fn half_floats_state_an_error_that_grows_with_the_model() {
    let error = |size: f32| {
        let (mut g, joint) = skinned_triangle();
        g.root["nodes"][joint]["scale"] = json!([size, size, size]);
        let [x, y, z, w] = QUARTER_Z;
        g.clip("turn", &[(joint, "rotation", "LINEAR", &[0.0, 0.001], &[0.0, 0.0, 0.0, 1.0, x, y, z, w])]);
        let file = baked(&g, &halves()).file;
        file.metadata.expect("metadata").accuracy[0].playback.max_metres
    };
    let (small, large) = (error(2.0), error(200.0));
    assert!((large / small - 100.0).abs() < 20.0, "{small} {large}");
}

#[test]
fn a_bake_changes_nothing_and_can_be_repeated() {
    let (mut g, joint) = skinned_triangle();
    g.clip("move", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0])]);
    let import = imported(&g);
    let first = bake_import(&import, &exact()).expect("it bakes");
    let second = bake_import(&import, &exact()).expect("it bakes");
    assert_eq!(first.file, second.file);
    let reader = VertexReader::new(first.file.mesh.as_ref().expect("a mesh"));
    assert_eq!([reader.position(0), reader.position(1), reader.position(2)], TRIANGLE);
}

#[test]
fn sizes_are_checked_before_anything_is_sampled() {
    let (mut g, joint) = skinned_triangle();
    g.clip("long", &[(joint, "translation", "LINEAR", &[0.0, 3.0e6], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0])]);
    let found = problems(&g, &exact());
    assert_eq!((found[0].id, found[0].clip.as_deref()), ("clip-does-not-fit", Some("long")));
    assert!(found[0].found.contains("frames x 1 bones x 3"), "{}", found[0]);
    let (mut g, joint) = skinned_triangle();
    g.clip("endless", &[(joint, "translation", "LINEAR", &[0.0, 3.0e38], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0])]);
    assert_eq!(problems(&g, &exact())[0].id, "clip-too-long");
    // Many clips that fit one by one and not together.
    let (mut g, joint) = skinned_triangle();
    for clip in 0..40 {
        let keys = [0.0, 60_000.0];
        g.clip(
            &format!("c{clip}"),
            &[(joint, "translation", "LINEAR", &keys, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0])],
        );
    }
    assert_eq!(problems(&g, &exact())[0].id, "bake-too-large");
}

#[test]
fn pages_stay_within_the_texture_size_that_was_asked_for() {
    let (mut g, joint) = skinned_triangle();
    for clip in 0..10 {
        let keys = [0.0, 40.0];
        g.clip(
            &format!("c{clip}"),
            &[(joint, "translation", "LINEAR", &keys, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0])],
        );
    }
    for (limit, pages) in [(64, 10), (128, 2), (4096, 1)] {
        let file = baked(&g, &BakeSettings { max_texture_size: limit, ..exact() }).file;
        let set = &file.page_sets[0];
        assert!(set.width <= limit && set.height <= limit);
        assert_eq!(set.pages.len(), pages, "{limit}");
        assert_near(&vertices(&file, 9, 20.0, 0)[..1], &[[0.5, 0.0, 0.0]]);
    }
}

#[test]
fn settings_outside_their_range_are_all_reported() {
    let (g, _) = skinned_triangle();
    let settings = BakeSettings {
        rate_hz: Some(-1.0),
        max_texture_size: 63,
        max_influences: 5,
        ..BakeSettings::default()
    };
    let found = problems(&g, &settings);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|p| p.id == "setting-out-of-range"));
}

#[test]
fn repeated_and_missing_clip_names_become_unique() {
    let (mut g, joint) = skinned_triangle();
    let keys: (&[f32], &[f32]) = (&[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    for name in ["walk", "walk", "", "walk_2", "laufen-ä", "clip_2"] {
        g.clip(name, &[(joint, "translation", "LINEAR", keys.0, keys.1)]);
    }
    let result = baked(&g, &exact());
    let names: Vec<&str> = result.file.clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["walk", "walk_3", "clip_2_2", "walk_2", "laufen-ä", "clip_2"]);
    warning(&result, "clip-name-repeated");
    warning(&result, "clip-unnamed");
    let some = baked(&g, &BakeSettings { clips: vec!["walk*".into()], ..exact() });
    assert_eq!(some.file.clips.len(), 3);
    let none = problems(&g, &BakeSettings { clips: vec!["run".into()], ..exact() });
    assert_eq!(none[0].id, "clip-not-found");
}

#[test]
fn a_bake_that_is_far_from_its_source_says_so_and_a_higher_rate_helps() {
    let (mut g, joint) = skinned_triangle();
    let [x, y, z, w] = QUARTER_Z;
    g.clip("turn", &[(joint, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, x, y, z, w])]);
    let coarse = baked(&g, &BakeSettings { rate_hz: Some(1.0), ..exact() });
    assert_eq!(warning(&coarse, "playback-inexact").clip.as_deref(), Some("turn"));
    let error = |rate| {
        let fine = baked(&g, &BakeSettings { rate_hz: Some(rate), ..exact() });
        assert!(fine.warnings.iter().all(|w| w.id != "playback-inexact"));
        fine.file.metadata.expect("metadata").accuracy[0].playback.max_metres
    };
    let (ten, twenty) = (error(10.0), error(20.0));
    assert!((ten / twenty - 4.0).abs() < 0.1, "{ten} {twenty}");
}

#[test]
fn a_few_bytes_cannot_ask_for_millions_of_vertices() {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&TRIANGLE, &[]);
    // A million vertices without a byte of data, under five nodes.
    g.root["accessors"][0] = json!({"componentType": 5126, "type": "VEC3", "count": 1_000_000});
    for _ in 0..5 {
        g.node(None, json!({"mesh": mesh}));
    }
    let found = problems(&g, &exact());
    assert_eq!(found[0].id, "too-many-vertices");
    assert!(found[0].expected.starts_with("at most 4,194,304"), "{}", found[0]);
}
