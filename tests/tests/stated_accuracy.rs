//! What a file states about its own error, on clips whose true error can be worked out by hand.

use anim_bake::{BakeSettings, bake_import, gltf::import};
use anim_format::model::{Accuracy, Encoding};
use anim_tests::gltf_builder::GltfBuilder;
use serde_json::json;

/// A triangle one metre wide, on a node that the curves move.
fn triangle() -> (GltfBuilder, usize) {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[]);
    let node = g.node(None, json!({"mesh": mesh}));
    (g, node)
}

fn accuracy(builder: &GltfBuilder, rate_hz: Option<f64>) -> Accuracy {
    let settings = BakeSettings { rate_hz, encodings: vec![Encoding::Affine32], ..BakeSettings::default() };
    let source = import(&builder.bytes(), &|uri: &str| Err(std::io::Error::other(uri.to_owned())), None)
        .expect("a valid model");
    let file = bake_import(&source, &settings).expect("a model that bakes").file;
    file.metadata.expect("a bake measures itself").accuracy.swap_remove(0)
}

/// Places along x, one a key.
fn along_x(places: impl IntoIterator<Item = f32>) -> Vec<f32> {
    places.into_iter().flat_map(|x| [x, 0.0, 0.0]).collect()
}

#[test]
fn a_step_key_that_rounding_puts_behind_its_frame_is_no_error() {
    // In f32, 0.6 lies behind frame 18 of 30 Hz, and 0.9 before frame 27.
    let (mut g, node) = triangle();
    let times = [0.0, 0.6, 0.9, 1.0];
    g.clip("steps", &[(node, "translation", "STEP", &times, &along_x([0.0, 1.0, 2.0, 3.0]))]);
    let found = accuracy(&g, None);
    assert!(found.playback.max_metres < 1e-6, "{found:?}");
    assert_eq!((found.left_out_intervals, found.left_out_max_metres), (0, 0.0));
}

#[test]
fn what_jumps_to_and_fro_inside_one_interval_is_part_of_the_total() {
    // Five frames a second: no frame sees what happens from 0.43 s to 0.44 s.
    let (mut g, node) = triangle();
    let times = [0.0, 0.43, 0.44, 1.0];
    g.clip("flash", &[(node, "translation", "STEP", &times, &along_x([0.0, 5.0, 0.0, 0.0]))]);
    let found = accuracy(&g, Some(5.0));
    assert!(found.total_max_metres >= 5.0, "{found:?}");
}

#[test]
fn a_curve_that_a_held_interval_freezes_is_part_of_the_total_up_to_the_end_of_the_interval() {
    // A jump at 0.5 s holds the interval from 0.4 s, in which the other node moves by a metre.
    let (mut g, node) = triangle();
    let mesh = g.mesh(&[[0.0; 3], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], &[]);
    let other = g.node(None, json!({"mesh": mesh}));
    g.clip(
        "both",
        &[
            (node, "translation", "STEP", &[0.0, 0.5, 1.0], &along_x([0.0, 0.1, 0.1])),
            (other, "translation", "LINEAR", &[0.0, 1.0], &along_x([0.0, 10.0])),
        ],
    );
    let found = accuracy(&g, Some(10.0));
    assert!((0.995..1.001).contains(&found.total_max_metres), "{found:?}");
}

#[test]
fn keys_between_frames_are_measured_however_many_there_are() {
    // 240 Hz keys at five frames a second: 48 keys an interval, of which number 31 flies a metre away.
    let (mut g, node) = triangle();
    let times: Vec<f32> = (0..=240u16).map(|key| f32::from(key) / 240.0).collect();
    let places = along_x((0..=240u16).map(|key| if key == 48 + 31 { 1.0 } else { 0.0 }));
    g.clip("spike", &[(node, "translation", "LINEAR", &times, &places)]);
    let found = accuracy(&g, Some(5.0));
    assert!((0.999..1.001).contains(&found.playback.max_metres), "{found:?}");
}
