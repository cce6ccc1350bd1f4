//! What an instance shows while time passes: clips, fades, speeds, loops, for as long as a program runs.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_core::clock::TICKS_PER_SECOND;
use anim_format::AnimFile;
use anim_format::model::{Encoding, Rows};
use anim_format::playback::{palette_at, posed_vertices};
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, narrow, share};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{ClipMode, CrowdSettings, Instance, InstanceHandle, PlayOptions};

const IDENTITY: Rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
const DAY_SECONDS: f64 = 86_400.0;

fn exact(name: &str) -> AnimFile<'static> {
    rigs::sample(name, &BakeSettings { encodings: vec![Encoding::Affine32], ..BakeSettings::default() })
}

/// One instance of a file on a stage, and its vertices at any time.
struct Actor {
    stage: Stage,
    handle: InstanceHandle,
    size: f32,
}

impl Actor {
    fn new(file: &AnimFile<'_>, instance: &Instance) -> Self {
        let mut stage = Stage::new(&[file], &CrowdSettings::default());
        let handle = stage.crowd.add(instance).expect("room");
        Self { stage, handle, size: file.extent.model_size_metres }
    }

    /// Where the GPU has the vertices now.
    fn vertices(&mut self) -> Vec<[f32; 4]> {
        self.stage.prepare(&[ALL]);
        let count = self.stage.crowd.vertex_count(0);
        let body = "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {
            let found = anim_skin(vertex, instance_index);
            return Probed(vertex_index, vec4<f32>(found.model_position, 1.0), vec4<f32>());
        }";
        self.stage.probe().points(&self.stage.crowd, 1, count, body, |_, _| true)[0].clone()
    }

    fn vertices_at(&mut self, seconds: f64) -> Vec<[f32; 4]> {
        self.stage.crowd.update(seconds);
        self.vertices()
    }

    /// The largest way of a vertex between two poses, as a share of the model's size.
    fn moved(&self, a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
        let way = |(a, b): (&[f32; 4], &[f32; 4])| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt();
        a.iter().zip(b).map(way).fold(0.0, f32::max) / self.size
    }
}

#[test]
fn speed_seek_pause_and_phase_put_a_clip_where_they_say() {
    let file = exact("biped");
    let walk = file.clips.iter().position(|clip| clip.name == "walk").expect("walk") as u32;
    let duration_seconds = f64::from(file.clips[walk as usize].duration_seconds);
    let mut actor = Actor::new(&file, &Instance { clip: walk, ..Instance::default() });
    let handle = actor.handle;
    let poses: Vec<_> = (0..4).map(|n| actor.vertices_at(f64::from(n) * duration_seconds / 5.0)).collect();
    assert!(actor.moved(&poses[0], &poses[1]) > 0.01, "a walk moves");
    let close = 2e-4;

    // Twice the speed is half the time; backwards comes back.
    let crowd = &mut actor.stage.crowd;
    crowd.update(100.0);
    crowd.play_with(handle, &PlayOptions { speed: 2.0, ..PlayOptions::new(walk, 0.0) }).expect("walk");
    let found = actor.vertices_at(100.0 + duration_seconds / 5.0);
    assert!(actor.moved(&found, &poses[2]) < close);
    actor.stage.crowd.set_speed(handle, -1.0).expect("an instance");
    let found = actor.vertices_at(100.0 + 2.0 * duration_seconds / 5.0);
    assert!(actor.moved(&found, &poses[1]) < close);

    // Paused it stands, also for an hour, and goes on from there.
    actor.stage.crowd.set_paused(handle, true).expect("an instance");
    let found = actor.vertices_at(3600.0);
    assert!(actor.moved(&found, &poses[1]) < close);
    actor.stage.crowd.set_paused(handle, false).expect("an instance");
    actor.stage.crowd.set_speed(handle, 1.0).expect("an instance");
    let found = actor.vertices_at(3600.0 + duration_seconds / 5.0);
    assert!(actor.moved(&found, &poses[2]) < close);

    // Seeking and phases jump there.
    actor.stage.crowd.seek(handle, 3.0 * duration_seconds / 5.0).expect("an instance");
    let found = actor.vertices();
    assert!(actor.moved(&found, &poses[3]) < close);
    actor.stage.crowd.set_phase(handle, 0.2).expect("an instance");
    let found = actor.vertices();
    assert!(actor.moved(&found, &poses[1]) < close);
    assert!(
        (actor.stage.crowd.time_seconds(handle).expect("an instance").expect("a clip")
            - duration_seconds / 5.0)
            .abs()
            < 1e-4
    );
}

#[test]
fn a_clip_that_plays_once_holds_its_end_and_the_next_one_follows() {
    let file = exact("biped");
    let number = |name: &str| file.clips.iter().position(|clip| clip.name == name).expect("a clip") as u32;
    let (wave, run) = (number("wave"), number("run"));
    let mut actor =
        Actor::new(&file, &Instance { clip: wave, mode: Some(ClipMode::Once), ..Instance::default() });
    let end_seconds = f64::from(file.clips[wave as usize].duration_seconds);
    let end = actor.vertices_at(end_seconds + 0.01);
    assert_eq!(actor.stage.crowd.is_finished(actor.handle), Ok(true));
    let later = actor.vertices_at(2.0 * DAY_SECONDS);
    assert_eq!(actor.moved(&end, &later), 0.0);

    let (crowd, handle) = (&mut actor.stage.crowd, actor.handle);
    crowd
        .play_with(handle, &PlayOptions { mode: Some(ClipMode::Once), ..PlayOptions::new(wave, 0.0) })
        .expect("wave");
    crowd.play_after(handle, &PlayOptions::new(run, 0.2)).expect("run");
    crowd.update(2.0 * DAY_SECONDS + end_seconds - 0.25);
    assert_eq!(crowd.current_clip(handle), Ok(Some(wave)));
    crowd.update(2.0 * DAY_SECONDS + end_seconds + 0.25);
    assert_eq!(crowd.current_clip(handle), Ok(Some(run)));
    let found = actor.vertices();
    let mut alone = Actor::new(&file, &Instance { clip: run, ..Instance::default() });
    // It starts as its fade does: 0.2 s before the end.
    let expected = alone.vertices_at(0.45);
    assert!(actor.moved(&found, &expected) < 1e-3);
}

#[test]
fn loops_have_no_hitch_at_their_seams() {
    for (name, clip) in [("horse", "gallop"), ("bird", "fly"), ("biped", "run")] {
        let file = exact(name);
        let number = file.clips.iter().position(|c| c.name == clip).expect("a clip");
        let duration_seconds = f64::from(file.clips[number].duration_seconds);
        let mut actor = Actor::new(&file, &Instance { clip: number as u32, ..Instance::default() });
        for cycle in [1.0f64, 100_000.0] {
            let step = duration_seconds / 97.0;
            let mut before = actor.vertices_at(cycle * duration_seconds - 8.5 * step);
            let mut ways = Vec::new();
            for n in -7..9 {
                let here = actor.vertices_at(cycle * duration_seconds + (f64::from(n) - 0.5) * step);
                ways.push(actor.moved(&before, &here));
                before = here;
            }
            // The seam is crossed in the middle step; it is as long as its neighbours.
            let largest_elsewhere = ways[..7].iter().chain(&ways[8..]).copied().fold(0.0, f32::max);
            assert!(ways[7] < largest_elsewhere * 1.5 + 1e-5, "{name} cycle {cycle}: {ways:?}");
            assert!(ways.iter().all(|way| *way > 0.0), "{name} cycle {cycle}: it stands still: {ways:?}");
        }
    }
}

#[test]
fn fades_never_pop_however_they_are_interrupted() {
    let file = exact("biped");
    let clips = file.clips.len() as u32;
    // Clips whose channels jump (STEP) do so by themselves.
    let smooth: Vec<u32> =
        (0..clips).filter(|clip| file.clips[*clip as usize].tracks[0].held_frames.is_empty()).collect();
    assert!(smooth.len() >= 4);
    let mut random = Random(8);
    let mut actor = Actor::new(&file, &Instance { clip: smooth[0], ..Instance::default() });
    let tick_seconds = 1.0 / f64::from(TICKS_PER_SECOND);
    let mut now_seconds = 20.0;
    let mut faded = 0;
    for _ in 0..150 {
        let before = actor.vertices_at(now_seconds);
        let clip = smooth[random.below(smooth.len() as u32) as usize];
        let fade_seconds = 0.05 + narrow(share(&mut random)) * 0.6;
        let (crowd, handle) = (&mut actor.stage.crowd, actor.handle);
        match random.below(5) {
            0 => crowd.stop(handle, fade_seconds),
            1 => crowd.play_after(handle, &PlayOptions::new(clip, fade_seconds)),
            2 => crowd.set_speed(handle, narrow(share(&mut random)) * 3.0 - 1.5),
            _ => crowd.play(handle, clip, fade_seconds),
        }
        .expect("an instance");
        // The tick of the change, and the one after it.
        let changed = actor.vertices();
        let after = actor.vertices_at(now_seconds + tick_seconds);
        let ways = (actor.moved(&before, &changed), actor.moved(&changed, &after));
        assert!(ways.0 < 1e-5 && ways.1 < 5e-4, "{ways:?}");
        faded +=
            u32::from(actor.stage.crowd.layer_stack(actor.handle).expect("an instance").clips().count() > 1);
        now_seconds += share(&mut random) * 0.4;
    }
    assert!(faded > 60, "{faded}");
}

#[test]
fn after_thirty_days_poses_are_as_exact_as_on_the_first() {
    for (name, clip) in [("horse", "gallop"), ("bird", "fly")] {
        let file = exact(name);
        let number = file.clips.iter().position(|c| c.name == clip).expect("a clip");
        let duration_seconds = f64::from(file.clips[number].duration_seconds);
        let mut actor = Actor::new(&file, &Instance { clip: number as u32, ..Instance::default() });
        let mut palette = vec![IDENTITY; file.bones.len()];
        for n in 0..6 {
            let now_seconds = 30.0 * DAY_SECONDS + f64::from(n) * 0.173;
            let tick = (now_seconds * f64::from(TICKS_PER_SECOND)).floor() / f64::from(TICKS_PER_SECOND);
            palette_at(&file, &file.clips[number], tick % duration_seconds, &mut palette);
            let found = actor.vertices_at(now_seconds);
            for part in &file.parts {
                let expected = posed_vertices(&file, part, &palette, 0..part.vertex_count);
                let expected: Vec<[f32; 4]> =
                    expected.iter().map(|v| [v.position[0], v.position[1], v.position[2], 1.0]).collect();
                let found = &found[part.first_vertex as usize..][..expected.len()];
                let off = actor.moved(found, &expected);
                assert!(off < 1e-3, "{name} at {now_seconds}: {off}");
            }
        }
    }
}
