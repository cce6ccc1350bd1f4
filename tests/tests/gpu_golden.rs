//! What the GPU draws of every model of the corpus agrees with other engines within the error that its file states.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_tests::golden::{self, Golden};
use anim_tests::stage::{ALL, Stage};
use anim_tests::{gpu, models};
use anim_wgpu::{CrowdSettings, Instance};

/// No pixel is read for the vertex.
const UNLISTED: u32 = u32::MAX;

/// Largest distance to the golden positions of a model in metres, what is allowed, and positions compared; `None` if the
/// model cannot be baked or nothing of it is drawn.
fn check(golden: &Golden) -> Option<(f64, f64, u32)> {
    let import = models::import(&golden.model);
    let file = match bake_import(&import, &BakeSettings::default()) {
        Ok(baked) => baked.file,
        Err(error) => {
            assert!(golden.primitives.is_empty(), "{}: {error}", golden.model.display());
            return None;
        }
    };
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    if stage.crowd.vertex_count(0) == 0 {
        return None;
    }
    // One instance for each sample, standing still at its time.
    let mut samples = Vec::new();
    for clip in &golden.clips {
        for sample in &clip.samples {
            let number = clip.index.unwrap_or(0) as u32;
            let instance = Instance { clip: number, speed: 0.0, ..Instance::default() };
            let handle = stage.crowd.add(&instance).expect("room");
            stage.crowd.seek(handle, sample.time_seconds).expect("an instance");
            samples.push((number as usize, sample));
        }
    }
    // Which golden position each vertex of the stream is.
    let mut slots = vec![UNLISTED; stage.crowd.vertex_count(0) as usize];
    let mut listed = 0u32;
    let mut first_slots = Vec::new();
    for primitive in &golden.primitives {
        first_slots.push(listed);
        let of_primitive = |part: &&anim_format::model::Part<'_>| {
            part.source_node as usize == primitive.node
                && part.source_primitive as usize == primitive.primitive
        };
        let part = file.parts.iter().find(of_primitive).expect("a part for every primitive");
        for vertex in &primitive.vertices {
            slots[(part.first_vertex + vertex) as usize] = listed;
            listed += 1;
        }
    }
    let slots = gpu::storage_buffer(&stage.device, &stage.queue, &slots);
    let body = format!(
        "@group(1) @binding(0) var<storage, read> slots: array<u32>;
        fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
            let slot = slots[vertex_index];
            if slot == {UNLISTED}u {{
                return Probed({UNLISTED}u, vec4<f32>(), vec4<f32>());
            }}
            let found = anim_skin(vertex, instance_index);
            let pixel = anim_instance(found.place) * {listed}u + slot;
            return Probed(pixel, vec4<f32>(found.world_position, 1.0), vec4<f32>());
        }}"
    );
    stage.prepare(&[ALL]);
    let probe = anim_tests::probe::Probe { extra: Some(&slots), ..stage.probe() };
    let [found, _] = probe.points(&stage.crowd, 1, listed * samples.len() as u32, &body, |_, _| true);
    let (mut worst, mut compared) = (0.0f64, 0);
    for (instance, (clip, sample)) in samples.iter().enumerate() {
        let bounds = &file.clips[*clip].bounds;
        for ((primitive, expected), first) in
            golden.primitives.iter().zip(&sample.primitives).zip(&first_slots)
        {
            let at = instance * listed as usize + *first as usize;
            let found = &found[at..at + primitive.vertices.len()];
            for [x, y, z, drawn] in found.iter().copied() {
                let from_center =
                    golden::distance([x, y, z].map(f64::from), bounds.sphere_center.map(f64::from));
                assert!(
                    drawn == 0.0 || from_center <= f64::from(bounds.sphere_radius),
                    "{}: a vertex outside the ball of clip {clip}",
                    golden.model.display()
                );
            }
            let Some(expected) = expected.as_ref().filter(|_| !primitive.kind.contains("morph")) else {
                continue;
            };
            for ([x, y, z, drawn], expected) in found.iter().copied().zip(&expected.positions) {
                if drawn == 1.0 {
                    worst = worst.max(golden::distance([x, y, z].map(f64::from), *expected));
                    compared += 1;
                }
            }
        }
    }
    let accuracy = &file.metadata.as_ref().expect("metadata").accuracy[0];
    Some((worst, accuracy.total_max_metres + golden.tolerance * golden.model_size, compared))
}

#[test]
fn what_is_drawn_of_every_model_is_within_its_stated_error_of_other_engines() {
    let goldens = golden::all();
    let mut problems = Vec::new();
    let mut positions = 0;
    for golden in &goldens {
        let Some((worst, allowed, compared)) = check(golden) else { continue };
        if worst > allowed {
            problems.push(format!("{}: {worst} m, stated {allowed}", golden.model.display()));
        }
        positions += compared;
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    if !goldens.is_empty() {
        assert!(positions > 25_000, "{positions} positions");
    }
}
