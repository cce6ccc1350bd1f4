//! The second reader, in plain Python and written from the format's description, sees in fresh bakes what we see.

use std::path::Path;
use std::process::Command;

use anim_bake::{BakeSettings, bake_import};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::model::Encoding;
use anim_format::playback::palette_at;
use anim_tests::models;
use serde_json::Value;

#[test]
fn python_decodes_fresh_bakes_to_the_same_matrices() {
    if !anim_tests::python_is_there() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut models = models::samples();
    // One of each kind: several skins, mirrored, STEP and LINEAR without a mesh, rigid parts, single keys.
    let names =
        ["CyberpunkCharacter.glb", "leftHandLow.glb", "Med_General.glb", "character.glb", "SimpleSkin.gltf"];
    models.extend(models::corpus().into_iter().filter(|path| names.iter().any(|name| path.ends_with(name))));
    let mut palettes = 0;
    for model in &models {
        let import = models::import(model);
        for encoding in [Encoding::Affine32, Encoding::Affine16] {
            let baked =
                bake_import(&import, &BakeSettings { encodings: vec![encoding], ..BakeSettings::default() })
                    .expect("a bake");
            let file = baked.file;
            let path = folder.path().join("fresh.animtex");
            let bytes = anim_format::write(&file, anim_format::Version::V1).expect("a valid file");
            std::fs::write(&path, bytes).expect("a writable folder");
            let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
            for clip in file.clips.iter().take(3) {
                let time = f64::from(clip.duration_seconds) * 0.37;
                let found = read_in_python(&path, &clip.name, time);
                palette_at(&file, clip, time, &mut palette);
                let expected = palette.iter().flatten().flatten().copied();
                let mut numbers = Vec::new();
                flatten(&found["palette"], &mut numbers);
                assert_eq!(numbers.len(), 12 * file.bones.len(), "{}", model.display());
                for (found, expected) in numbers.iter().zip(expected) {
                    let close =
                        (found - f64::from(expected)).abs() <= 1e-7 * f64::from(expected).abs().max(1.0);
                    assert!(close, "{} {}: {found} {expected}", model.display(), clip.name);
                }
                palettes += 1;
            }
        }
    }
    assert!(palettes >= 14, "{palettes} palettes");
}

fn read_in_python(file: &Path, clip: &str, seconds: f64) -> Value {
    let output = Command::new("python3")
        .arg(models::workspace_root().join("tests/animtex_reader.py"))
        .arg(file)
        .args(["--clip", clip, "--time", &seconds.to_string()])
        .output()
        .expect("python3 was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn flatten(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| flatten(value, out)),
        number => out.push(number.as_f64().expect("a number")),
    }
}
