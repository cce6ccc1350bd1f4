//! Playback of a bake, written and read again, agrees with two other engines within the error that it states.

use anim_bake::{BakeSettings, bake_import};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::model::Encoding;
use anim_format::playback::{palette_at, posed_vertices};
use anim_tests::{golden, models};

#[test]
fn playback_of_every_model_is_within_its_stated_error_of_other_engines() {
    let goldens = golden::all();
    let mut problems = Vec::new();
    let mut positions = 0;
    for golden in &goldens {
        let import = models::import(&golden.model);
        for encoding in [Encoding::Affine32, Encoding::Affine16, Encoding::Local32, Encoding::Local8] {
            let settings = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
            let baked = match bake_import(&import, &settings) {
                Ok(baked) => baked,
                Err(error) => {
                    assert!(golden.primitives.is_empty(), "{}: {error}", golden.model.display());
                    continue;
                }
            };
            let bytes = anim_format::write(&baked.file, anim_format::Version::V1).expect("a valid file");
            let file = anim_format::read(&bytes).expect("a file that was just written");
            let accuracy = &file.metadata.as_ref().expect("metadata").accuracy[0];
            let size = f64::from(file.extent.model_size_metres);
            // The engines' box leaves out vertices without any weight; they are drawn, so ours does not.
            let weightless = baked.warnings.iter().any(|w| w.id == anim_bake::ids::WEIGHTLESS_VERTICES);
            if !golden.primitives.is_empty() && !weightless {
                assert!((size / golden.model_size - 1.0).abs() < 1e-5, "{}: {size}", golden.model.display());
            }
            let allowed = accuracy.total_max_metres + golden.tolerance * golden.model_size;
            let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
            let mut worst = 0.0f64;
            for golden_clip in &golden.clips {
                let clip = &file.clips[golden_clip.index.unwrap_or(0)];
                for sample in &golden_clip.samples {
                    palette_at(&file, clip, sample.time_seconds, &mut palette);
                    for (primitive, expected) in golden.primitives.iter().zip(&sample.primitives) {
                        let Some(expected) = expected.as_ref().filter(|_| !primitive.kind.contains("morph"))
                        else {
                            continue;
                        };
                        let part = file.parts.iter().find(|part| {
                            part.source_node as usize == primitive.node
                                && part.source_primitive as usize == primitive.primitive
                        });
                        let part = part.expect("a part for every primitive");
                        let found = posed_vertices(&file, part, &palette, primitive.vertices.iter().copied());
                        for (found, expected) in found.iter().zip(&expected.positions) {
                            worst = worst.max(golden::distance(found.position.map(f64::from), *expected));
                            positions += 1;
                        }
                    }
                }
            }
            if worst > allowed {
                problems
                    .push(format!("{} {encoding:?}: {worst} m, stated {allowed}", golden.model.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    if !goldens.is_empty() {
        assert!(positions > 50_000, "{positions} positions");
    }
}
