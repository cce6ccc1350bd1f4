//! Instances that hang on others, as the GPU places, culls and draws them, against the CPU's matrices.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_core::clock::ticks_from_seconds;
use anim_core::glam::DVec3;
use anim_core::matrix_rows::affine_from_rows;
use anim_format::AnimFile;
use anim_format::model::{Encoding, Rows, Track};
use anim_format::playback::{palette_of_layers, posed_vertices};
use anim_tests::cameras::{KINDS, random_view, sees};
use anim_tests::gltf_builder::GltfBuilder;
use anim_tests::picture::{self, Picture};
use anim_tests::random_layers::{Random, add_random_masks};
use anim_tests::rigs::{self, Rig, narrow, share};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, GpuError, Instance, InstanceHandle, ModelSource, PathChoice,
    PlayOptions, View,
};
use serde_json::json;

const IDENTITY: Rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn at(x: f32, y: f32, z: f32) -> Rows {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

fn with_points(names: &[&str]) -> BakeSettings {
    BakeSettings { attach: names.iter().map(|name| (*name).to_owned()).collect(), ..BakeSettings::default() }
}

/// Horse, biped, bird.
fn samples(encoding: Encoding) -> [AnimFile<'static>; 3] {
    let baked = |name, points: &[&str]| {
        rigs::sample(name, &BakeSettings { encodings: vec![encoding], ..with_points(points) })
    };
    [baked("horse", &["loin", "head"]), baked("biped", &["hips", "hand_l"]), baked("bird", &["head", "tail"])]
}

fn add(crowd: &mut Crowd, model: u32, world_from_model: Rows) -> InstanceHandle {
    crowd.add(&Instance { model, world_from_model, ..Instance::default() }).expect("room")
}

fn point(crowd: &Crowd, model: u32, name: &str) -> u32 {
    crowd.attachment_index(model, name).expect("an attachment point")
}

/// Largest difference between where the GPU and the CPU have the instances.
fn apart(stage: &Stage, handles: &[InstanceHandle]) -> f32 {
    let found = stage.probe().world_rows(&stage.crowd, 1, handles.len() as u32);
    let mut largest = 0.0f32;
    for handle in handles {
        let found = found[handle.index() as usize].expect("a visible instance");
        let expected = stage.crowd.world_from_model(*handle).expect("an instance");
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            largest = largest.max((found - expected).abs());
        }
    }
    largest
}

#[test]
fn riders_and_swords_follow_their_points_through_frames_and_fades() {
    let mut random = Random(6);
    for (encoding, force_texture_pages) in
        [(Encoding::Affine16, false), (Encoding::Affine16, true), (Encoding::Local8, false)]
    {
        let mut files = samples(encoding);
        if encoding == Encoding::Local8 {
            files.iter_mut().for_each(|file| add_random_masks(file, 2, &mut random));
        }
        let size = files.iter().map(|file| file.extent.model_size_metres).fold(0.0, f32::max);
        let settings = CrowdSettings { force_texture_pages, ..CrowdSettings::default() };
        let mut stage = Stage::new(&[&files[0], &files[1], &files[2]], &settings);
        let crowd = &mut stage.crowd;
        let mut handles = Vec::new();
        for troop in 0..6u8 {
            // Children have lower numbers than parents as often as higher ones.
            let mut troop_handles: Vec<InstanceHandle> =
                [2, 1, 0, 2, 2].map(|model| add(crowd, model, at(0.1, 0.02, 0.0))).into();
            let [bird_a, rider, horse, bird_b, bird_c] = troop_handles[..] else { panic!("five") };
            crowd.set_transform(horse, &at(f32::from(troop) * 3.0, 0.5, -1.0)).expect("an instance");
            let points = [
                point(crowd, 0, "loin"),
                point(crowd, 1, "socket_hand_r"),
                point(crowd, 2, "head"),
                point(crowd, 2, "tail"),
            ];
            // From the bottom up, and from the top down.
            let mut links = [
                (rider, horse, points[0]),
                (bird_a, rider, points[1]),
                (bird_b, bird_a, points[2]),
                (bird_c, bird_b, points[3]),
            ];
            if troop % 2 == 1 {
                links.reverse();
            }
            for (child, parent, point) in links {
                crowd.attach(child, parent, point).expect("four below each other");
                assert_eq!(crowd.parent(child), Ok(Some(parent)));
            }
            handles.append(&mut troop_handles);
        }
        let clips = [2, 6, 2];
        for frame in 0..40 {
            stage.crowd.update(3.0 + f64::from(frame) * 0.11);
            for handle in &handles {
                if random.below(5) == 0 {
                    let model = [2usize, 1, 0, 2, 2][handle.index() as usize % 5];
                    let clip = random.below(clips[model]);
                    let mask = random.below(4).checked_sub(2).filter(|_| encoding == Encoding::Local8);
                    let fade_seconds = narrow(share(&mut random) * 0.6);
                    let options = PlayOptions { mask, ..PlayOptions::new(clip, fade_seconds) };
                    stage.crowd.play_with(*handle, &options).expect("a clip");
                    if random.below(4) == 0 {
                        stage.crowd.stop_masked(*handle, fade_seconds).expect("an instance");
                    }
                }
            }
            stage.prepare(&[ALL]);
            let off = apart(&stage, &handles);
            assert!(off < 1e-5 * size, "frame {frame}: {off}");
        }
        // What hangs exactly on a point is where game code finds the point.
        let rider = handles[1];
        let hand = point(&stage.crowd, 1, "hand_l");
        let sword = add(&mut stage.crowd, 2, IDENTITY);
        stage.crowd.attach(sword, rider, hand).expect("room below the rider");
        stage.prepare(&[ALL]);
        let expected = stage.crowd.attachment_matrix(rider, hand).expect("a point");
        let found = stage.crowd.world_from_model(sword).expect("an instance");
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!(
                (found - expected).abs() < 1e-5 * size,
                "the bird has no node hand_l: its origin is on the point"
            );
        }
    }
}

#[test]
fn a_node_of_the_points_name_in_the_child_is_laid_on_the_point() {
    let file = rigs::sample("biped", &with_points(&["hand_r"]));
    let mut stage = Stage::new(&[&file, &file], &CrowdSettings::default());
    let parent = add(&mut stage.crowd, 0, at(1.0, 0.0, 2.0));
    let child = add(&mut stage.crowd, 1, IDENTITY);
    let hand = point(&stage.crowd, 0, "hand_r");
    stage.crowd.attach(child, parent, hand).expect("two bipeds hand in hand");
    stage.crowd.update(0.4);
    stage.prepare(&[ALL]);
    assert!(apart(&stage, &[parent, child]) < 1e-5 * file.extent.model_size_metres);
    let world_from_child = affine_from_rows(&stage.crowd.world_from_model(child).expect("an instance"));
    let node = file.nodes.iter().position(|node| node.name == "hand_r").expect("a hand");
    let child_from_hand = anim_format::playback::rest_model_poses(&file)[node];
    let hand = affine_from_rows(&stage.crowd.attachment_matrix(parent, hand).expect("a point"));
    let off = (world_from_child * child_from_hand).translation - hand.translation;
    assert!(off.length() < 1e-4, "{off}");
}

#[test]
fn points_follow_the_page_set_that_is_played() {
    let bake = |encoding| {
        rigs::sample("bird", &BakeSettings { encodings: vec![encoding], ..with_points(&["wing_outer_l"]) })
    };
    let (mut file, exact) = (bake(Encoding::Affine16), bake(Encoding::Affine32));
    file.page_sets.extend(exact.page_sets);
    for (clip, exact) in file.clips.iter_mut().zip(exact.clips) {
        clip.tracks.extend(exact.tracks.into_iter().map(|track| Track { page_set: 1, ..track }));
    }
    for page_set in [0, 1] {
        let source = ModelSource { page_set, ..ModelSource::new(&file) };
        let mut stage = Stage::of_sources(&[source], &CrowdSettings::default());
        let parent = add(&mut stage.crowd, 0, IDENTITY);
        let child = add(&mut stage.crowd, 0, IDENTITY);
        let wing = point(&stage.crowd, 0, "wing_outer_l");
        stage.crowd.attach(child, parent, wing).expect("a point");
        stage.crowd.update(0.37);
        stage.prepare(&[ALL]);
        let off = apart(&stage, &[parent, child]);
        assert!(off < 1e-6 * file.extent.model_size_metres, "page set {page_set}: {off}");
    }
}

/// Points of an instance in the world: every vertex of the moment.
fn points_of(crowd: &Crowd, file: &AnimFile<'_>, handle: InstanceHandle, now_seconds: f64) -> Vec<DVec3> {
    let layers = *crowd.layer_stack(handle).expect("an instance").gpu_layers();
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    palette_of_layers(file, &layers, ticks_from_seconds(now_seconds), &mut palette);
    let world_from_model = affine_from_rows(&crowd.world_from_model(handle).expect("an instance"));
    let vertices =
        file.parts.iter().flat_map(|part| posed_vertices(file, part, &palette, 0..part.vertex_count));
    vertices
        .map(|v| world_from_model.transform_point3(DVec3::from_array(v.position.map(f64::from))))
        .collect()
}

#[test]
fn what_the_program_hid_stays_hidden_when_it_comes_off() {
    let files = samples(Encoding::Affine16);
    let mut stage = Stage::new(&files.each_ref(), &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let loin = point(crowd, 0, "loin");
    let horse = add(crowd, 0, IDENTITY);
    let [alone, rider, hidden_rider, hidden_later, shown_later] =
        [1; 5].map(|model| add(crowd, model, IDENTITY));
    for child in [rider, hidden_rider, hidden_later, shown_later] {
        crowd.attach(child, horse, loin).expect("a rider");
    }
    for hidden in [alone, hidden_rider] {
        crowd.set_hidden(hidden, true).expect("an instance");
    }
    let shown = |stage: &mut Stage| -> Vec<bool> {
        stage.prepare(&[ALL]);
        stage.probe().world_rows(&stage.crowd, 1, 6).iter().map(Option::is_some).collect()
    };
    assert_eq!(shown(&mut stage), [true, false, true, false, true, true]);
    stage.crowd.remove(horse).expect("an instance");
    assert_eq!(shown(&mut stage), [false; 6]);
    stage.crowd.set_hidden(hidden_later, true).expect("an instance");
    stage.crowd.set_hidden(shown_later, false).expect("an instance");
    for child in [alone, rider, hidden_rider, hidden_later, shown_later] {
        stage.crowd.detach(child).expect("an instance");
    }
    assert_eq!(shown(&mut stage), [false, false, true, false, false, true]);
    // A number of one that was hidden so says nothing about its next owner.
    let horse = add(&mut stage.crowd, 0, IDENTITY);
    stage.crowd.attach(rider, horse, loin).expect("a rider");
    stage.crowd.remove(horse).expect("an instance");
    stage.crowd.remove(rider).expect("an instance");
    let heir = add(&mut stage.crowd, 1, IDENTITY);
    assert_eq!(heir.index(), rider.index());
    stage.crowd.set_hidden(heir, true).expect("an instance");
    stage.crowd.detach(heir).expect("an instance");
    assert_eq!(shown(&mut stage), [false, false, false, false, false, true]);
}

#[test]
fn whatever_hangs_into_a_view_is_in_its_lists_however_far_from_its_parent() {
    for encoding in [Encoding::Affine16, Encoding::Local8] {
        lists_whatever_hangs(encoding);
    }
}

fn lists_whatever_hangs(encoding: Encoding) {
    let mut random = Random(12);
    let settings = BakeSettings { encodings: vec![encoding], ..with_points(&["joint_2", "joint_5"]) };
    let mut files: Vec<AnimFile<'static>> =
        (0..2).map(|_| rigs::random_file(&Rig::default(), &mut random, &settings)).collect();
    files.iter_mut().for_each(|file| add_random_masks(file, 2, &mut random));
    let (mut shown, mut listed, mut far_out) = (0u32, 0u32, 0u32);
    let mut stage = Stage::new(&[&files[0], &files[1]], &CrowdSettings::default());
    let mut handles: Vec<InstanceHandle> = Vec::new();
    for round in 0..60u32 {
        let crowd = &mut stage.crowd;
        for handle in handles.drain(..) {
            crowd.remove(handle).expect("an instance");
        }
        handles =
            (0..30).map(|n| add(crowd, n % 2, rigs::random_transform(15.0, 1.0, &mut random))).collect();
        for (number, child) in handles.iter().enumerate() {
            let parent = handles[random.below(30) as usize];
            if number % 5 != 0 && crowd.attach(*child, parent, random.below(2)).is_ok() {
                let reach = [0.3, 3.0, 10.0][random.below(3) as usize];
                let rows = rigs::random_transform(reach, 0.7, &mut random);
                crowd.set_transform(*child, &rows).expect("an instance");
            }
        }
        let now_seconds = 2.0 + f64::from(round);
        for handle in &handles {
            crowd.update(now_seconds - 0.5 * share(&mut random));
            for mask in [None, random.below(4).checked_sub(2)] {
                let options = PlayOptions {
                    phase: narrow(share(&mut random)),
                    mask,
                    ..PlayOptions::new(random.below(4), narrow(share(&mut random)))
                };
                crowd.play_with(*handle, &options).expect("a clip");
            }
        }
        crowd.update(now_seconds);
        let views: Vec<View> =
            (0..16).map(|n| random_view((round + n) % KINDS, DVec3::ZERO, 20.0, &mut random)).collect();
        stage.prepare(&views);
        let mut is_listed = vec![[false; 30]; 16];
        for list in stage.lists(16, 30, 16 * 2 * 2 * 2) {
            for instance in list.instances {
                is_listed[list.view as usize][instance as usize] = true;
            }
        }
        for (number, handle) in handles.iter().enumerate() {
            let points = points_of(&stage.crowd, &files[number % 2], *handle, now_seconds);
            let hangs = stage.crowd.parent(*handle).expect("an instance").is_some();
            for (view_number, view) in views.iter().enumerate() {
                let is_shown = points.iter().any(|point| sees(view, *point));
                let is_listed = is_listed[view_number][number];
                assert!(is_listed || !is_shown, "round {round}: {number} in view {view_number}");
                shown += u32::from(is_shown);
                listed += u32::from(is_listed);
                far_out += u32::from(is_shown && hangs);
            }
        }
    }
    assert!(shown > 3000 && far_out > 1000, "{shown} {far_out}");
    // The ball of a point of local tracks holds in any fade, and is larger.
    let most = if encoding == Encoding::Local8 { 99 } else { 95 };
    assert!(listed < 60 * 16 * 30 * most / 100, "{listed} listed");
}

#[test]
fn instances_come_off_and_go_on_again() {
    let files = samples(Encoding::Affine16);
    let mut stage = Stage::new(&[&files[0], &files[1], &files[2]], &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let (loin, hand, head) = (point(crowd, 0, "loin"), point(crowd, 1, "hand_l"), point(crowd, 2, "head"));
    let horses = [0.0, 5.0].map(|x| add(crowd, 0, at(x, 0.0, 0.0)));
    let rider = add(crowd, 1, IDENTITY);
    let bird = add(crowd, 2, IDENTITY);
    crowd.attach(rider, horses[0], loin).expect("a rider");
    crowd.attach(bird, rider, hand).expect("a bird");
    let all = [horses[0], horses[1], rider, bird];

    // To another parent, with all that hangs on it.
    crowd.attach(rider, horses[1], loin).expect("another horse");
    stage.prepare(&[ALL]);
    assert!(apart(&stage, &all) < 3e-5);
    assert!(stage.crowd.world_from_model(bird).expect("an instance")[0][3] > 3.0);

    // What hung on a removed parent is hidden, and so is what hangs on that.
    let crowd = &mut stage.crowd;
    crowd.remove(horses[1]).expect("an instance");
    assert_eq!((crowd.parent(rider), crowd.parent(bird)), (Ok(None), Ok(Some(rider))));
    stage.prepare(&[ALL]);
    let rows = stage.probe().world_rows(&stage.crowd, 1, 4);
    assert_eq!(rows.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, false]);

    // Detached, it stands where its own transform says; set to where it was, it stays there.
    let crowd = &mut stage.crowd;
    let there = at(2.0, 1.0, 0.5);
    crowd.set_transform(rider, &there).expect("an instance");
    crowd.detach(rider).expect("an instance");
    crowd.detach(rider).expect("nothing to do");
    assert_eq!(crowd.world_from_model(rider), Ok(there));
    stage.prepare(&[ALL]);
    assert!(apart(&stage, &[horses[0], rider, bird][..1]) < 3e-5);
    let rows = stage.probe().world_rows(&stage.crowd, 1, 4);
    assert_eq!(rows[rider.index() as usize], Some(there));
    assert!(rows[bird.index() as usize].is_some());

    // Not to itself, not in a ring, not to what is gone, not to points that are not there.
    let crowd = &mut stage.crowd;
    assert_eq!(crowd.attach(rider, rider, hand), Err(GpuError::AttachedToItself { index: rider.index() }));
    assert_eq!(crowd.attach(rider, bird, head), Err(GpuError::AttachedToItself { index: rider.index() }));
    assert!(matches!(crowd.attach(rider, horses[1], loin), Err(GpuError::NoSuchInstance { .. })));
    assert!(matches!(crowd.attach(horses[1], rider, hand), Err(GpuError::NoSuchInstance { .. })));
    assert!(matches!(crowd.attach(rider, horses[0], 99), Err(GpuError::NoSuchAttachment { number: 99, .. })));
    assert!(matches!(crowd.set_velocity(bird, [1.0; 3]), Err(GpuError::Attached { .. })));
    assert_eq!(crowd.parent(rider), Ok(None), "a refused request changes nothing");

    // Five below each other are refused, counted from both sides.
    crowd.attach(rider, horses[0], loin).expect("a rider");
    let birds: Vec<InstanceHandle> = (0..4).map(|_| add(crowd, 2, IDENTITY)).collect();
    crowd.attach(birds[1], birds[0], head).expect("two birds");
    crowd.attach(birds[2], birds[1], head).expect("three birds");
    assert_eq!(crowd.attach(birds[0], bird, head), Err(GpuError::AttachedTooDeep { depth: 5, limit: 4 }));
    crowd.attach(birds[1], bird, head).expect("four below the horse");
    assert_eq!(crowd.attach(birds[3], birds[2], head), Err(GpuError::AttachedTooDeep { depth: 5, limit: 4 }));
    assert_eq!(crowd.parent(birds[0]), Ok(None));
    stage.prepare(&[ALL]);
    assert!(apart(&stage, &[horses[0], rider, bird, birds[0], birds[1], birds[2], birds[3]]) < 3e-5);

    // Hidden parents hide what hangs on them.
    stage.crowd.set_hidden(rider, true).expect("an instance");
    stage.prepare(&[ALL]);
    let visible: Vec<u32> = stage.lists(1, 16, 40).into_iter().flat_map(|list| list.instances).collect();
    for (handle, expected) in
        [(horses[0], true), (rider, false), (bird, false), (birds[2], false), (birds[0], true)]
    {
        assert_eq!(visible.contains(&handle.index()), expected, "{handle:?}");
    }
}

/// A body with a pyramid, on whose joint others can hang; the joint is mirrored if asked for.
fn pyramid(mirrored_joint: bool) -> AnimFile<'static> {
    let mut g = GltfBuilder::new();
    let mirror = if mirrored_joint { -1.0 } else { 1.0 };
    let joint =
        g.node(None, json!({"name": "joint", "scale": [mirror, 1.0, 1.0], "translation": [0.2, 0.1, 0.0]}));
    let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.8, 0.0], [0.2, 0.1, 0.6]);
    let mesh = g.mesh(&[a, c, b, a, b, d, b, c, d, c, a, d], &[]);
    g.node(Some(joint), json!({"name": "body", "mesh": mesh}));
    g.clip("sway", &[(joint, "translation", "LINEAR", &[0.0, 1.0], &[0.2, 0.1, 0.0, 0.4, 0.1, 0.2])]);
    rigs::baked(&g, &with_points(&["joint"]))
}

fn draw(stage: &mut Stage) -> Picture {
    let view = View::look_at([1.5, 2.0, 5.0], [0.3, 0.3, 0.0], 0.9, 1.0, 0.1, 50.0);
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target");
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    stage.crowd.prepare(&stage.device, &stage.queue, &mut encoder, &[view]).expect("a small crowd");
    picture::draw(&stage.device, &stage.queue, encoder, (64, 64), &[(&stage.crowd, &pipelines)])
}

#[test]
fn mirrored_chains_show_the_right_sides_of_their_faces() {
    let mirror = [[-1.0, 0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let cases =
        [PathChoice::Palette, PathChoice::Direct].map(|path| (0..16u32).map(move |case| (path, case)));
    for (path, case) in cases.into_iter().flatten() {
        let bit = |n: u32| case >> n & 1 == 1;
        let files = [pyramid(bit(0)), pyramid(bit(1))];
        let settings = CrowdSettings { path, ..CrowdSettings::default() };
        let mut stage = Stage::new(&[&files[0], &files[1]], &settings);
        let parent = add(&mut stage.crowd, 0, if bit(2) { mirror } else { IDENTITY });
        let child = add(&mut stage.crowd, 1, if bit(3) { mirror } else { IDENTITY });
        stage.crowd.attach(child, parent, 0).expect("a point");
        // The parent itself is not drawn, so the child can be compared with one that hangs on nothing.
        stage.crowd.set_part_mask(parent, 0).expect("an instance");
        stage.crowd.update(0.3);
        let hanging = draw(&mut stage);
        let world_from_model = stage.crowd.world_from_model(child).expect("an instance");
        let mut alone = Stage::new(&[&files[1]], &CrowdSettings::default());
        add(&mut alone.crowd, 0, world_from_model);
        alone.crowd.update(0.3);
        let expected = draw(&mut alone);
        let (over, mean) = picture::difference(&hanging, &expected, 8);
        assert!(over < 0.002, "{path:?} {case:04b}: {over} of the pixels, mean {mean}");
    }
}

#[test]
fn parents_beyond_the_last_palette_carry_their_children_too() {
    for encoding in [Encoding::Affine16, Encoding::Local8] {
        carries_beyond_the_last_palette(&samples(encoding));
    }
}

fn carries_beyond_the_last_palette(files: &[AnimFile<'static>; 3]) {
    let rows = [u32::MAX, 1, 0].map(|max_visible| {
        let sources = [0, 1, 2].map(|n| ModelSource { max_visible, ..ModelSource::new(&files[n]) });
        let mut stage = Stage::of_sources(&sources, &CrowdSettings::default());
        let mut handles = Vec::new();
        for number in 0..5u8 {
            let crowd = &mut stage.crowd;
            let horse = add(crowd, 0, at(f32::from(number) * 2.0, 0.0, 0.0));
            let rider = add(crowd, 1, IDENTITY);
            let loin = point(crowd, 0, "loin");
            crowd.attach(rider, horse, loin).expect("a rider");
            handles.extend([horse, rider]);
        }
        stage.crowd.update(0.77);
        stage.prepare(&[ALL]);
        assert!(apart(&stage, &handles) < 3e-5, "{max_visible}");
        (stage.probe().world_rows(&stage.crowd, 1, 10), draw(&mut stage))
    });
    assert!(rows[0].0.iter().all(Option::is_some));
    for fewer in &rows[1..] {
        assert_eq!(rows[0].0, fewer.0);
        let (over, _) = picture::difference(&rows[0].1, &fewer.1, 8);
        assert!(over < 0.002, "{over}");
    }
}
