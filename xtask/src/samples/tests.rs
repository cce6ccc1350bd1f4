//! What the sample files promise.

use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;

use super::{SAMPLES, folder, run};

/// What one file has to contain.
struct Promise {
    file_name: &'static str,
    bones: usize,
    /// Least and greatest number of vertices of all meshes.
    vertices: (usize, usize),
    /// Name, duration in seconds, and whether every channel is STEP.
    clips: &'static [(&'static str, f32, bool)],
}

const PROMISES: [Promise; 3] = [
    Promise {
        file_name: "bird.glb",
        bones: 10,
        vertices: (300, 600),
        clips: &[("fly", 24.0 / 30.0, false), ("glide", 3.0, false)],
    },
    Promise {
        file_name: "biped.glb",
        bones: 21,
        vertices: (1000, 2000),
        clips: &[
            ("idle", 4.0, false),
            ("walk", 1.0, false),
            ("run", 20.0 / 30.0, false),
            ("wave", 2.0, false),
            ("signal", 4.0, true),
            ("sit", 0.0, false),
        ],
    },
    Promise {
        file_name: "horse.glb",
        bones: 29,
        vertices: (1800, 2000),
        clips: &[("walk", 32.0 / 30.0, false), ("gallop", 16.0 / 30.0, false)],
    },
];

#[test]
fn committed_files_are_what_the_code_writes() {
    for sample in &SAMPLES {
        let committed = std::fs::read(folder().join(sample.file_name)).expect("a committed sample");
        let written = (sample.bytes)().expect("a sample");
        assert!(committed == written, "{} differs; run `cargo xtask samples`", sample.file_name);
    }
}

#[test]
fn check_accepts_the_committed_files_and_refuses_unknown_options() {
    assert!(run(&["--check".to_owned()]).is_ok());
    assert!(run(&["--chekc".to_owned()]).is_err());
}

#[test]
fn files_are_small() {
    let total: usize = SAMPLES.iter().map(|sample| bytes_of(sample.file_name).len()).sum();
    assert!(total < 1_500_000, "{total} bytes");
}

#[test]
fn files_hold_the_promised_bones_vertices_and_clips() {
    for promise in &PROMISES {
        let file = open(promise.file_name);
        let bones: Vec<usize> = file.skins().map(|skin| skin.joints().count()).collect();
        assert_eq!(bones, [promise.bones], "{}", promise.file_name);
        let primitives = file.meshes().flat_map(|mesh| mesh.primitives());
        let vertices: usize =
            primitives.map(|p| p.get(&gltf::Semantic::Positions).map_or(0, |a| a.count())).sum();
        let (least, greatest) = promise.vertices;
        assert!((least..=greatest).contains(&vertices), "{}: {vertices} vertices", promise.file_name);

        let mut clips = Vec::new();
        for clip in file.animations() {
            let step = clip.channels().all(|c| c.sampler().interpolation() == Interpolation::Step);
            let linear = clip.channels().all(|c| c.sampler().interpolation() == Interpolation::Linear);
            assert!(step || linear, "{:?} mixes interpolations", clip.name());
            let ends = clip.channels().map(|channel| {
                let reader = channel.reader(|_| file.blob.as_deref());
                reader.read_inputs().and_then(Iterator::last).expect("key times")
            });
            clips.push((clip.name().unwrap_or_default(), ends.fold(0.0, f32::max), step));
        }
        assert_eq!(clips, promise.clips, "{}", promise.file_name);
    }
}

#[test]
fn clips_end_as_they_begin_and_start_at_zero() {
    let mut channels = 0;
    for promise in &PROMISES {
        let file = open(promise.file_name);
        for channel in file.animations().flat_map(|clip| clip.channels().collect::<Vec<_>>()) {
            let name = channel.target().node().name().unwrap_or_default().to_owned();
            let reader = channel.reader(|_| file.blob.as_deref());
            let times: Vec<f32> = reader.read_inputs().expect("key times").collect();
            assert_eq!(times[0].to_bits(), 0.0_f32.to_bits(), "{name}");
            assert!(times.is_sorted_by(|a, b| a < b), "{name}");
            match reader.read_outputs().expect("values") {
                ReadOutputs::Rotations(rotations) => {
                    let all: Vec<[f32; 4]> = rotations.into_f32().collect();
                    let dot = |a: [f32; 4], b: [f32; 4]| -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
                    let (first, last) = (all[0], all[all.len() - 1]);
                    // Both signs are the same rotation.
                    assert!(first == last || first.map(|x| -x) == last, "{name}: {first:?} {last:?}");
                    assert!(
                        all.iter().all(|&q| (dot(q, q) - 1.0).abs() < 1e-6),
                        "{name} is not of unit length"
                    );
                    assert!(all.windows(2).all(|pair| dot(pair[0], pair[1]) >= 0.0), "{name}");
                }
                ReadOutputs::Translations(translations) => {
                    let all: Vec<[f32; 3]> = translations.collect();
                    assert_eq!(all[0], all[all.len() - 1], "{name}");
                }
                _ => panic!("{name}: nothing but rotations and translations is written"),
            }
            channels += 1;
        }
    }
    assert!(channels > 150, "{channels} channels");
}

#[test]
fn weights_sum_to_one_and_normals_have_unit_length() {
    let mut skinned = 0;
    for promise in &PROMISES {
        let file = open(promise.file_name);
        for primitive in file.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
            let reader = primitive.reader(|_| file.blob.as_deref());
            for normal in reader.read_normals().expect("normals") {
                let square: f32 = normal.iter().map(|x| x * x).sum();
                assert!((square - 1.0).abs() < 1e-5, "{}: {normal:?}", promise.file_name);
            }
            for weights in reader.read_weights(0).into_iter().flat_map(|weights| weights.into_f32()) {
                let sum: f32 = weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{}: {weights:?}", promise.file_name);
                skinned += 1;
            }
        }
    }
    assert!(skinned > 4000, "{skinned} skinned vertices");
}

#[test]
fn biped_holds_a_sword_a_socket_and_a_texture() {
    let file = open("biped.glb");
    let hand = file.nodes().find(|node| node.name() == Some("hand_r")).expect("a right hand");
    let child = |name: &str| hand.children().find(|node| node.name() == Some(name));
    let sword = child("sword").expect("a sword in the right hand");
    assert!(sword.mesh().is_some() && sword.skin().is_none());
    let socket = child("socket_hand_r").expect("a socket in the right hand");
    assert!(socket.mesh().is_none() && socket.children().count() == 0);
    assert_eq!(file.images().count(), 1);
    for material in file.materials() {
        assert!(material.pbr_metallic_roughness().base_color_texture().is_some());
    }
}

#[test]
fn person_and_horse_stand_on_the_ground() {
    for (file_name, height_metres) in [("biped.glb", 1.7..1.9), ("horse.glb", 2.0..2.3)] {
        let file = open(file_name);
        let body = file.meshes().next().expect("a body");
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for primitive in body.primitives() {
            let bounds = primitive.bounding_box();
            (low, high) = (low.min(bounds.min[1]), high.max(bounds.max[1]));
        }
        assert!(low.abs() < 1e-6, "{file_name}: lowest vertex at {low}");
        assert!(height_metres.contains(&high), "{file_name}: highest vertex at {high}");
    }
}

fn bytes_of(file_name: &str) -> Vec<u8> {
    let sample = SAMPLES.iter().find(|sample| sample.file_name == file_name).expect("a sample of that name");
    (sample.bytes)().expect("a sample")
}

/// The file that the code writes, read and validated.
fn open(file_name: &str) -> gltf::Gltf {
    gltf::Gltf::from_slice(&bytes_of(file_name)).expect("valid glTF")
}
