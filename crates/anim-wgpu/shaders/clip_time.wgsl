// Where a clip is at a tick: the twin of clock.rs in anim-core, with the same integer operations in the same order.

const MODE_LOOP: u32 = 0u;
const MODE_ONCE: u32 = 1u;
const MODE_PING_PONG: u32 = 2u;

struct ClipStart {
    start_tick: vec2<u32>,
    phase: u32,
    returning: bool,
    rate: vec2<u32>,
    backwards: bool,
}

struct ClipPosition {
    phase: u32,
    at_end: bool,
}

// The 64-bit product of two 32-bit numbers: low and high half.
fn mul_wide(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let p00 = a0 * b0;
    let p01 = a0 * b1;
    let p10 = a1 * b0;
    let p11 = a1 * b1;
    // At most (2^16 - 1) + 2 * (2^16 - 1): no overflow.
    let middle = (p00 >> 16u) + (p01 & 0xffffu) + (p10 & 0xffffu);
    return vec2<u32>(
        (p00 & 0xffffu) | (middle << 16u),
        p11 + (p01 >> 16u) + (p10 >> 16u) + (middle >> 16u),
    );
}

// Ticks from `from_tick` to `to_tick`, 0 if it is the later one.
fn ticks_between(from_tick: vec2<u32>, to_tick: vec2<u32>) -> vec2<u32> {
    if to_tick.y < from_tick.y || (to_tick.y == from_tick.y && to_tick.x < from_tick.x) {
        return vec2<u32>(0u, 0u);
    }
    let borrow = select(0u, 1u, to_tick.x < from_tick.x);
    return vec2<u32>(to_tick.x - from_tick.x, to_tick.y - from_tick.y - borrow);
}

// Whole cycles passed (saturating) and the rest in units of 2^-32.
fn cycles_passed(elapsed: vec2<u32>, magnitude: vec2<u32>) -> vec2<u32> {
    let p00 = mul_wide(elapsed.x, magnitude.x);
    let p01 = mul_wide(elapsed.x, magnitude.y);
    let p10 = mul_wide(elapsed.y, magnitude.x);
    let p11 = mul_wide(elapsed.y, magnitude.y);
    let column = p00.y + p01.x;
    let fraction = column + p10.x;
    let carry = select(0u, 1u, column < p00.y) + select(0u, 1u, fraction < column);
    let upper_a = p01.y + p10.y;
    let upper_b = upper_a + p11.x;
    let whole = upper_b + carry;
    let beyond = upper_a < p01.y || upper_b < upper_a || whole < upper_b || p11.y != 0u;
    return vec2<u32>(select(whole, 0xffffffffu, beyond), fraction);
}

fn clip_position(start: ClipStart, now_tick: vec2<u32>, mode: u32) -> ClipPosition {
    let passed = cycles_passed(ticks_between(start.start_tick, now_tick), start.rate);
    var phase = start.phase + passed.y;
    var crossed = phase < start.phase;
    if start.backwards {
        phase = start.phase - passed.y;
        crossed = passed.y > start.phase;
    }
    var ends_crossed = passed.x;
    if crossed && ends_crossed != 0xffffffffu {
        ends_crossed += 1u;
    }
    if mode == MODE_ONCE && ends_crossed > 0u {
        let at_end = !start.backwards;
        return ClipPosition(select(0u, 0xffffffffu, at_end), at_end);
    }
    if mode == MODE_PING_PONG {
        let returning = start.returning != ((ends_crossed & 1u) == 1u);
        return ClipPosition(select(phase, ~phase, returning), false);
    }
    return ClipPosition(phase, false);
}

struct FramePlace {
    frame: u32,
    blend: f32,
}

fn frame_of(position: ClipPosition, intervals: u32) -> FramePlace {
    if intervals == 0u {
        return FramePlace(0u, 0.0);
    }
    if position.at_end {
        return FramePlace(intervals - 1u, 1.0);
    }
    let product = mul_wide(position.phase, intervals);
    return FramePlace(product.y, f32(product.x >> 8u) * (1.0 / 16777216.0));
}

fn fade_passed(fade_start_tick: vec2<u32>, fade_ticks: u32, now_tick: vec2<u32>) -> f32 {
    if now_tick.y < fade_start_tick.y || (now_tick.y == fade_start_tick.y && now_tick.x < fade_start_tick.x) {
        return 0.0;
    }
    let elapsed = ticks_between(fade_start_tick, now_tick);
    if elapsed.y > 0u || elapsed.x >= fade_ticks {
        return 1.0;
    }
    return f32(elapsed.x) / f32(fade_ticks);
}

fn fade_left(fade_end_tick: vec2<u32>, fade_ticks: u32, now_tick: vec2<u32>) -> f32 {
    let left = ticks_between(now_tick, fade_end_tick);
    if left.x == 0u && left.y == 0u {
        return 0.0;
    }
    if left.y > 0u || left.x >= fade_ticks {
        return 1.0;
    }
    return f32(left.x) / f32(fade_ticks);
}
