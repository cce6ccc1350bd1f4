//! How instances move and look, each for itself: no state of one leaks into another, or from crowd to crowd.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_format::AnimFile;
use anim_format::model::{Encoding, Rows};
use anim_tests::gpu;
use anim_tests::picture::{self, Picture};
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, Rig, narrow, share};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, Instance, InstanceHandle, Lighting, ModelSource, View,
};

const DAY_SECONDS: f64 = 86_400.0;

fn at(x: f32, y: f32, z: f32) -> Rows {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

fn exact(name: &str) -> AnimFile<'static> {
    rigs::sample(name, &BakeSettings { encodings: vec![Encoding::Affine32], ..BakeSettings::default() })
}

#[test]
fn instances_of_one_draw_play_their_own_clips_at_their_own_times() {
    let file = exact("biped");
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    for (clip, phase) in [(1, 0.0), (2, 0.0), (1, 0.4), (1, 0.0)] {
        stage.crowd.add(&Instance { clip, phase, ..Instance::default() }).expect("room");
    }
    stage.prepare(&[ALL]);
    let count = stage.crowd.vertex_count(0) as usize;
    let body = format!(
        "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
            let found = anim_skin(vertex, instance_index);
            let pixel = anim_instance(found.place) * {count}u + vertex_index;
            return Probed(pixel, vec4<f32>(found.model_position, 1.0), vec4<f32>());
        }}"
    );
    let [found, _] = stage.probe().points(&stage.crowd, 1, 4 * count as u32, &body, |_, _| true);
    let of: Vec<&[[f32; 4]]> = found.chunks(count).collect();
    assert_eq!(of[0], of[3]);
    assert!(of[0] != of[1] && of[0] != of[2] && of[1] != of[2]);
}

#[test]
fn velocities_over_hours_agree_with_the_cpu_and_end_where_they_should() {
    let file = exact("bird");
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let handles: Vec<InstanceHandle> = (0..4)
        .map(|_| {
            stage
                .crowd
                .add(&Instance { world_from_model: at(1.0, 2.0, 3.0), ..Instance::default() })
                .expect("room")
        })
        .collect();
    let check = |stage: &mut Stage, expected_x: f64| {
        stage.prepare(&[ALL]);
        let rows = stage.probe().world_rows(&stage.crowd, 1, 4);
        for handle in &handles {
            let expected = stage.crowd.world_from_model(*handle).expect("an instance");
            let found = rows[handle.index() as usize].expect("a visible instance");
            for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
                assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found} {expected}");
            }
        }
        let x = f64::from(stage.crowd.world_from_model(handles[1]).expect("an instance")[0][3]);
        // A tick is 23 micrometres long at this speed.
        assert!((x - expected_x).abs() <= 1e-6 * expected_x.abs() + 3e-5, "{x} instead of {expected_x}");
        let still = stage.crowd.world_from_model(handles[0]).expect("an instance");
        assert_eq!(still, at(1.0, 2.0, 3.0), "its neighbour moves, not it");
    };
    stage.crowd.update(10.0);
    stage.crowd.set_velocity(handles[1], [1.5, 0.0, 0.0]).expect("an instance");
    stage.crowd.set_velocity(handles[2], [0.0, -0.25, 0.1]).expect("an instance");
    for seconds in [0.0, 0.016, 60.0, 3.0 * 3600.0 + 0.5, 20.0 * DAY_SECONDS] {
        stage.crowd.update(10.0 + seconds);
        check(&mut stage, 1.0 + 1.5 * seconds);
    }
    let uploaded = stage.crowd.uploaded_bytes();
    assert!(uploaded < 4096, "{uploaded} bytes for moving instances");
    // Put somewhere else it goes on from there; stopped, it stays where it has come to.
    stage.crowd.set_transform(handles[1], &at(-5.0, 0.0, 0.0)).expect("an instance");
    check(&mut stage, -5.0);
    stage.crowd.update(20.0 * DAY_SECONDS + 12.0);
    check(&mut stage, -2.0);
    stage.crowd.set_velocity(handles[1], [0.0; 3]).expect("an instance");
    stage.crowd.update(20.0 * DAY_SECONDS + 500.0);
    check(&mut stage, -2.0);
    // A new instance with the number of one that moved stands still.
    stage.crowd.remove(handles[2]).expect("an instance");
    let heir = stage
        .crowd
        .add(&Instance { world_from_model: at(1.0, 2.0, 3.0), ..Instance::default() })
        .expect("room");
    assert_eq!(heir.index(), handles[2].index());
    stage.crowd.update(20.0 * DAY_SECONDS + 600.0);
    stage.prepare(&[ALL]);
    let rows = stage.probe().world_rows(&stage.crowd, 1, 4);
    assert_eq!(rows[heir.index() as usize], Some(at(1.0, 2.0, 3.0)));
}

#[test]
fn transforms_that_the_gpu_wrote_stay_when_neighbours_change() {
    let file = exact("bird");
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let count = 70u32;
    let add = |crowd: &mut Crowd| crowd.add(&Instance::default()).expect("room");
    let handles: Vec<InstanceHandle> = (0..count).map(|_| add(&mut stage.crowd)).collect();
    stage.crowd.reserve(&stage.device, &stage.queue, 128).expect("a few");
    stage.prepare(&[ALL]);
    let mut expected: Vec<Rows> = (0..count).map(|number| at(number as f32, 5.0, 0.0)).collect();
    let written = gpu::storage_buffer(&stage.device, &stage.queue, &expected);
    gpu::copy(&stage.device, &stage.queue, &written, stage.crowd.transform_buffer().expect("palettes"));

    // Everything that changes one instance: what the CPU says of it, and nothing of the others.
    stage.crowd.set_transform(handles[7], &at(-7.0, 0.0, 0.0)).expect("an instance");
    expected[7] = at(-7.0, 0.0, 0.0);
    stage.crowd.set_transforms(10..13, &[at(-1.0, 0.0, 0.0); 3]).expect("three");
    expected[10..13].fill(at(-1.0, 0.0, 0.0));
    stage.crowd.remove(handles[20]).expect("an instance");
    assert_eq!(add(&mut stage.crowd).index(), 20);
    expected[20] = at(0.0, 0.0, 0.0);
    add(&mut stage.crowd);
    expected.push(at(0.0, 0.0, 0.0));
    stage.crowd.play(handles[30], 1, 0.5).expect("an instance");
    stage.crowd.set_color(handles[31], [1.0; 4]).expect("an instance");
    // It moves from where it is on the GPU, and so does one that is stopped before the clock goes on.
    for (number, velocity) in [(40usize, [2.0, 0.0, 0.0]), (41, [0.0; 3])] {
        stage.crowd.set_velocity(handles[number], velocity).expect("an instance");
    }
    stage.crowd.update(1.5);
    expected[40][0][3] += 3.0;
    stage.prepare(&[ALL]);
    let found = stage.probe().world_rows(&stage.crowd, 1, count + 1);
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.as_ref(), Some(expected), "instance {number}");
    }
}

/// Colours, numbers and hidden parts as shaders read them: one entry an instance and part.
fn looks(stage: &Stage, instances: u32, parts: u32) -> [Vec<[f32; 4]>; 2] {
    let body = format!(
        "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
            let place = anim_place(instance_index);
            let pixel = anim_instance(place) * {parts}u + anim_draw.part;
            let shown = select(1.0, 2.0, anim_part_is_hidden(place));
            return Probed(pixel, anim_color(place), vec4<f32>(f32(anim_user_data(place)), shown, vertex.position.xy));
        }}"
    );
    stage.probe().points(&stage.crowd, 1, instances * parts, &body, |_, _| true)
}

#[test]
fn colours_numbers_and_parts_are_each_instances_own_also_beyond_64_parts() {
    let parts = 70u32;
    let rig =
        Rig { joints: 1, triangles: 1, parts, rigid_parts: 0, clips: 1, scales: false, ..Rig::default() };
    let file = rigs::random_file(&rig, &mut Random(5), &BakeSettings::default());
    // With room for a list a part, and without: then the vertex shader looks at the mask.
    for binding_bytes in [1 << 27, 1 << 16] {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: binding_bytes, ..wgpu::Limits::default() };
        let (device, queue) = gpu::device_with_limits(limits);
        let mut stage = Stage::on(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default());
        let mut random = Random(14);
        let count = 300u32;
        let mut expected = Vec::new();
        for number in 0..count {
            let part_mask = match number % 4 {
                0 => u64::MAX,
                1 => 0,
                _ => u64::from(random.next()) | u64::from(random.next()) << 32,
            };
            let color = [narrow(share(&mut random)), 1.0, 0.0, narrow(share(&mut random))];
            let handle = stage
                .crowd
                .add(&Instance { color, user_data: number * 7, part_mask, ..Instance::default() })
                .expect("room");
            expected.push((handle, color, number * 7, part_mask, false));
        }
        for (number, (handle, color, user_data, part_mask, hidden)) in expected.iter_mut().enumerate() {
            if number % 3 == 0 {
                (*color, *user_data, *part_mask) = ([0.0, 0.5, 1.0, 1.0], 99, !*part_mask);
                stage.crowd.set_color(*handle, *color).expect("an instance");
                stage.crowd.set_user_data(*handle, *user_data).expect("an instance");
                stage.crowd.set_part_mask(*handle, *part_mask).expect("an instance");
            }
            *hidden = number % 10 == 0;
            stage.crowd.set_hidden(*handle, *hidden).expect("an instance");
        }
        stage.prepare(&[ALL]);
        let [colors, found] = looks(&stage, count, parts);
        let mut hidden_parts = 0;
        for (number, (_, color, user_data, part_mask, hidden)) in expected.iter().enumerate() {
            for part in 0..parts {
                let at = number * parts as usize + part as usize;
                let shown = !hidden && (part >= 64 || part_mask >> part & 1 == 1);
                assert_eq!(found[at][1] == 1.0, shown, "instance {number} part {part}: {:?}", found[at]);
                hidden_parts += u32::from(found[at][1] == 2.0);
                if shown {
                    assert_eq!(found[at][0], *user_data as f32);
                    for (found, expected) in colors[at].iter().zip(color) {
                        assert!((found - expected).abs() < 0.003, "{found} {expected}");
                    }
                }
            }
        }
        assert_eq!(hidden_parts > 0, binding_bytes < 1 << 20, "which way it is done");
    }
}

fn draw(stage: &Stage, crowds: &mut [Crowd], view: &View) -> Picture {
    let pipelines: Vec<CrowdPipelines> = crowds
        .iter()
        .map(|crowd| CrowdPipelines::new(&stage.device, crowd, &picture::target()).expect("a target"))
        .collect();
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    for crowd in crowds.iter_mut() {
        crowd
            .prepare(&stage.device, &stage.queue, &mut encoder, std::slice::from_ref(view))
            .expect("a small crowd");
    }
    picture::draw_with(&stage.device, &stage.queue, encoder, (96, 64), |pass| {
        for (crowd, pipelines) in crowds.iter().zip(&pipelines) {
            crowd.draw(pass, pipelines, 0);
        }
    })
}

#[test]
fn crowds_of_other_files_and_of_the_same_one_do_not_touch_each_other_in_a_frame() {
    let (bird, biped) = (exact("bird"), exact("biped"));
    let stage = Stage::new(&[&bird], &CrowdSettings::default());
    let view = View::look_at([0.0, 1.0, 12.0], [0.0, 1.0, 0.0], 0.5, 1.5, 0.1, 100.0);
    let make = |number: usize| {
        let (file, clip) = [(&biped, 1), (&bird, 0), (&biped, 2), (&bird, 1)][number];
        let mut crowd =
            Crowd::new(&stage.device, &stage.queue, &[ModelSource::new(file)], &CrowdSettings::default())
                .expect("a sample");
        let world_from_model = at(number as f32 * 2.4 - 3.6, 0.0, 0.0);
        let color = [1.0, 0.4 + number as f32 * 0.2, 0.5, 1.0];
        crowd.add(&Instance { world_from_model, clip, color, ..Instance::default() }).expect("room");
        crowd.update(0.3 + number as f64 * 0.21);
        crowd
    };
    let background = draw(&stage, &mut [], &view);
    let alone: Vec<Picture> = (0..4).map(|number| draw(&stage, &mut [make(number)], &view)).collect();
    let together = draw(&stage, &mut [make(0), make(1), make(2), make(3)], &view);
    let mut drawn = [0; 4];
    for (at, pixel) in together.pixels.chunks(4).enumerate() {
        let of = |picture: &Picture| picture.pixels[at * 4..at * 4 + 4].to_vec();
        let owner = (0..4).find(|number| of(&alone[*number]) != of(&background));
        assert_eq!(pixel, owner.map_or_else(|| of(&background), |number| of(&alone[number])), "pixel {at}");
        if let Some(owner) = owner {
            drawn[owner] += 1;
        }
    }
    assert!(drawn.iter().all(|pixels| *pixels > 4), "{drawn:?}");
}

#[test]
fn a_mirrored_instance_is_the_mirror_picture_of_one_that_is_not() {
    let file = exact("biped");
    let stage = Stage::new(&[&file], &CrowdSettings::default());
    let pictures = [1.0f32, -1.0].map(|mirror| {
        let mut crowd =
            Crowd::new(&stage.device, &stage.queue, &[ModelSource::new(&file)], &CrowdSettings::default())
                .expect("a sample");
        crowd.set_lighting(&Lighting { to_sun: [0.0, 0.5, 1.0], ..Lighting::default() });
        let mut world_from_model = [[0.8, 0.0, 0.6, 0.3], [0.0, 1.0, 0.0, 0.0], [-0.6, 0.0, 0.8, 0.0]];
        world_from_model[0] = world_from_model[0].map(|v| v * mirror);
        crowd.add(&Instance { world_from_model, clip: 1, ..Instance::default() }).expect("room");
        crowd.update(0.4);
        let view = View::look_at([0.0, 1.2, 4.0], [0.0, 0.9, 0.0], 0.6, 1.5, 0.1, 100.0);
        draw(&stage, &mut [crowd], &view)
    });
    let [straight, mirrored] = &pictures;
    let rows = mirrored.pixels.chunks(mirrored.width as usize * 4);
    let flipped: Vec<u8> =
        rows.flat_map(|row| row.chunks(4).rev().flatten().copied().collect::<Vec<u8>>()).collect();
    let flipped = Picture { pixels: flipped, ..straight.clone() };
    let (over, mean) = picture::difference(straight, &flipped, 24);
    assert!(over < 0.01, "{over} of the pixels, mean {mean}");
    let (over, _) = picture::difference(straight, mirrored, 24);
    assert!(over > 0.02, "the pose is not symmetric, else nothing was tested: {over}");
}
