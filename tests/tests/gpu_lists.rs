//! The lists of visible instances on a real adapter: complete, in order, each once, for every count and shape of crowd.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_format::AnimFile;
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, Rig};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{BoneSource, CrowdSettings, Instance, InstanceHandle, ModelSource, View};

/// Three vertices that one joint moves up and down, in two clips, and one more part for each of `parts`.
fn triangle(parts: u32) -> AnimFile<'static> {
    let rig =
        Rig { joints: 1, triangles: 1, parts, rigid_parts: 0, clips: 2, scales: false, ..Rig::default() };
    rigs::random_file(&rig, &mut Random(5), &BakeSettings::default())
}

#[test]
fn lists_are_complete_and_in_order_for_every_count() {
    let file = triangle(1);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let mut handles: Vec<InstanceHandle> = Vec::new();
    for count in [0u32, 1, 30, 31, 200, 201, 255, 256, 257, 5000, 5001] {
        while handles.len() < count as usize {
            let side = if handles.len().is_multiple_of(3) { -50.0 } else { 50.0 };
            let world_from_model = [[1.0, 0.0, 0.0, side], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            handles
                .push(stage.crowd.add(&Instance { world_from_model, ..Instance::default() }).expect("room"));
        }
        let left = View::sun([0.0, 0.0, 1.0], [-50.0, 0.0, 0.0], 20.0);
        stage.prepare(&[ALL, left]);
        let lists = stage.lists(2, count.max(1), 8);
        let everyone: Vec<u32> = (0..count).collect();
        let on_the_left: Vec<u32> = everyone.iter().copied().filter(|number| number % 3 == 0).collect();
        if count == 0 {
            assert!(lists.is_empty());
            continue;
        }
        assert_eq!(lists.len(), 2);
        assert_eq!(lists[0].instances, everyone, "{count}");
        assert_eq!(lists[0].places, everyone, "{count}");
        assert_eq!(lists[1].instances, on_the_left, "{count}");
    }
}

#[test]
fn a_hundred_thousand_instances_are_all_listed_once() {
    let count = 100_000u32;
    let file = triangle(1);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    for number in 0..count {
        let x = if number % 7 == 0 { 1e7 } else { (number % 100) as f32 };
        let world_from_model = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        stage.crowd.add(&Instance { world_from_model, ..Instance::default() }).expect("room");
    }
    let near = View::sun([0.0, 0.0, 1.0], [0.0, 0.0, 0.0], 1000.0);
    stage.prepare(&[near]);
    let lists = stage.lists(1, count, 2);
    let expected: Vec<u32> = (0..count).filter(|number| number % 7 != 0).collect();
    assert_eq!(lists[0].instances, expected);
    assert_eq!(lists[0].places, (0..expected.len() as u32).collect::<Vec<_>>());
}

#[test]
fn palettes_and_pages_share_every_list_between_them_whatever_the_room() {
    let file = triangle(1);
    for max_visible in [0u32, 1, 10, 37, 38, 39, u32::MAX] {
        let source = ModelSource { max_visible, ..ModelSource::new(&file) };
        let settings = CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() };
        let mut stage = Stage::of_sources(&[source], &settings);
        for number in 0..50u32 {
            let mut instance = Instance::default();
            instance.world_from_model[0][3] = if number % 4 == 0 { 500.0 } else { 0.0 };
            stage.crowd.add(&instance).expect("room");
        }
        let narrow_view = View::sun([0.0, 0.0, 1.0], [500.0, 0.0, 0.0], 50.0);
        let view = View::sun([0.0, 0.0, 1.0], [0.0, 0.0, 0.0], 50.0);
        for (views, expected) in [
            (&[view][..], (0..50).filter(|n| n % 4 != 0).collect::<Vec<u32>>()),
            (&[narrow_view, view], (0..50).collect()),
        ] {
            for _ in 0..2 {
                stage.prepare(views);
                stage.wait();
            }
            stage.prepare(views);
            let lists = stage.lists(views.len() as u32, 64, 4);
            let mut found: Vec<u32> = lists.iter().flat_map(|list| list.instances.clone()).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{max_visible}");
            let from_pages = lists
                .iter()
                .filter(|list| matches!(list.info.bones, BoneSource::Pages(_)))
                .map(|list| list.instances.len())
                .sum::<usize>();
            let beyond = (expected.len() as u32).saturating_sub(max_visible);
            assert_eq!(from_pages as u32, beyond, "{max_visible}");
            let counts = stage.crowd.visible_counts(0).expect("an answer");
            assert_eq!((counts.visible, counts.beyond_max_visible), (expected.len() as u32, beyond));
        }
    }
}

#[test]
fn removing_everything_leaves_nothing_to_draw_and_grows_nothing() {
    let file = triangle(1);
    let mut stage =
        Stage::new(&[&file], &CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() });
    let fill = |stage: &mut Stage| -> Vec<InstanceHandle> {
        (0..300).map(|_| stage.crowd.add(&Instance::default()).expect("room")).collect()
    };
    let handles = fill(&mut stage);
    stage.prepare(&[ALL]);
    let bytes = stage.crowd.memory_bytes();
    for handle in &handles {
        stage.crowd.remove(*handle).expect("an instance");
    }
    for _ in 0..4 {
        stage.prepare(&[ALL]);
        stage.wait();
    }
    assert!(stage.lists(1, 300, 4).is_empty());
    assert_eq!(stage.crowd.uploaded_bytes(), 0);
    let counts = stage.crowd.visible_counts(0).expect("an answer");
    assert_eq!((counts.visible, counts.beyond_max_visible), (0, 0), "nothing is seen any more");
    for _ in 0..3 {
        for handle in fill(&mut stage) {
            stage.crowd.remove(handle).expect("an instance");
        }
    }
    fill(&mut stage);
    stage.prepare(&[ALL]);
    assert_eq!(stage.crowd.memory_bytes(), bytes, "numbers are given again");
    assert_eq!(stage.lists(1, 300, 4)[0].instances.len(), 300);
    assert!(handles.iter().all(|handle| stage.crowd.remove(*handle).is_err()), "old handles stay invalid");
}

#[test]
fn coming_and_going_keeps_lists_and_handles_right() {
    let file = triangle(1);
    let mut stage = Stage::new(&[&file, &file], &CrowdSettings::default());
    let mut random = Random(3);
    let mut alive: Vec<(u32, InstanceHandle)> = Vec::new();
    let mut gone: Vec<InstanceHandle> = Vec::new();
    for round in 0..40 {
        for _ in 0..random.below(60) {
            let model = random.below(2);
            alive.push((model, stage.crowd.add(&Instance { model, ..Instance::default() }).expect("room")));
        }
        for _ in 0..random.below(50).min(alive.len() as u32) {
            let (_, handle) = alive.swap_remove(random.below(alive.len() as u32) as usize);
            stage.crowd.remove(handle).expect("an instance");
            gone.push(handle);
        }
        assert_eq!(stage.crowd.len() as usize, alive.len());
        assert!(gone.iter().all(|handle| stage.crowd.set_hidden(*handle, true).is_err()));
        stage.prepare(&[ALL]);
        let lists = stage.lists(1, 2000, 4);
        for model in 0..2 {
            let mut expected: Vec<u32> =
                alive.iter().filter(|(of, _)| *of == model).map(|(_, handle)| handle.index()).collect();
            expected.sort_unstable();
            let found = lists.iter().find(|list| list.info.model == model);
            assert_eq!(found.map_or(&[][..], |list| &list.instances), expected, "round {round}");
        }
    }
}

#[test]
fn several_rounds_of_lists_hold_what_one_would() {
    let parts = 30;
    let file = triangle(parts);
    let mut stage = Stage::new(&[&file, &file], &CrowdSettings::default());
    let mut random = Random(9);
    let mut masks = Vec::new();
    for number in 0..300u32 {
        let mut instance = Instance { model: number % 2, ..Instance::default() };
        instance.part_mask = u64::from(random.next()) | u64::from(random.next()) << 32;
        // Mirrored ones have lists of their own.
        instance.world_from_model[0] =
            [if random.below(3) == 0 { -1.0 } else { 1.0 }, 0.0, 0.0, (number % 16) as f32 * 100.0];
        masks.push((instance.part_mask, instance.world_from_model[0][0] < 0.0));
        stage.crowd.add(&instance).expect("room");
    }
    // View i shows column i.
    let views: Vec<View> =
        (0..16u8).map(|x| View::sun([0.0, 0.0, 1.0], [f32::from(x) * 100.0, 0.0, 0.0], 40.0)).collect();
    stage.prepare(&views);
    let draws = 16 * 2 * 2 * parts;
    let lists = stage.lists(16, 64, draws);
    assert_eq!(lists.len(), draws as usize, "far more than 256 lists");
    for list in lists {
        let expected: Vec<u32> = (0..300u32)
            .filter(|number| {
                let (mask, mirrored) = masks[*number as usize];
                number % 16 == list.view
                    && number % 2 == list.info.model
                    && mask >> list.info.part & 1 == 1
                    && mirrored == list.info.mirrored
            })
            .collect();
        assert_eq!(list.instances, expected, "{:?} of view {}", list.info, list.view);
    }
}

#[test]
fn more_models_than_lists_of_a_round_are_all_drawn() {
    let file = triangle(1);
    let files = vec![&file; 257];
    let mut stage =
        Stage::new(&files, &CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() });
    let handles: Vec<InstanceHandle> = (0..600u32)
        .map(|number| {
            stage.crowd.add(&Instance { model: number % 257, ..Instance::default() }).expect("room")
        })
        .collect();
    let nothing = View::sun([0.0, 0.0, 1.0], [1e6, 0.0, 0.0], 1.0);
    for _ in 0..3 {
        stage.prepare(&[nothing, ALL]);
        stage.wait();
    }
    for handle in &handles {
        assert_eq!(stage.crowd.is_visible(*handle), Ok(Some(true)), "{}", handle.index());
    }
    let lists = stage.lists(2, 8, 257 * 2);
    assert_eq!(lists.len(), 257 * 2);
    for list in lists {
        let model = list.info.model;
        let expected: Vec<u32> =
            if list.view == 0 { Vec::new() } else { (0..600).filter(|n| n % 257 == model).collect() };
        assert_eq!(list.instances, expected, "model {model}");
    }
}
