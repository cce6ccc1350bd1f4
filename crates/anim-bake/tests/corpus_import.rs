//! Every real file imports as an independent reader sees it, or fails with the error that it deserves.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anim_bake::gltf::Import;
use anim_bake::ids;
use anim_bake::source::KeyInterpolation;
use serde_json::Value;
use support::{corpus, errors, import_file, pairs};

/// The facts of each file: what `facts.jsonl` says.
fn facts(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("facts.jsonl")).expect("facts.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn number(facts: &Value, field: &str) -> usize {
    usize::try_from(facts[field].as_u64().unwrap_or_else(|| panic!("no {field}"))).expect("small")
}

fn refused(file: &str) -> bool {
    file.contains("draco") || file.contains("meshopt") || file.starts_with("malformed/")
}

#[test]
fn well_formed_files_import_as_an_independent_reader_sees_them() {
    let Some(folder) = corpus() else { return };
    let mut checked = 0;
    for facts in facts(&folder) {
        let file = facts["file"].as_str().expect("a file name");
        if refused(file) {
            continue;
        }
        let import = import_file(&folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        check_meshes(file, &facts, &import);
        check_skins(file, &facts, &import);
        check_clips(file, &facts, &import);
        checked += 1;
    }
    assert!(checked >= 26, "{checked}");
}

fn check_meshes(file: &str, facts: &Value, import: &Import) {
    let asset = &import.asset;
    assert_eq!(asset.nodes.len(), number(facts, "nodes"), "{file}");
    assert_eq!(asset.topological_order.len(), asset.nodes.len(), "{file}");
    assert_eq!(asset.meshes.len(), number(facts, "meshes"), "{file}");
    assert_eq!(asset.materials.len(), number(facts, "materials"), "{file}");
    let primitives: Vec<_> = asset.meshes.iter().flat_map(|mesh| &mesh.primitives).collect();
    assert_eq!(primitives.len(), number(facts, "primitives"), "{file}");
    let triangles: usize = primitives.iter().map(|primitive| primitive.triangles.len() / 3).sum();
    assert_eq!(triangles, number(facts, "triangles"), "{file}");
    // Primitives that read one accessor share its data.
    let positions: BTreeMap<_, usize> = primitives
        .iter()
        .map(|primitive| (primitive.positions.as_ptr(), primitive.positions.len()))
        .collect();
    assert_eq!(positions.values().sum::<usize>(), number(facts, "vertices"), "{file}");
    let sets = primitives.iter().map(|primitive| primitive.influence_sets.len()).max().unwrap_or(0);
    assert_eq!(sets, number(facts, "joint_sets"), "{file}");
    let targets = primitives.iter().map(|primitive| primitive.morph_targets.len()).max().unwrap_or(0);
    let expected = facts["morph"]["max_targets"].as_u64().unwrap_or(0);
    assert_eq!(targets as u64, expected, "{file}");
    let has_normals = facts["attributes"].get("NORMAL").is_some();
    assert_eq!(primitives.iter().any(|primitive| primitive.normals.is_some()), has_normals, "{file}");
    for primitive in primitives {
        let vertices = primitive.positions.len();
        assert!(primitive.triangles.iter().all(|index| (*index as usize) < vertices), "{file}");
        for normal in primitive.normals.iter().flat_map(|normals| normals.iter()) {
            let length = normal.iter().map(|value| value * value).sum::<f32>();
            assert!((length - 1.0).abs() < 1e-5 || length == 0.0, "{file}: {normal:?}");
        }
    }
}

fn check_skins(file: &str, facts: &Value, import: &Import) {
    let skins = facts["skins"].as_array().expect("skins");
    assert_eq!(import.asset.skins.len(), skins.len(), "{file}");
    for (skin, facts) in import.asset.skins.iter().zip(skins) {
        assert_eq!(skin.joints.len(), number(facts, "joints"), "{file}");
        assert_eq!(skin.bone_from_bind.len(), skin.joints.len(), "{file}");
        let identity = skin.bone_from_bind.iter().all(|m| *m == anim_core::glam::DAffine3::IDENTITY);
        if facts["inverseBindMatrices"] == false {
            assert!(identity, "{file}");
        }
    }
    let joints: BTreeSet<usize> = import.asset.skins.iter().flat_map(|skin| &skin.joints).copied().collect();
    assert_eq!(joints.len(), number(facts, "joints_distinct"), "{file}");
}

fn check_clips(file: &str, facts: &Value, import: &Import) {
    let clips = facts["clip_list"].as_array().expect("clips");
    assert_eq!(import.asset.clips.len(), clips.len(), "{file}");
    let without_node =
        facts["flags"].as_array().expect("flags").iter().any(|flag| {
            flag.as_str().is_some_and(|flag| flag.starts_with("channels without a target node (1)"))
        });
    for (clip, facts) in import.asset.clips.iter().zip(clips) {
        let name = clip.name.as_deref();
        assert_eq!(name, facts["name"].as_str(), "{file}");
        assert_eq!(
            clip.channels.len() + usize::from(without_node),
            number(facts, "channels"),
            "{file} {name:?}"
        );
        let close =
            |found: f32, fact: &Value| (f64::from(found) - fact.as_f64().expect("a time")).abs() < 1e-5;
        assert!(close(clip.start_seconds(), &facts["start"]), "{file} {name:?}");
        assert!(close(clip.end_seconds(), &facts["end"]), "{file} {name:?}");
        let keys = || clip.channels.iter().map(|channel| channel.times_seconds.len());
        assert_eq!(keys().min(), Some(number(facts, "min_keys")), "{file} {name:?}");
        assert_eq!(keys().max(), Some(number(facts, "max_keys")), "{file} {name:?}");
        for (word, interpolation) in [
            ("LINEAR", KeyInterpolation::Linear),
            ("STEP", KeyInterpolation::Step),
            ("CUBICSPLINE", KeyInterpolation::CubicSpline),
        ] {
            let found = clip.channels.iter().filter(|channel| channel.interpolation == interpolation).count();
            let ignored = usize::from(without_node && word == "LINEAR");
            let expected = facts["interpolation"].get(word).and_then(Value::as_u64).unwrap_or(0);
            assert_eq!((found + ignored) as u64, expected, "{file} {name:?} {word}");
        }
    }
}

#[test]
fn draco_and_meshopt_are_refused_by_name() {
    let Some(folder) = corpus() else { return };
    for (file, name) in [
        ("Astronaut_FinnTheFrog-draco.glb", "KHR_draco_mesh_compression"),
        ("derived/Wolf.meshopt.glb", "EXT_meshopt_compression"),
    ] {
        let error = import_file(&folder.join(file)).map(|import| import.warnings).expect_err("an error");
        let problem = error.diagnostics().iter().find(|p| p.id == ids::EXTENSION_UNSUPPORTED).expect("named");
        assert!(problem.what.contains(name), "{problem}");
        assert!(problem.path.starts_with("extensionsRequired["), "{problem}");
        assert!(problem.help.contains("export without"), "{problem}");
    }
}

#[test]
fn malformed_files_fail_with_the_error_that_they_deserve() {
    let Some(folder) = corpus() else { return };
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("RecursiveNodes", &[(ids::NODE_CYCLE, "nodes[1].children[0]")]),
        ("channel_duplicate_targets", &[(ids::CHANNEL_DUPLICATE_TARGET, "animations[0].channels[1].target")]),
        (
            "ibm_invalid_count",
            // The accessor has no view, so its matrices are zeros, which is a second fault.
            &[
                (ids::SKIN_INVERSE_BIND_COUNT, "skins[2].inverseBindMatrices"),
                (ids::MATRIX_NOT_AFFINE, "accessors[0]"),
            ],
        ),
        (
            "invalid_input_values",
            &[(ids::KEY_TIME_NEGATIVE, "accessors[0]"), (ids::KEY_TIME_NOT_INCREASING, "accessors[0]")],
        ),
        // Its key times have no view either: two keys at time 0.
        ("quaternion_non_unit_values", &[(ids::KEY_TIME_NOT_INCREASING, "accessors[0]")]),
        ("sampler_output_count_invalid", &[(ids::SAMPLER_OUTPUT_COUNT, "animations[0].samplers[0].output")]),
        ("unresolved_channel_target", &[(ids::INDEX_OUT_OF_RANGE, "animations[0].channels[0].target.node")]),
        ("unresolved_joint", &[(ids::INDEX_OUT_OF_RANGE, "skins[0].joints[0]")]),
    ];
    for (file, expected) in cases {
        let found = errors(import_file(&folder.join(format!("malformed/{file}.gltf"))));
        let expected: Vec<_> = expected.iter().map(|(id, path)| (*id, (*path).to_owned())).collect();
        assert_eq!(found, expected, "{file}");
    }
    // These two have one reading that every engine agrees on.
    let cases: &[(&str, &[&str])] = &[
        ("no_joints_in_scene", &[ids::SKIN_JOINT_OUTSIDE_SCENE]),
        ("sampler_too_few_cubic_frames", &[ids::SAMPLER_CUBIC_SINGLE_KEY, ids::KEY_ROTATION_ZERO]),
    ];
    for (file, expected) in cases {
        let import = import_file(&folder.join(format!("malformed/{file}.gltf"))).expect("success");
        let found: Vec<_> = pairs(&import.warnings).into_iter().map(|(id, _)| id).collect();
        assert_eq!(found, *expected, "{file}");
    }
    let files = std::fs::read_dir(folder.join("malformed")).expect("a folder");
    let files =
        files.filter(|file| file.as_ref().expect("a file").path().extension().is_some_and(|e| e == "gltf"));
    assert_eq!(files.count(), 10, "a malformed file that this test does not know");
}

#[test]
fn every_quirk_imports() {
    let Some(folder) = corpus() else { return };
    let mut checked = 0;
    for entry in std::fs::read_dir(folder.join("quirks")).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "gltf") {
            let import = import_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!import.asset.nodes.is_empty(), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 24, "{checked}");
}

#[test]
fn quirks_hold_what_their_names_say() {
    let Some(folder) = corpus() else { return };
    let import = |name: &str| import_file(&folder.join("quirks").join(name)).expect("success").asset;
    let points = import("points-with-skin.gltf");
    let primitive = &points.meshes[0].primitives[0];
    assert!(primitive.not_triangles && primitive.triangles.is_empty());
    assert!(!primitive.positions.is_empty() && primitive.influence_sets.len() == 1);

    let eight = import("eight-influences.gltf");
    assert_eq!(eight.meshes[0].primitives[0].influence_sets.len(), 2);

    let weights = import("weights-u8.gltf");
    let set = &weights.meshes[0].primitives[0].influence_sets[0];
    assert!(set.weights.as_flattened().iter().all(|weight| (0.0..=1.0).contains(weight)));
    assert!(set.weights.iter().all(|weights| (weights.iter().sum::<f32>() - 1.0).abs() < 0.02));

    let rotations = import("rotation-i16.gltf");
    let channel = &rotations.clips[0].channels[0];
    let lengths = channel.values.chunks(4).map(|q| q.iter().map(|value| value * value).sum::<f32>());
    assert!(lengths.clone().all(|length| (length - 1.0).abs() < 1e-3), "{:?}", lengths.collect::<Vec<_>>());

    let two = import("two-skins-one-skeleton.gltf");
    assert_eq!(two.skins.len(), 2);
    let joints = |skin: usize| two.skins[skin].joints.iter().copied().collect::<BTreeSet<usize>>();
    assert_eq!(joints(0), joints(1));
    assert_ne!(two.skins[0].bone_from_bind, two.skins[1].bone_from_bind);
}
