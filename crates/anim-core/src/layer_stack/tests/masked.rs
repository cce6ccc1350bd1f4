//! What a stack shows while a masked clip plays on top of it.

use super::*;

/// A masked clip of mask 0.
fn masked(clip: u32, fade_ticks: u32) -> MaskedPlay {
    MaskedPlay { play: fading(clip, fade_ticks), mask: 0, leaves_at_end: false }
}

/// Walks with clip 0 and waves with clip 1, faded in from tick 100 to 200.
fn waving() -> LayerStack {
    let mut stack = playing(&clip(0));
    assert!(stack.play_masked(100, &masked(1, 100), &DURATIONS));
    stack
}

/// Clip number and share of every layer in use, in nodes that are in mask 0 and in nodes that are in none.
fn shares(stack: &LayerStack, now: u64) -> [Vec<(u32, f64)>; 2] {
    let in_use = stack.clips().count();
    let moments = stack.moments(now);
    [&[0][..], &[]].map(|masks| {
        let weights = node_weights(stack, now, masks);
        let shares = moments.iter().zip(weights).map(|(moment, weight)| (moment.clip, weight));
        shares.take(in_use).filter(|(_, share)| *share > 0.0).collect()
    })
}

fn masked_clip(stack: &LayerStack, now: u64) -> Option<u32> {
    stack.masked_clip(now, &DURATIONS).map(|masked| masked.clip)
}

#[test]
fn a_masked_clip_covers_its_nodes_and_no_others_and_stays() {
    let mut stack = waving();
    assert_eq!(shares(&stack, 150), [vec![(0, 0.5), (1, 0.5)], vec![(0, 1.0)]]);
    assert_eq!(stack.next_event_tick(), None, "nothing happens when it has faded in");
    assert!(!stack.settle(90 * SECOND, &DURATIONS));
    assert_eq!(shares(&stack, 90 * SECOND), [vec![(1, 1.0)], vec![(0, 1.0)]]);
    assert_eq!((stack.current_clip(150), masked_clip(&stack, 150)), (Some(0), Some(1)));
    let found = stack.masked_clip(100 + SECOND / 4, &DURATIONS).expect("a masked clip");
    assert_eq!((found.mask, found.finished), (0, false));
    assert_near(found.time_seconds, 0.25);
    assert_eq!(stack.masks().collect::<Vec<_>>(), [0]);
}

#[test]
fn a_masked_clip_needs_something_below_it_and_a_mask_that_a_layer_can_name() {
    let mut stack = LayerStack::default();
    assert!(!stack.play_masked(9, &masked(1, 0), &DURATIONS) && !stack.stop_masked(9, 0, &DURATIONS));
    assert_eq!((stack, stack.masked_clip(9, &DURATIONS)), (LayerStack::default(), None));
    let mut stack = playing(&clip(0));
    let before = stack;
    assert!(!stack.play_masked(9, &MaskedPlay { mask: 255, ..masked(1, 0) }, &DURATIONS));
    assert!(!stack.play_masked(9, &masked(5, 0), &DURATIONS));
    assert_eq!(stack, before);
    assert!(stack.play_masked(9, &MaskedPlay { mask: 254, ..masked(1, 0) }, &DURATIONS));
    assert_eq!(stack.gpu_layers()[1].unpack().and_then(|layer| layer.mask), Some(254));
}

#[test]
fn the_legs_change_below_a_masked_clip() {
    let mut stack = waving();
    stack.play(300, &fading(2, 100), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 2, 1]);
    assert_eq!(shares(&stack, 350), [vec![(1, 1.0)], vec![(0, 0.5), (2, 0.5)]]);
    assert_eq!(stack.next_event_tick(), Some(400));
    // All layers are busy: the next one waits.
    assert!(!stack.play(350, &fading(4, 100), &DURATIONS));
    assert!(stack.settle(400, &DURATIONS));
    assert_eq!(shares(&stack, 450), [vec![(1, 1.0)], vec![(2, 0.5), (4, 0.5)]]);
    // A cut below it is a cut of the legs alone, and all requests about the current clip are about theirs.
    stack.play(460, &clip(0), &DURATIONS);
    assert_eq!(shares(&stack, 460), [vec![(1, 1.0)], vec![(0, 1.0)]]);
    assert!(stack.seek(460, 0.75, &DURATIONS) && stack.set_speed(460, 0.0, &DURATIONS));
    assert_near(seconds(&stack, 470), 0.75);
    let wave = stack.masked_clip(470, &DURATIONS).expect("a masked clip");
    assert_near(wave.time_seconds, 370.0 / SECOND as f64);
}

#[test]
fn a_clip_follows_below_a_masked_clip() {
    let mut stack = playing(&once(0));
    stack.play_after(50, &fading(2, 60), &DURATIONS);
    stack.play_masked(100, &masked(1, 100), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 2, 1]);
    assert_eq!((stack.current_clip(SECOND - 61), stack.current_clip(SECOND - 60)), (Some(0), Some(2)));
    stack.settle(SECOND, &DURATIONS);
    assert_eq!(shares(&stack, SECOND), [vec![(1, 1.0)], vec![(2, 1.0)]]);
}

#[test]
fn what_follows_makes_room_for_a_masked_clip_and_takes_the_next_one() {
    let mut stack = playing(&once(0));
    stack.play_after(50, &fading(2, 60), &DURATIONS);
    stack.play_masked(100, &masked(1, 100), &DURATIONS);
    stack.play_masked(300, &masked(4, 100), &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 1, 4]);
    stack.settle(400, &DURATIONS);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [0, 2, 4]);
    stack.settle(SECOND, &DURATIONS);
    assert_eq!(shares(&stack, SECOND), [vec![(4, 1.0)], vec![(2, 1.0)]]);
}

#[test]
fn stopping_fades_out_from_what_is_covered() {
    let mut stack = waving();
    assert!(stack.stop_masked(1000, 80, &DURATIONS));
    assert_eq!(masked_clip(&stack, 1000), None);
    assert_eq!(shares(&stack, 1020)[0], [(0, 0.25), (1, 0.75)]);
    assert_eq!(stack.next_event_tick(), Some(1080));
    assert!(stack.settle(1080, &DURATIONS) && stack.clips().eq([0]));
    // Half faded in, it needs half the time; asked again, it goes on as it was.
    let mut stack = waving();
    stack.stop_masked(150, 80, &DURATIONS);
    assert_eq!(shares(&stack, 150)[0], [(0, 0.5), (1, 0.5)]);
    assert!(!stack.stop_masked(170, 80, &DURATIONS));
    assert_eq!(shares(&stack, 170)[0], [(0, 0.75), (1, 0.25)]);
    assert!(stack.stop_masked(170, 8, &DURATIONS));
    assert_eq!(stack.next_event_tick(), Some(172));
    // One that was asked for at this tick has covered nothing, and 0 ticks are a cut.
    for (now, fade_ticks) in [(100, 80), (1000, 0)] {
        let mut stack = waving();
        assert!(stack.stop_masked(now, fade_ticks, &DURATIONS) && stack.clips().eq([0]), "{now}");
    }
}

#[test]
fn a_masked_clip_of_the_same_mask_is_faded_over_and_one_of_another_fades_out() {
    let mut stack = waving();
    stack.play_masked(1000, &masked(2, 100), &DURATIONS);
    assert_eq!(shares(&stack, 1050), [vec![(1, 0.5), (2, 0.5)], vec![(0, 1.0)]]);
    assert_eq!((stack.next_event_tick(), masked_clip(&stack, 1050)), (Some(1100), Some(2)));
    assert!(stack.settle(1100, &DURATIONS) && stack.clips().eq([0, 2]));

    let mut stack = waving();
    stack.play_masked(1000, &MaskedPlay { mask: 1, ..masked(2, 100) }, &DURATIONS);
    assert_eq!(shares(&stack, 1050), [vec![(0, 0.5), (1, 0.5)], vec![(0, 1.0)]]);
    assert_eq!(node_weights(&stack, 1050, &[1]), [0.5, 0.0, 0.5]);
    assert_eq!(node_weights(&stack, 1050, &[0, 1]), [0.25, 0.25, 0.5]);
    assert!(stack.settle(1100, &DURATIONS) && stack.clips().eq([0, 2]));

    // A cut, and one of the same tick.
    let mut stack = waving();
    stack.play_masked(1000, &masked(2, 0), &DURATIONS);
    stack.play_masked(1000, &masked(4, 50), &DURATIONS);
    assert!(stack.clips().eq([0, 4]));
}

#[test]
fn a_masked_clip_of_the_same_tick_takes_its_wish_to_leave_with_it() {
    let mut stack = waving();
    stack.play_masked(2 * SECOND, &MaskedPlay { leaves_at_end: true, ..masked(2, 100) }, &DURATIONS);
    stack.play_masked(2 * SECOND, &masked(4, 100), &DURATIONS);
    assert_eq!(shares(&stack, 2 * SECOND)[0], [(1, 1.0)], "it has not begun to leave in the past");
    assert!(stack.settle(2 * SECOND + 100, &DURATIONS) && !stack.settle(90 * SECOND, &DURATIONS));
    assert!(stack.clips().eq([0, 4]));
}

#[test]
fn one_that_leaves_slowly_is_not_dropped_by_one_of_another_mask() {
    let mut stack = waving();
    stack.stop_masked(1000, 1000, &DURATIONS);
    stack.play_masked(1000, &MaskedPlay { mask: 1, ..masked(2, 100) }, &DURATIONS);
    assert!(!stack.settle(1500, &DURATIONS));
    assert_eq!(node_weights(&stack, 1500, &[0]), [0.5, 0.5, 0.0]);
    assert!(stack.settle(2000, &DURATIONS) && stack.clips().eq([0, 2]));
}

#[test]
fn a_masked_request_waits_for_the_end_of_a_fade() {
    let mut stack = playing(&clip(0));
    stack.play(10, &fading(2, 100), &DURATIONS);
    stack.play(20, &fading(4, 200), &DURATIONS);
    assert!(!stack.play_masked(30, &MaskedPlay { mask: 7, ..masked(1, 50) }, &DURATIONS));
    assert!(!stack.play_masked(40, &MaskedPlay { mask: 8, ..masked(1, 50) }, &DURATIONS), "instead");
    assert!(stack.masks().eq([8]) && masked_clip(&stack, 40).is_none());
    let stopped = {
        let mut stack = stack;
        stack.stop_masked(50, 0, &DURATIONS);
        stack
    };
    assert_eq!(stopped.masks().count(), 0);
    // Settled late: it has been running since there was room.
    assert!(stack.settle(120, &DURATIONS));
    assert_eq!(stack.moments(120)[2].covers, 0.2);
    assert_eq!(stack.clips().collect::<Vec<_>>(), [2, 4, 1]);
}

#[test]
fn stopping_a_masked_clip_makes_room_at_once() {
    let mut stack = waving();
    stack.play(300, &fading(2, 1000), &DURATIONS);
    stack.play(310, &fading(4, 1000), &DURATIONS);
    assert!(stack.clips().eq([0, 2, 1]));
    assert!(stack.stop_masked(400, 0, &DURATIONS));
    assert!(stack.clips().eq([0, 2, 4]));
}

#[test]
fn a_masked_clip_can_leave_so_that_it_has_gone_at_its_end() {
    let leaving = |play: Play| MaskedPlay { play, mask: 0, leaves_at_end: true };
    let second = TICKS_PER_SECOND;
    let table = [
        // What plays from tick 100 on; when it begins to leave, when it has gone.
        (Play { fade_ticks: 50, ..once(1) }, SECOND + 50, SECOND + 100),
        (Play { fade_ticks: 50, speed: -2.0, ..once(1) }, SECOND / 2 + 50, SECOND / 2 + 100),
        (Play { fade_ticks: 50, ..clip(1) }, SECOND + 50, SECOND + 100),
        (Play { fade_ticks: 0, ..once(1) }, SECOND + 100, SECOND + 100),
        // Too short for its fades: it leaves as soon as it is faded in.
        (Play { fade_ticks: second, ..once(1) }, SECOND + 100, 2 * SECOND + 100),
        (Play { fade_ticks: 50, phase: 1.0, ..once(1) }, 150, 200),
        // A single pose that has run once.
        (Play { fade_ticks: 50, ..once(3) }, 150, 200),
    ];
    for (play, leaves, gone) in table {
        let mut stack = playing(&clip(0));
        stack.play_masked(100, &leaving(play), &DURATIONS);
        let mut late = stack;
        assert!(!stack.settle(leaves - 1, &DURATIONS), "{play:?}");
        assert_eq!(stack.next_event_tick(), Some(leaves), "{play:?}");
        assert_eq!(masked_clip(&stack, leaves - 1), Some(play.clip));
        assert!(stack.settle(leaves, &DURATIONS));
        assert_eq!(masked_clip(&stack, leaves), None);
        assert_eq!(stack.next_event_tick(), (gone > leaves).then_some(gone));
        stack.settle(gone, &DURATIONS);
        assert!(stack.clips().eq([0]), "{play:?}");
        late.settle(gone + 7, &DURATIONS);
        assert_eq!(late, stack, "{play:?}");
    }
    for stands in [Play { speed: 0.0, ..once(1) }, clip(3)] {
        let mut stack = playing(&clip(0));
        stack.play_masked(100, &leaving(stands), &DURATIONS);
        assert_eq!((stack.next_event_tick(), stack.settle(90 * SECOND, &DURATIONS)), (None, false));
    }
}

#[test]
fn a_masked_clip_does_not_leave_while_the_stack_is_paused() {
    let mut stack = playing(&clip(0));
    stack.play_masked(
        100,
        &MaskedPlay { play: Play { fade_ticks: 50, ..once(1) }, mask: 0, leaves_at_end: true },
        &DURATIONS,
    );
    stack.pause(1000, true, &DURATIONS);
    assert_eq!((stack.next_event_tick(), stack.settle(9 * SECOND, &DURATIONS)), (None, false));
    let time = |stack: &LayerStack, now| stack.masked_clip(now, &DURATIONS).map(|masked| masked.time_seconds);
    assert_near(time(&stack, 9 * SECOND).expect("a clip"), 900.0 / SECOND as f64);
    stack.pause(9 * SECOND, false, &DURATIONS);
    assert_eq!(stack.next_event_tick(), Some(10 * SECOND - 900 - 50));
}

#[test]
fn a_masked_clip_that_runs_once_stays_at_its_end_until_it_is_stopped() {
    let mut stack = playing(&clip(0));
    stack.play_masked(
        100,
        &MaskedPlay { play: Play { fade_ticks: 50, ..once(1) }, ..masked(1, 0) },
        &DURATIONS,
    );
    let now = 9 * SECOND;
    assert!(!stack.settle(now, &DURATIONS));
    let found = stack.masked_clip(now, &DURATIONS).expect("a masked clip");
    assert!(found.finished && !stack.is_finished(now));
    assert_near(found.time_seconds, 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn nodes_outside_the_mask_do_as_without_it_unless_somebody_waits(calls in any_calls()) {
        let (mut stack, mut alone) = (LayerStack::default(), LayerStack::default());
        let mut next = calls.iter().peekable();
        for now in calls[0].0..calls[calls.len() - 1].0 + 300 {
            stack.settle(now, &SHORT);
            alone.settle(now, &SHORT);
            while let Some((_, call)) = next.next_if(|(tick, _)| *tick == now) {
                call.apply(&mut stack, now);
                if !matches!(call, Call::PlayMasked(_) | Call::StopMasked(_)) {
                    call.apply(&mut alone, now);
                }
                if stack.waits() || alone.waits() {
                    return Ok(());
                }
            }
            prop_assert_eq!(pose(&stack, now, &[]), pose(&alone, now, &[]), "at {}", now);
            prop_assert_eq!(stack.current_clip(now), alone.current_clip(now));
            prop_assert_eq!(stack.is_finished(now), alone.is_finished(now));
        }
    }
}
