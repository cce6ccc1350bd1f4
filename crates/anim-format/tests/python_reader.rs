//! The reader in `tests/animtex_reader.py` was written from `docs/FORMAT.md` alone: it has to see in every golden file
//! what this crate sees.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anim_format::model::Content;
use anim_format::playback::{attachment_matrix, palette_at, palette_of_track, vertices_at};
use anim_format::{AnimFile, read, sections};
use serde_json::Value;
use support::describe::{SHARES, has_palette, with_vertices};

mod support;

/// Runs the reader; `None` if Python is missing, which is a failure under continuous integration (`CI` is set).
#[expect(clippy::print_stderr, reason = "a test that checks less says so")]
fn python(arguments: &[&str]) -> Option<Result<Value, String>> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/animtex_reader.py");
    let output = match Command::new("python3").arg(script).args(arguments).output() {
        Ok(output) => output,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "python3 cannot be started: {error}");
            eprintln!("NOT CHECKED: python3 cannot be started ({error}); the second reader is not run");
            return None;
        }
    };
    Some(if arguments == ["--help"] {
        Ok(Value::Null)
    } else if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout).unwrap())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    })
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap_or_else(|| panic!("not a number: {number}"))],
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1").join(format!("{name}.animtex"))
}

/// Palettes of rows are the same to the last bit; attachments and palettes of local tracks, which Python computes in
/// `f64`, nearly so.
fn check_palettes(path: &str, file: &AnimFile<'_>) -> usize {
    let mut palettes = 0;
    let tracks = file.clips.iter().flat_map(|clip| clip.tracks.iter().map(move |track| (clip, track)));
    for (clip, track) in tracks.filter(|(_, track)| has_palette(file, track)) {
        let times = SHARES.map(|share| f64::from(clip.duration_seconds) * share);
        let times = times.map(|time| ["--time".to_owned(), format!("{time:?}")]);
        let page_set = track.page_set.to_string();
        let mut arguments = vec![path, "--clip", &*clip.name, "--attachments", "--page-set", &page_set];
        arguments.extend(times.as_flattened().iter().map(String::as_str));
        let Some(found) = python(&arguments) else { return palettes };
        let found = found.unwrap();
        for (share, sample) in SHARES.iter().zip(found["samples"].as_array().unwrap()) {
            let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
            palette_of_track(file, clip, track, f64::from(clip.duration_seconds) * share, &mut palette);
            // The JSON parser may be off by one unit of f64; both sides are f32.
            let found: Vec<f32> =
                numbers(&sample["palette"]).into_iter().map(|number| number as f32).collect();
            let expected: Vec<f32> = palette.iter().flatten().flatten().copied().collect();
            if file.page_sets[track.page_set as usize].content == Content::Rows {
                assert_eq!(found, expected, "{path} {:?} at {share}", clip.name);
            }
            let close = found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 2e-6);
            assert!(
                close && found.len() == expected.len(),
                "{path} {:?} at {share}: {found:?} {expected:?}",
                clip.name
            );
            for (number, attachment) in file.attachments.iter().enumerate() {
                let expected = attachment_matrix(file, number, &palette).unwrap();
                let found = numbers(&sample["attachments"][&*attachment.name]);
                for (found, expected) in found.iter().zip(expected.as_flattened()) {
                    assert!((found - f64::from(*expected)).abs() < 1e-5, "{path} {:?}", attachment.name);
                }
                assert_eq!(found.len(), 12);
            }
            palettes += 1;
        }
    }
    palettes
}

#[test]
fn the_python_reader_sees_the_same_palettes() {
    let mut palettes = 0;
    if python(&["--help"]).is_none() {
        return;
    }
    for (name, _) in support::golden_models() {
        let path = golden(name);
        let bytes = fs::read(&path).unwrap();
        palettes += check_palettes(path.to_str().unwrap(), &read(&bytes).unwrap());
    }
    assert_eq!(palettes, 5 * (1 + 2 + 2 + 5 + 1 + 1 + 4 * 2 + 2));
}

#[test]
fn the_python_reader_sees_the_same_vertices() {
    let mut vertices = 0;
    for (name, file) in support::golden_models() {
        let path = golden(name);
        for (clip, _) in with_vertices(&file) {
            for share in SHARES {
                let seconds = f64::from(clip.duration_seconds) * share;
                let time = format!("{seconds:?}");
                let arguments = [path.to_str().unwrap(), "--clip", &clip.name, "--time", &time, "--vertices"];
                let Some(found) = python(&arguments) else { return };
                let found = found.unwrap();
                let mut found = found["vertices"].as_array().unwrap().iter();
                for part in 0..file.parts.len() {
                    let all = 0..file.parts[part].vertex_count;
                    for expected in vertices_at(&file, clip, part, seconds, all).unwrap() {
                        let found = found.next().unwrap();
                        for (name, expected) in [("position", expected.position), ("normal", expected.normal)]
                        {
                            for (found, expected) in numbers(&found[name]).iter().zip(expected) {
                                assert!(
                                    (found - f64::from(expected)).abs() < 2e-5,
                                    "{name} in {}",
                                    clip.name
                                );
                            }
                        }
                        vertices += 1;
                    }
                }
                assert!(found.next().is_none());
            }
        }
    }
    assert_eq!(vertices, 2 * 2 * 5 * 7);
}

#[test]
fn the_python_reader_sees_the_same_tables() {
    for (name, file) in support::golden_models() {
        let path = golden(name);
        let Some(found) = python(&[path.to_str().unwrap()]) else { return };
        let found = found.unwrap();
        let bytes = fs::read(&path).unwrap();
        let kinds: Vec<u64> = sections(&bytes).unwrap().iter().map(|section| section.kind.into()).collect();
        let found_kinds = found["sections"].as_array().unwrap().iter().map(|s| s["kind"].as_u64().unwrap());
        assert_eq!(found_kinds.collect::<Vec<_>>(), kinds);
        let names = |table: &str| -> Vec<String> {
            let records = found[table].as_array().unwrap().iter();
            records.map(|record| record["name"].as_str().unwrap().to_owned()).collect()
        };
        let expected = |names: Vec<&str>| -> Vec<String> { names.into_iter().map(str::to_owned).collect() };
        assert_eq!(names("clips"), expected(file.clips.iter().map(|c| &*c.name).collect()));
        assert_eq!(names("nodes"), expected(file.nodes.iter().map(|n| &*n.name).collect()));
        assert_eq!(names("attachments"), expected(file.attachments.iter().map(|a| &*a.name).collect()));
        assert_eq!(names("parts"), expected(file.parts.iter().map(|p| &*p.name).collect()));
        assert_eq!(names("materials"), expected(file.materials.iter().map(|m| &*m.name).collect()));
        assert_eq!(names("masks"), expected(file.masks.iter().map(|m| &*m.name).collect()));
        let records = file.local_records.iter();
        let records: Vec<f64> =
            records.flat_map(|r| [r.rotation, r.translation, r.scale, r.ranges]).map(f64::from).collect();
        assert_eq!(numbers(&found["local_records"]), records);
        assert_eq!(
            numbers(&found["extent"]["fade_overshoot_metres"]),
            [f64::from(file.extent.fade_overshoot_metres)]
        );
        assert_eq!(names("images"), expected(file.images.iter().map(|i| &*i.name).collect()));
        let radii = file.parts.iter().map(|part| f64::from(part.bounds.sphere_radius));
        let found_radii = found["parts"].as_array().unwrap().iter();
        let found_radii = found_radii.map(|part| part["bounds"]["sphere_radius"].as_f64().unwrap());
        assert_eq!(found_radii.collect::<Vec<_>>(), radii.collect::<Vec<_>>());
        match &file.metadata {
            None => assert!(found["metadata"].is_null()),
            Some(metadata) => {
                assert_eq!(found["metadata"]["generator"], metadata.generator);
                let accuracy = &found["metadata"]["accuracy"][0];
                assert_eq!(accuracy["total_max_metres"], metadata.accuracy[0].total_max_metres);
                assert_eq!(accuracy["exhaustive"], metadata.accuracy[0].exhaustive);
                assert_eq!(accuracy["clips"][0]["worst"]["vertex"], 3);
            }
        }
    }
}

#[test]
fn the_python_reader_skins_vertices() {
    let path = golden("character");
    let file = support::character();
    let arguments = [path.to_str().unwrap(), "--clip", "walk", "--time", "0.4", "--positions"];
    let Some(found) = python(&arguments) else { return };
    let found = numbers(&found.unwrap()["positions"]);
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    palette_at(&file, &file.clips[0], 0.4, &mut palette);
    let mesh = file.mesh.as_ref().unwrap();
    assert_eq!(found.len(), 3 * mesh.vertices.len() / 44);
    for (vertex, found) in mesh.vertices.chunks_exact(44).zip(found.chunks_exact(3)) {
        let float = |at: usize| f32::from_le_bytes(vertex[at..at + 4].try_into().unwrap());
        let bones = [20, 22, 24, 26].map(|at| u16::from_le_bytes([vertex[at], vertex[at + 1]]));
        let weights = [28, 32, 36, 40].map(float);
        let rows = anim_core::skin_reference::blend_influences(&palette, bones, weights);
        let expected = anim_core::skin_reference::skin_position(&rows, [0, 4, 8].map(float));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - f64::from(expected)).abs() < 1e-5, "{found} {expected}");
        }
    }
}

#[test]
fn the_python_reader_refuses_damaged_files() {
    let bytes = fs::read(golden("minimal")).unwrap();
    let folder = std::env::temp_dir().join(format!("animtex-python-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("damaged.animtex");
    for at in [0, 5, 9, 17, 21, 33, 0x41, 0x1c1, 0x201, 0x230, 0x241, 0x2d0, 0x3c0, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        fs::write(&path, &damaged).unwrap();
        let Some(found) = python(&[path.to_str().unwrap()]) else { return };
        let error = found.expect_err("an error");
        assert!(error.starts_with("animtex_reader.py: "), "byte {at}: {error}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
