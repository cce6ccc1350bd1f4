//! A crowd that nobody touches costs the CPU the same whatever its size: no allocations, a few uploaded bytes.
#![allow(unsafe_code, reason = "counting allocations takes an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use anim_bake::BakeSettings;
use anim_tests::rigs;
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{CrowdPipelines, CrowdSettings, Instance, PlayOptions, Target, View};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static HELD_BYTES: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, and a count of what each thread asks of it.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Counts an allocation, if `bytes` are not given back.
fn count(bytes: i64) {
    // A thread that ends has no counters any more, and nobody asks for them.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + u64::from(bytes > 0)));
    let _ = HELD_BYTES.try_with(|held| held.set(held.get() + bytes));
}

fn bytes_of(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

// SAFETY: every call goes to the system's allocator as it came, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(bytes_of(layout.size()));
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-bytes_of(layout.size()));
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(-bytes_of(layout.size()));
        count(bytes_of(size));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread while something runs.
fn allocations(run: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

/// What a frame costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    record_allocations: u64,
    draw_allocations: u64,
    uploaded_bytes: u64,
}

/// The usual cost of an untouched frame of a crowd, of which some march, some hang on others, and all play.
fn cost_of_a_frame(instances: u32) -> Cost {
    let settings = BakeSettings { attach: vec!["head".to_owned()], ..BakeSettings::default() };
    let file = rigs::sample("bird", &settings);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    for number in 0..instances {
        let instance = Instance { clip: number % 2, user_data: number, ..Instance::default() };
        let handle = stage.crowd.add(&instance).expect("room");
        if number % 3 == 0 {
            stage.crowd.set_velocity(handle, [0.0, 0.0, 1.0]).expect("an instance");
        }
        if number == 1 {
            let parent = stage.crowd.add(&Instance::default()).expect("room");
            stage.crowd.attach(handle, parent, 0).expect("a point");
        }
    }
    // Nearly all of them are out of sight: drawing is not what is measured.
    let views = [View::sun([0.0, 0.0, 1.0], [50.0, 0.0, 0.0], 1.0), ALL];
    let target = Target { depth: None, ..Target::default() };
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &target).expect("a target");
    let texture = stage.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: target.color.expect("colour"),
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let target_view = texture.create_view(&Default::default());
    let mut costs = Vec::new();
    for frame in 0..9u8 {
        let Stage { device, queue, crowd, .. } = &mut stage;
        let nothing = allocations(|| {
            crowd.update(10.0 + f64::from(frame) / 60.0);
            if frame > 0 {
                crowd.upload(device, queue);
            }
        });
        assert!(frame == 0 || nothing == 0, "{nothing} allocations for nothing");
        if frame == 0 {
            crowd.upload(device, queue);
        }
        let mut encoder = device.create_command_encoder(&Default::default());
        let record_allocations =
            allocations(|| crowd.record(device, queue, &mut encoder, &views, None).expect("a small crowd"));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target_view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        let draw_allocations = allocations(|| crowd.draw(&mut pass, &pipelines, 0));
        drop(pass);
        queue.submit([encoder.finish()]);
        let uploaded_bytes = crowd.uploaded_bytes();
        stage.wait();
        costs.push(Cost { record_allocations, draw_allocations, uploaded_bytes });
    }
    // The first frames compile and make room. wgpu's own lists grow now and then.
    let mut later = costs[3..].to_vec();
    later.sort_unstable();
    later[later.len() / 2]
}

#[test]
fn an_untouched_frame_costs_the_same_for_a_hundred_and_for_twenty_thousand_instances() {
    let (few, many) = (cost_of_a_frame(100), cost_of_a_frame(20_000));
    assert_eq!(few.uploaded_bytes, many.uploaded_bytes);
    assert!(many.uploaded_bytes < 4096, "{many:?}");
    assert!(many.record_allocations.abs_diff(few.record_allocations) <= 2, "{few:?} {many:?}");
    assert!(many.draw_allocations.abs_diff(few.draw_allocations) <= 2, "{few:?} {many:?}");
}

#[test]
fn what_a_frame_uploads_follows_from_what_was_changed() {
    let file = rigs::sample("bird", &BakeSettings::default());
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let handles: Vec<_> = (0..10_000).map(|_| stage.crowd.add(&Instance::default()).expect("room")).collect();
    stage.prepare(&[ALL]);
    let whole = stage.crowd.uploaded_bytes();
    stage.prepare(&[ALL]);
    let untouched = stage.crowd.uploaded_bytes();
    assert!(whole > 10_000 * 150 && untouched < 4096, "{whole} {untouched}");
    stage.crowd.play_with(handles[5000], &PlayOptions::new(1, 0.5)).expect("a clip");
    stage.prepare(&[ALL]);
    let one = stage.crowd.uploaded_bytes() - untouched;
    assert!(one > 0 && one <= 64 * (96 + 32), "{one}");
    // The fade that ends by itself is one more small upload, and then there is none.
    stage.crowd.update(1.0);
    stage.prepare(&[ALL]);
    assert!(stage.crowd.uploaded_bytes() - untouched <= 64 * (96 + 32));
    stage.crowd.update(2.0);
    stage.prepare(&[ALL]);
    assert_eq!(stage.crowd.uploaded_bytes(), untouched);
}

#[test]
fn requests_that_change_every_frame_leave_nothing_behind() {
    let file = rigs::sample("bird", &BakeSettings::default());
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let handles: Vec<_> = (0..50).map(|_| stage.crowd.add(&Instance::default()).expect("room")).collect();
    let mut change = |times: u32| {
        for _ in 0..times {
            for handle in &handles {
                // A cycle takes hours, and what follows it waits for its end.
                stage.crowd.set_speed(*handle, 1e-4).expect("an instance");
                stage.crowd.play_after(*handle, &PlayOptions::new(1, 0.1)).expect("a clip");
                stage.crowd.set_speed(*handle, 2e-4).expect("an instance");
            }
        }
    };
    change(10);
    let before = HELD_BYTES.get();
    change(1000);
    let more = HELD_BYTES.get() - before;
    assert!(more < 16_384, "{more} bytes more");
}
