//! Direct evaluation of a source agrees with two other engines.

use anim_bake::evaluate::{ClipCurves, MeshInstance, posed_vertices};
use anim_core::error_metric::angle_degrees;
use anim_tests::{golden, models};

#[test]
fn direct_evaluation_of_every_model_agrees_with_other_engines() {
    let goldens = golden::all();
    let mut problems = Vec::new();
    let (mut positions, mut normals) = (0, 0);
    for golden in &goldens {
        let import = models::import(&golden.model);
        let asset = &import.asset;
        let mut worst = (0.0f64, 0.0f64);
        for clip in &golden.clips {
            let source = clip.index.map(|i| &asset.clips[i]);
            if let Some(source) = source {
                let end = f64::from(source.end_seconds());
                assert!((end - clip.duration_seconds).abs() < 1e-5, "{}: {end}", golden.model.display());
            }
            let curves = ClipCurves::new(asset, source);
            for sample in &clip.samples {
                let model_from_node = curves.model_poses(sample.time_seconds);
                for (primitive, expected) in golden.primitives.iter().zip(&sample.primitives) {
                    let Some(expected) = expected else { continue };
                    let instance = MeshInstance {
                        node: primitive.node,
                        mesh: primitive.mesh,
                        primitive: primitive.primitive,
                    };
                    let weights = curves.morph_weights(primitive.node, sample.time_seconds);
                    let found = posed_vertices(
                        asset,
                        instance,
                        &model_from_node,
                        &weights,
                        Some(&primitive.vertices),
                    );
                    assert_eq!(found.positions.len(), expected.positions.len());
                    for (found, expected) in found.positions.iter().zip(&expected.positions) {
                        worst.0 = worst.0.max(golden::distance(*found, *expected) / golden.model_size);
                        positions += 1;
                    }
                    if let (Some(found), Some(expected)) = (&found.normals, &expected.normals) {
                        for (found, expected) in found.iter().zip(expected) {
                            worst.1 = worst.1.max(angle_degrees(*found, *expected));
                            normals += 1;
                        }
                    }
                }
            }
        }
        if worst.0 > golden.tolerance || worst.1 > 0.1 {
            problems.push(format!("{}: {:e} of size, {} degrees", golden.model.display(), worst.0, worst.1));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    if !goldens.is_empty() {
        assert!(goldens.len() >= 50, "{} golden models", goldens.len());
        assert!(positions > 25_000 && normals > 20_000, "{positions} positions, {normals} normals");
    }
}
