//! What a stack shows, request by request, and what holds for any sequence of them.

mod masked;

use proptest::prelude::*;

use super::room::fade_end;
use super::*;
use crate::clock::TICKS_PER_SECOND;

/// Ticks of a clip of one second at normal speed.
const SECOND: u64 = TICKS_PER_SECOND as u64;

/// Clips 0 to 2 last one second, clip 3 is one pose, clip 4 lasts two seconds.
const DURATIONS: [f32; 5] = [1.0, 1.0, 1.0, 0.0, 2.0];

fn clip(clip: u32) -> Play {
    Play { clip, ..Play::default() }
}

fn once(clip: u32) -> Play {
    Play { clip, mode: ClipMode::Once, ..Play::default() }
}

fn fading(clip: u32, fade_ticks: u32) -> Play {
    Play { clip, fade_ticks, ..Play::default() }
}

fn playing(play: &Play) -> LayerStack {
    let mut stack = LayerStack::default();
    assert!(stack.play(0, play, &DURATIONS));
    stack
}

/// Clip number and weight of every layer in use.
fn weights(stack: &LayerStack, now: u64) -> Vec<(u32, f32)> {
    let in_use = stack.clips().count();
    stack.moments(now)[..in_use].iter().map(|moment| (moment.clip, moment.weight)).collect()
}

fn seconds(stack: &LayerStack, now: u64) -> f64 {
    stack.time_seconds(now, &DURATIONS).expect("a clip")
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn a_request_is_small() {
    assert!(size_of::<LayerStack>() <= 168, "{}", size_of::<LayerStack>());
}

#[test]
fn nothing_was_played_and_nothing_can_be_changed() {
    let mut stack = LayerStack::default();
    assert_eq!((stack.current_clip(9), stack.time_seconds(9, &DURATIONS)), (None, None));
    assert_eq!((stack.is_finished(9), stack.next_event_tick(), stack.clips().count()), (false, None, 0));
    assert!(!stack.seek(9, 0.5, &DURATIONS) && !stack.set_speed(9, 2.0, &DURATIONS));
    assert!(!stack.set_mode(9, ClipMode::Once, &DURATIONS) && !stack.set_phase(9, 0.5, &DURATIONS));
    assert!(!stack.stop(9, 10, &DURATIONS) && !stack.settle(9, &DURATIONS));
    assert!(!stack.play(9, &clip(5), &DURATIONS) && !stack.play_after(9, &clip(u32::MAX), &DURATIONS));
    assert_eq!(stack, LayerStack::default());
    assert!(!stack.play(9, &clip(65_536), &vec![1.0; 65_537]), "a layer has no room for this number");
}

#[test]
fn the_first_clip_needs_no_fade_and_a_cut_drops_everything() {
    let mut stack = playing(&fading(0, 100));
    assert_eq!(weights(&stack, 0), [(0, 1.0)]);
    stack.play(10, &fading(1, 100), &DURATIONS);
    stack.play(20, &fading(2, 100), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 1, 2]);
    stack.play(30, &clip(4), &DURATIONS);
    assert_eq!(weights(&stack, 30), [(4, 1.0)]);
}

#[test]
fn a_clip_starts_where_the_table_says() {
    let table = [
        // Speed, phase; seconds at the start and half a second later.
        (1.0, 0.0, 0.0, 0.5),
        (1.0, 0.25, 0.25, 0.75),
        (-1.0, 0.0, 1.0, 0.5),
        (-1.0, 0.25, 0.75, 0.25),
        (2.0, -7.0, 0.0, 1.0),
        (1.0, 7.0, 1.0, 1.0),
        (-1.0, 1.0, 0.0, 0.0),
        (1.0, f32::NAN, 0.0, 0.5),
        (1.0, f32::INFINITY, 0.0, 0.5),
        (0.0, 0.5, 0.5, 0.5),
        (f32::NAN, 0.5, 0.5, 0.5),
        (-f32::INFINITY, 0.5, 0.5, 0.5),
    ];
    for (speed, phase, first, later) in table {
        let mut stack = LayerStack::default();
        stack.play(99, &Play { speed, phase, ..once(0) }, &DURATIONS);
        assert_near(seconds(&stack, 99), first);
        assert_near(seconds(&stack, 99 + SECOND / 2), later);
    }
}

#[test]
fn a_clip_that_runs_once_ends_exactly_in_either_direction() {
    for (speed, end_phase) in [(1.0, (u32::MAX, true)), (-1.0, (0, false))] {
        let stack = playing(&Play { speed, ..once(0) });
        assert!(!stack.is_finished(SECOND - 1) && stack.is_finished(SECOND), "{speed}");
        let position = stack.moments(SECOND)[0].position;
        assert_eq!((position.phase, position.at_end), end_phase);
    }
}

#[test]
fn a_clip_without_length_stays_at_its_pose_whatever_is_asked() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let durations = [bad];
        for mode in [ClipMode::Loop, ClipMode::Once, ClipMode::PingPong] {
            let mut stack = LayerStack::default();
            stack.play(50, &Play { mode, speed: -1.0, phase: 0.5, ..clip(0) }, &durations);
            let changes: [fn(&mut LayerStack, &[f32]) -> bool; 5] = [
                |stack, durations| stack.settle(60, durations),
                |stack, durations| stack.set_phase(60, 0.7, durations),
                |stack, durations| stack.seek(60, 0.7, durations),
                |stack, durations| stack.set_speed(60, 3.0, durations),
                |stack, durations| stack.pause(60, true, durations),
            ];
            for change in changes {
                change(&mut stack, &durations);
                assert_eq!(stack.moments(99)[0].position.phase, 0);
                assert_eq!(stack.time_seconds(99, &durations), Some(0.0));
                assert_eq!(stack.is_finished(99), mode == ClipMode::Once);
            }
        }
    }
}

#[test]
fn both_sides_of_a_fade_keep_playing() {
    let mut stack = playing(&clip(0));
    stack.play(SECOND / 4, &fading(1, 1000), &DURATIONS);
    let phases = |now| stack.moments(now).map(|moment| moment.position.phase);
    let (here, next) = (phases(SECOND / 4), phases(SECOND / 4 + 500));
    assert_eq!(here, [1 << 30, 0, 0]);
    assert_eq!(next, [(1 << 30) + (500 << 16), 500 << 16, 0]);
    assert_eq!(weights(&stack, SECOND / 4 + 500), [(0, 0.5), (1, 0.5)]);
}

#[test]
fn the_last_request_wins_when_all_layers_are_busy_and_starts_when_there_is_room() {
    let mut stack = playing(&clip(0));
    stack.play(10, &fading(1, 500), &DURATIONS);
    stack.play(20, &fading(2, 100), &DURATIONS);
    assert!(!stack.play(30, &fading(4, 50), &DURATIONS), "it waits");
    assert!(!stack.play(40, &fading(1, 60), &DURATIONS), "it waits instead");
    assert_eq!(stack.current_clip(119), Some(2));
    assert_eq!(stack.next_event_tick(), Some(120));
    // Settled late: it has been running since there was room.
    assert!(stack.settle(150, &DURATIONS));
    assert_eq!(weights(&stack, 150), [(2, 0.5), (1, 0.5)]);
    assert_eq!(stack.moments(150)[1].position.phase, 30 << 16);
    assert_eq!(stack.next_event_tick(), Some(180));
    assert!(stack.settle(180, &DURATIONS) && !stack.settle(999, &DURATIONS));
    assert_eq!((weights(&stack, 180), stack.next_event_tick()), (vec![(1, 1.0)], None));
}

#[test]
fn a_clip_of_the_same_tick_is_replaced_and_needs_no_layer() {
    let mut stack = playing(&clip(0));
    for number in [1, 2, 4, 1, 2] {
        stack.play(10, &fading(number, 100), &DURATIONS);
    }
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn a_clip_follows_at_the_end_that_the_table_says() {
    let second = i64::from(TICKS_PER_SECOND);
    let ping_pong = Play { mode: ClipMode::PingPong, ..clip(0) };
    let table = [
        // What runs since tick 0, when it is asked, fade; when the fade starts.
        (once(0), 100, 50, second - 50),
        (once(0), 100, 0, second),
        (once(0), second - 10, 50, second - 10),
        (once(0), 3 * second, 50, 3 * second),
        (Play { speed: -1.0, ..once(0) }, 100, 50, second - 50),
        (Play { speed: 2.0, phase: 0.5, ..once(0) }, 100, 50, second / 4 - 50),
        (clip(0), 100, 50, second - 50),
        (clip(0), 5 * second + 1, 50, 6 * second - 50),
        (Play { speed: -0.5, ..clip(0) }, 2 * second + 1, 50, 4 * second - 50),
        (Play { speed: f32::MAX, ..clip(0) }, 100, 0, 101),
        (ping_pong, 100, 50, second - 50),
        (ping_pong, second + 1, 50, 2 * second - 50),
        // These stand still.
        (clip(3), 100, 50, 100),
        (once(3), 100, 50, 100),
        (Play { speed: 0.0, ..once(0) }, 100, 50, 100),
    ];
    for (first, asked, fade_ticks, expected) in table {
        let (asked, expected) = (asked.unsigned_abs(), expected.unsigned_abs());
        let mut stack = playing(&first);
        stack.play_after(asked, &fading(1, fade_ticks), &DURATIONS);
        let changed = |now| stack.current_clip(now) == Some(1) && stack.is_started(now);
        assert!(changed(expected), "{first:?}, {asked}");
        assert!(expected == asked || !changed(expected - 1), "{first:?}, {asked}");
        // It covers wholly at the end and has played since its fade started.
        let end = expected + u64::from(fade_ticks);
        assert_eq!(stack.next_event_tick().unwrap_or(end), end);
        stack.settle(end, &DURATIONS);
        assert_eq!(weights(&stack, end), [(1, 1.0)]);
        assert_near(seconds(&stack, end), f64::from(fade_ticks) / SECOND as f64);
    }
}

impl LayerStack {
    /// Whether the current clip has come to its start tick.
    fn is_started(&self, now: u64) -> bool {
        self.current(now).is_some_and(|(_, layer)| layer.start.start_tick <= now)
    }
}

#[test]
fn the_last_request_wins_over_one_that_follows_later() {
    let mut stack = playing(&once(0));
    stack.play_after(100, &fading(1, 50), &DURATIONS);
    stack.play_after(200, &fading(2, 50), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 2]);
    stack.play(300, &fading(4, 50), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 4]);
    assert_eq!(stack.current_clip(SECOND), Some(4));
}

#[test]
fn a_clip_that_follows_one_that_waits_does_not_take_its_place() {
    let mut stack = playing(&clip(0));
    stack.play(10, &fading(1, 500), &DURATIONS);
    stack.play(20, &fading(2, 500), &DURATIONS);
    stack.play(30, &Play { fade_ticks: 50, ..once(4) }, &DURATIONS);
    stack.play_after(30, &fading(1, 50), &DURATIONS);
    stack.settle(5 * SECOND, &DURATIONS);
    assert_eq!(weights(&stack, 5 * SECOND), [(1, 1.0)]);
    // Clip 4 started when the first fade ended, and was covered at its end.
    let since_end = 5 * SECOND - (510 + 2 * SECOND - 50);
    assert_near(seconds(&stack, 5 * SECOND), (since_end % SECOND) as f64 / SECOND as f64);
}

#[test]
fn two_that_wait_start_one_by_one_however_late_the_stack_is_settled() {
    let mut stack = playing(&clip(0));
    stack.play(10, &fading(1, 100), &DURATIONS);
    stack.play(20, &fading(2, 200), &DURATIONS);
    stack.play(30, &Play { fade_ticks: 300, phase: 0.999, ..once(4) }, &DURATIONS);
    stack.play_after(30, &fading(1, 400), &DURATIONS);
    // Clip 4 finds room at tick 110 and has ended before there is room for the next one at tick 220.
    stack.settle(250, &DURATIONS);
    let starts = stack.gpu_layers().map(|layer| layer.unpack().map(|layer| layer.fade_tick));
    assert_eq!(starts, [Some(20), Some(110), Some(220)]);
}

#[test]
fn a_later_request_drops_all_that_wait() {
    for fade_ticks in [0, 50] {
        let mut stack = playing(&clip(0));
        stack.play(10, &fading(1, 100), &DURATIONS);
        stack.play(20, &fading(2, 200), &DURATIONS);
        stack.play(30, &fading(4, 30), &DURATIONS);
        stack.play_after(30, &fading(1, 40), &DURATIONS);
        stack.play(40, &fading(0, fade_ticks), &DURATIONS);
        assert_eq!((stack.after, stack.waiting.is_some()), (None, fade_ticks > 0));
        stack.settle(SECOND / 2, &DURATIONS);
        assert_eq!(weights(&stack, SECOND / 2), [(0, 1.0)]);
    }
}

#[test]
fn what_follows_moves_with_the_end_of_what_it_follows() {
    type Change = fn(&mut LayerStack, u64) -> bool;
    let half = SECOND / 2;
    let table: [(&str, Change, u64); 6] = [
        ("twice as fast", |stack, now| stack.set_speed(now, 2.0, &DURATIONS), half + half / 2),
        ("turned round", |stack, now| stack.set_speed(now, -0.5, &DURATIONS), half + SECOND),
        ("put back", |stack, now| stack.seek(now, 0.25, &DURATIONS), half + 3 * SECOND / 4),
        ("put to its end", |stack, now| stack.seek(now, 9.0, &DURATIONS), half + 50),
        ("put by phase", |stack, now| stack.set_phase(now, 0.75, &DURATIONS), half + SECOND / 4),
        ("looping", |stack, now| stack.set_mode(now, ClipMode::Loop, &DURATIONS), SECOND),
    ];
    for (name, change, end) in table {
        let mut stack = playing(&once(0));
        stack.play_after(100, &fading(1, 50), &DURATIONS);
        change(&mut stack, half);
        let found = stack.next_event_tick().expect("a fade");
        assert!(found.abs_diff(end) <= 1, "{name}: {found} instead of {end}");
        assert_eq!(stack.moments(found - 50)[1].position.phase, 0, "{name}");
    }
}

#[test]
fn what_follows_waits_while_its_predecessor_stands_still() {
    type Change = fn(&mut LayerStack, u64, bool) -> bool;
    let changes: [Change; 2] = [
        |stack, now, stands| stack.pause(now, stands, &DURATIONS),
        |stack, now, stands| stack.set_speed(now, if stands { 0.0 } else { 1.0 }, &DURATIONS),
    ];
    for change in changes {
        let mut stack = playing(&once(0));
        stack.play_after(100, &fading(1, 50), &DURATIONS);
        assert!(change(&mut stack, 1000, true));
        assert_eq!((stack.current_clip(90 * SECOND), stack.next_event_tick()), (Some(0), None));
        assert!(change(&mut stack, 7000, false));
        let end = stack.next_event_tick().expect("a fade");
        assert_eq!(end, SECOND + 6000);
        assert_eq!(stack.moments(end)[1].position.phase, 50 << 16);
    }
}

#[test]
fn seeking_is_clamped_and_exact_at_the_end() {
    let mut stack = playing(&once(4));
    let table = [(0.5, 0.5), (-3.0, 0.0), (1.25, 1.25), (7.0, 2.0)];
    for (to, expected) in table {
        stack.seek(1000, to, &DURATIONS);
        assert_near(seconds(&stack, 1000), expected);
    }
    assert!(stack.is_finished(1000) && stack.moments(1000)[0].position.at_end);
    assert!(!stack.seek(1000, f64::NAN, &DURATIONS));
    assert!(stack.set_speed(1000, 0.0, &DURATIONS) && stack.moments(1000)[0].position.at_end);
    assert!(stack.set_mode(1000, ClipMode::Loop, &DURATIONS));
    assert_near(seconds(&stack, 9 * SECOND), 2.0);
    assert!(stack.set_mode(1000, ClipMode::Once, &DURATIONS) && stack.set_speed(1000, -1.0, &DURATIONS));
    assert_near(seconds(&stack, 1000 + SECOND), 1.0);
    stack.seek(1000, 0.0, &DURATIONS);
    assert!(stack.is_finished(1000), "backwards, the start is its end");
    assert!(stack.set_speed(1000, 1.0, &DURATIONS) && !stack.is_finished(1000 + SECOND));
    assert_near(seconds(&stack, 1000 + SECOND), 1.0);
}

#[test]
fn a_clip_that_has_run_once_stays_finished_until_it_is_turned_round() {
    let mut stack = playing(&once(0));
    let mut backwards = playing(&Play { speed: -1.0, ..once(0) });
    let now = 3 * SECOND;
    for speed in [2.0, 0.0, 0.5] {
        stack.set_speed(now, speed, &DURATIONS);
        backwards.set_speed(now, -speed, &DURATIONS);
        assert!(stack.is_finished(now) && stack.is_finished(now + SECOND), "{speed}");
        assert!(backwards.is_finished(now) && seconds(&backwards, now + SECOND) == 0.0, "{speed}");
    }
    let later = now + 9;
    assert!(
        !stack.pause(later, true, &DURATIONS) && !stack.pause(later, false, &DURATIONS),
        "it stands anyway"
    );
    stack.set_speed(now, -1.0, &DURATIONS);
    assert_near(seconds(&stack, now), 1.0);
    assert_near(seconds(&stack, now + SECOND / 4), 0.75);
    assert!(!stack.set_speed(now, f32::NAN, &DURATIONS) && !stack.set_speed(now, -1.0, &DURATIONS));
}

#[test]
fn a_paused_stack_stands_still_while_fades_go_on() {
    let mut stack = playing(&clip(0));
    stack.play(1000, &fading(1, 1000), &DURATIONS);
    assert!(stack.pause(1500, true, &DURATIONS) && stack.is_paused());
    assert!(!stack.pause(1500, true, &DURATIONS));
    let phases = |stack: &LayerStack, now| stack.moments(now).map(|moment| moment.position.phase);
    assert_eq!(phases(&stack, 1500), [1500 << 16, 500 << 16, 0]);
    assert_eq!(phases(&stack, 9000), [1500 << 16, 500 << 16, 0]);
    assert_eq!(weights(&stack, 1750), [(0, 0.25), (1, 0.75)]);
    // What is played meanwhile stands at its start; a speed set meanwhile counts later.
    assert!(stack.play(1800, &Play { phase: 0.5, ..fading(2, 100) }, &DURATIONS));
    assert!(stack.set_speed(1850, 2.0, &DURATIONS));
    assert_eq!(phases(&stack, 1900), [1500 << 16, 500 << 16, 1 << 31]);
    assert!(stack.pause(1890, false, &DURATIONS));
    assert_eq!(phases(&stack, 1890 + 10), [1510 << 16, 510 << 16, (1 << 31) + (20 << 16)]);
}

#[test]
fn stopping_fades_to_the_first_pose_and_stands() {
    let mut stack = playing(&once(0));
    assert!(stack.stop(SECOND / 2, 100, &DURATIONS));
    assert_eq!(weights(&stack, SECOND / 2 + 50), [(0, 0.5), (0, 0.5)]);
    assert_near(seconds(&stack, SECOND), 0.0);
    assert!(!stack.is_finished(SECOND));
    assert!(stack.set_speed(SECOND, 1.0, &DURATIONS));
    assert!(stack.is_finished(2 * SECOND), "it kept its mode");
    assert!(stack.stop(3 * SECOND, 0, &DURATIONS));
    assert_eq!(weights(&stack, 3 * SECOND), [(0, 1.0)]);
}

#[test]
fn ping_pong_keeps_its_way_through_changes_of_speed_and_turns_round_with_the_mode() {
    let now = SECOND + SECOND / 4; // On the way back, at 0.75 s.
    let ping_pong = playing(&Play { mode: ClipMode::PingPong, ..clip(0) });
    type Change = fn(&mut LayerStack, u64) -> bool;
    let table: [(Change, f64, f64); 6] = [
        (|stack, now| stack.set_speed(now, 0.5, &DURATIONS), 0.75, 0.625),
        (|stack, now| stack.set_speed(now, -1.0, &DURATIONS), 0.75, 1.0),
        (|stack, now| stack.set_mode(now, ClipMode::Once, &DURATIONS), 0.75, 1.0),
        (|stack, now| stack.seek(now, 0.5, &DURATIONS), 0.5, 0.25),
        (|stack, now| stack.seek(now, 0.0, &DURATIONS), 0.0, 0.25),
        (|stack, now| stack.set_phase(now, 0.5, &DURATIONS), 0.5, 0.75),
    ];
    for (number, (change, first, later)) in table.into_iter().enumerate() {
        let mut stack = ping_pong;
        assert!(change(&mut stack, now));
        let found = (seconds(&stack, now), seconds(&stack, now + SECOND / 4));
        assert!((found.0 - first).abs() < 1e-6 && (found.1 - later).abs() < 1e-6, "{number}: {found:?}");
    }
}

#[test]
fn ticks_saturate_and_may_go_backwards() {
    let mut stack = LayerStack::default();
    for now in [u64::MAX, 1 << 48, 0, LAST_TICK, 77, 5, u64::MAX] {
        for fade_ticks in [u32::MAX, 0, 50, 50, 50] {
            stack.play(now, &fading(1, fade_ticks), &DURATIONS);
            stack.play_after(now, &fading(2, fade_ticks), &DURATIONS);
            stack.pause(now / 2, fade_ticks == 0, &DURATIONS);
            stack.settle(now, &DURATIONS);
            for tick in [now, 0, u64::MAX] {
                let sum: f32 = stack.moments(tick).iter().map(|moment| moment.weight).sum();
                assert!((sum - 1.0).abs() < 1e-6, "{sum}");
            }
        }
    }
}

/// One call of a random sequence.
#[derive(Clone, Copy, Debug)]
enum Call {
    Play(Play),
    PlayAfter(Play),
    PlayMasked(MaskedPlay),
    StopMasked(u32),
    Seek(f64),
    SetSpeed(f32),
    SetMode(ClipMode),
    SetPhase(f32),
    Pause(bool),
    Stop(u32),
    Settle,
}

/// Durations of the random sequences: so short that clips end and turn within a few dozen ticks.
const SHORT: [f32; 4] = [0.001, 0.003, 0.0, 0.0007];

impl Call {
    fn apply(self, stack: &mut LayerStack, now: u64) -> bool {
        match self {
            Self::Play(play) => stack.play(now, &play, &SHORT),
            Self::PlayAfter(play) => stack.play_after(now, &play, &SHORT),
            Self::PlayMasked(masked) => stack.play_masked(now, &masked, &SHORT),
            Self::StopMasked(fade_ticks) => stack.stop_masked(now, fade_ticks, &SHORT),
            Self::Seek(seconds) => stack.seek(now, seconds, &SHORT),
            Self::SetSpeed(speed) => stack.set_speed(now, speed, &SHORT),
            Self::SetMode(mode) => stack.set_mode(now, mode, &SHORT),
            Self::SetPhase(phase) => stack.set_phase(now, phase, &SHORT),
            Self::Pause(paused) => stack.pause(now, paused, &SHORT),
            Self::Stop(fade_ticks) => stack.stop(now, fade_ticks, &SHORT),
            Self::Settle => stack.settle(now, &SHORT),
        }
    }

    /// By how much the fade of a masked layer changes what it covers in a tick.
    fn fade_speed(self) -> f64 {
        match self {
            Self::StopMasked(fade_ticks) => 1.0 / f64::from(fade_ticks),
            Self::PlayMasked(masked) => 1.0 / f64::from(masked.play.fade_ticks),
            _ => 0.0,
        }
    }

    /// Whether the pose may jump at the tick of this call.
    fn cuts(self) -> bool {
        match self {
            Self::Play(play) | Self::PlayAfter(play) => play.fade_ticks == 0,
            Self::PlayMasked(masked) => masked.play.fade_ticks == 0,
            Self::Stop(fade_ticks) | Self::StopMasked(fade_ticks) => fade_ticks == 0,
            Self::Seek(_) | Self::SetPhase(_) => true,
            _ => false,
        }
    }
}

fn any_mode() -> impl Strategy<Value = ClipMode> {
    prop_oneof![Just(ClipMode::Loop), Just(ClipMode::Once), Just(ClipMode::PingPong)]
}

fn any_speed() -> impl Strategy<Value = f32> {
    prop_oneof![4 => -3.0..3.0f32, 1 => Just(0.0f32), 1 => Just(1.0f32), 1 => Just(-1.0f32)]
}

fn any_play() -> impl Strategy<Value = Play> {
    let phase = prop_oneof![Just(0.0f32), 0.0..1.0f32];
    let fade_ticks = prop_oneof![1 => Just(0u32), 9 => 1u32..120];
    (0u32..4, any_mode(), any_speed(), phase, fade_ticks)
        .prop_map(|(clip, mode, speed, phase, fade_ticks)| Play { clip, mode, speed, phase, fade_ticks })
}

fn any_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        6 => any_play().prop_map(Call::Play),
        4 => any_play().prop_map(Call::PlayAfter),
        4 => (any_play(), 0u32..2, any::<bool>())
            .prop_map(|(play, mask, leaves_at_end)| Call::PlayMasked(MaskedPlay { play, mask, leaves_at_end })),
        2 => prop_oneof![1 => Just(0u32), 9 => 1u32..120].prop_map(Call::StopMasked),
        1 => (-0.001..0.004f64).prop_map(Call::Seek),
        3 => any_speed().prop_map(Call::SetSpeed),
        2 => any_mode().prop_map(Call::SetMode),
        1 => (0.0..1.1f32).prop_map(Call::SetPhase),
        2 => any::<bool>().prop_map(Call::Pause),
        1 => prop_oneof![Just(0u32), 1u32..120].prop_map(Call::Stop),
        1 => Just(Call::Settle),
    ]
}

/// Calls and the ticks between them, the first at tick 10,000.
fn any_calls() -> impl Strategy<Value = Vec<(u64, Call)>> {
    prop::collection::vec((prop_oneof![0u64..4, 0u64..60], any_call()), 1..24).prop_map(|calls| {
        let mut now = 10_000;
        calls
            .into_iter()
            .map(|(wait, call)| {
                now += wait;
                (now, call)
            })
            .collect()
    })
}

/// Plays calls, shifted in time, settling whenever `settles` says so, to 500 ticks after the last.
fn played(calls: &[(u64, Call)], shift: u64, settles: impl Fn(u64) -> bool) -> (LayerStack, u64) {
    let mut stack = LayerStack::default();
    let mut next = calls.iter().peekable();
    let end = calls[calls.len() - 1].0 + 500;
    for now in calls[0].0..=end {
        if settles(now) {
            stack.settle(now + shift, &SHORT);
        }
        while let Some((_, call)) = next.next_if(|(tick, _)| *tick == now) {
            call.apply(&mut stack, now + shift);
        }
    }
    stack.settle(end + shift, &SHORT);
    (stack, end + shift)
}

/// Nodes that the random sequences tell apart, by their masks: none, one of the two, both.
const NODES: [&[u32]; 4] = [&[], &[0], &[1], &[0, 1]];

/// The share of each layer in a node, as [`crate::layer_blend::node_weights`] has it.
fn node_weights(stack: &LayerStack, now: u64, masks: &[u32]) -> [f64; LAYERS_MAX] {
    let moments = stack.moments(now);
    let mut weights = [0.0; LAYERS_MAX];
    let mut uncovered = 1.0;
    for (weight, moment) in weights.iter_mut().zip(moments).rev() {
        let covers =
            if moment.mask.is_none_or(|mask| masks.contains(&mask)) { f64::from(moment.covers) } else { 0.0 };
        *weight = uncovered * covers;
        uncovered *= 1.0 - covers;
    }
    weights
}

/// A pose of a node that shows every clip's share, and where it is by a triangle wave that has no seam.
fn pose(stack: &LayerStack, now: u64, masks: &[u32]) -> [f64; 8] {
    let mut pose = [0.0; 8];
    for (moment, weight) in stack.moments(now).into_iter().zip(node_weights(stack, now, masks)) {
        let share = seconds_of(moment.position, 1.0);
        pose[moment.clip as usize] += weight;
        pose[4 + moment.clip as usize] += weight * (2.0 * share - 1.0).abs();
    }
    pose
}

/// By how much a value of the pose can change from a tick to the next.
fn fastest_change(stack: &LayerStack, now: u64) -> f64 {
    let layers = stack.gpu_layers().iter().filter_map(GpuLayer::unpack);
    let change = |(number, layer): (usize, Layer)| {
        let start = if layer.leaving {
            layer.fade_tick.saturating_sub(layer.fade_ticks.into())
        } else {
            layer.fade_tick
        };
        let fades = number > 0 && (start..fade_end(&layer)).contains(&now);
        // Nothing in these sequences is faster; at its exact end a clip that stands has another rate, but does not move.
        let cycles = 3.0 / (0.0007 * f64::from(TICKS_PER_SECOND));
        let magnitude = layer.start.rate.magnitude as f64 / 18_446_744_073_709_551_616.0;
        (if fades { 1.0 / f64::from(layer.fade_ticks) } else { 0.0 }) + 2.0 * magnitude.min(cycles)
    };
    layers.enumerate().map(change).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn the_pose_jumps_only_when_asked_to(calls in any_calls()) {
        let mut stack = LayerStack::default();
        let mut next = calls.iter().peekable();
        let mut before: Option<([[f64; 8]; 4], f64)> = None;
        for now in calls[0].0..calls[calls.len() - 1].0 + 300 {
            // What follows as a cut does so at its tick, or when there is room for it. So does a masked cut.
            let waits = |stack: &LayerStack| {
                let after = stack.after.filter(|_| !stack.follows);
                let cuts = [after, stack.waiting_masked.map(|masked| masked.play)];
                cuts.map(|play| play.is_some_and(|play| play.fade_ticks == 0))
            };
            let waited = waits(&stack);
            let tops = stack.gpu_layers().iter().skip(1).filter_map(GpuLayer::unpack);
            let mut cut = tops.into_iter().any(|layer| layer.fade_ticks == 0 && layer.fade_tick == now);
            // A masked clip without a fade leaves without one.
            let leaves = |stack: &LayerStack| stack.gpu_layers().iter().any(|layer| {
                layer.unpack().is_some_and(|layer| layer.mask.is_some() && layer.fade_ticks == 0)
            });
            let could_leave = leaves(&stack) && stack.leaves_at_end;
            let (expected, due) = (stack.next_event_tick(), stack.settle(now, &SHORT));
            cut |= could_leave && !leaves(&stack);
            cut |= waited.iter().zip(waits(&stack)).any(|(before, after)| *before && !after);
            prop_assert_eq!(due, expected == Some(now), "settling changes something at the ticks that it names");
            let mut speed = fastest_change(&stack, now);
            while let Some((_, call)) = next.next_if(|(tick, _)| *tick == now) {
                cut |= call.cuts() || stack.clips().count() == 0;
                let layers = *stack.gpu_layers();
                let waited = waits(&stack);
                prop_assert_eq!(call.apply(&mut stack, now), layers != *stack.gpu_layers());
                // Stopping makes room.
                cut |= waited != [false; 2] && matches!(call, Call::StopMasked(_) | Call::PlayMasked(_));
                speed += fastest_change(&stack, now) + call.fade_speed();
            }
            let in_use = stack.gpu_layers().map(|layer| layer.unpack().map(|layer| layer.mask.is_some()));
            prop_assert!(in_use[0] != Some(true) && in_use.is_sorted_by_key(|masked| match masked {
                Some(masked) => u8::from(*masked),
                None => 2,
            }), "{:?}", in_use);
            let here = NODES.map(|masks| pose(&stack, now, masks));
            if stack.clips().count() > 0 {
                for pose in here {
                    prop_assert!((pose[..4].iter().sum::<f64>() - 1.0).abs() < 1e-6);
                }
            }
            if let Some((old, bound)) = before.filter(|_| !cut) {
                for (a, b) in old.as_flattened().iter().zip(here.as_flattened()) {
                    // A fade that turns round does so on a whole tick.
                    let bound = bound.max(speed) + 1e-5;
                    prop_assert!((a - b).abs() <= bound, "at {}: {} to {}, not by {}", now, a, b, bound);
                }
            }
            before = Some((here, fastest_change(&stack, now)));
        }
    }

    #[test]
    fn it_does_not_matter_how_often_a_stack_is_settled(calls in any_calls(), every in 2u64..200) {
        let (only_at_the_end, _) = played(&calls, 0, |_| false);
        prop_assert_eq!(only_at_the_end, played(&calls, 0, |_| true).0);
        prop_assert_eq!(only_at_the_end, played(&calls, 0, |now| now % every == 0).0);
    }

    #[test]
    fn a_month_of_uptime_changes_nothing(calls in any_calls(), days in 1u64..31) {
        let (first, end) = played(&calls, 0, |_| true);
        let (late, late_end) = played(&calls, days * 86_400 * SECOND, |_| true);
        prop_assert_eq!(first.moments(end), late.moments(late_end));
        prop_assert_eq!(first.is_finished(end), late.is_finished(late_end));
    }

    #[test]
    fn a_change_of_speed_or_mode_or_a_pause_moves_nothing(
        mode in any_mode(), new_mode in any_mode(), speed in any_speed(), new_speed in any_speed(),
        phase in 0.0..1.0f32, clip in 0u32..5, ticks in prop_oneof![0..4 * SECOND, 0..30 * 86_400 * SECOND],
    ) {
        let stack = playing(&Play { clip, mode, speed, phase, fade_ticks: 0 });
        let share = |stack: &LayerStack, now| seconds_of(stack.moments(now)[0].position, 1.0);
        let apart = |stack: &LayerStack, other: &LayerStack, now| (share(stack, now) - share(other, now)).abs();
        let near = 1.0 / 16_777_216.0;
        type Change<'a> = &'a dyn Fn(&mut LayerStack) -> bool;
        let changes: [Change<'_>; 4] = [
            &|stack| stack.set_speed(ticks, new_speed, &DURATIONS),
            &|stack| stack.set_mode(ticks, new_mode, &DURATIONS),
            &|stack| stack.pause(ticks, true, &DURATIONS),
            &|stack| stack.pause(ticks, true, &DURATIONS) | stack.pause(ticks, false, &DURATIONS),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = stack;
            change(&mut changed);
            prop_assert!(apart(&stack, &changed, ticks) <= near, "{}", number);
        }
        // There and back, and a pause that is over, go on as if nothing had been.
        let mut changed = stack;
        changed.pause(ticks, true, &DURATIONS);
        prop_assert!(apart(&stack, &changed, ticks) <= near);
        let stood = share(&changed, ticks + 7 * SECOND);
        prop_assert!((stood - share(&stack, ticks)).abs() <= near);
        changed.pause(ticks + 7 * SECOND, false, &DURATIONS);
        let (later, on) = (share(&changed, ticks + 7 * SECOND + 999), share(&stack, ticks + 999));
        let difference = (later - on).abs();
        let difference = if mode == ClipMode::Loop { difference.min(1.0 - difference) } else { difference };
        prop_assert!(difference <= near, "{} and {}", later, on);
        let mut same = stack;
        same.set_speed(ticks, 0.25, &DURATIONS);
        same.set_speed(ticks, speed, &DURATIONS);
        let difference = apart(&stack, &same, ticks + 999);
        let difference = if mode == ClipMode::Loop { difference.min(1.0 - difference) } else { difference };
        prop_assert!(difference <= near || stack.is_finished(ticks), "{}", difference);
    }
}
