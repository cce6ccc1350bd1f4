// Elements of local tracks in 8 bytes: the twin of local_encoding.rs in anim-core. Words that no writer makes may give a
// rotation that is not of unit length, which interpolation normalises.

@group(0) @binding(12) var<storage, read> pages: array<vec2<u32>>;

const ROTATION_ZERO: f32 = 524287.0;
const ROTATION_STEP: f32 = 1.3487018e-6;
const RANGED_STEP: f32 = 4.768374e-7;

// Three numbers of 20 bits, the place of the fourth, and the sign of all.
fn fetch_rotation(texel: u32) -> vec4<f32> {
    let words = pages[texel];
    let stored = vec3<u32>(
        words.x & 0xfffffu,
        (words.x >> 20u) | ((words.y & 0xffu) << 12u),
        (words.y >> 8u) & 0xfffffu,
    );
    let sign = select(1.0, -1.0, ((words.y >> 30u) & 1u) == 1u);
    let small = (vec3<f32>(stored) - ROTATION_ZERO) * (sign * ROTATION_STEP);
    let largest = sign * sqrt(max(1.0 - dot(small, small), 0.0));
    let dropped = (words.y >> 28u) & 3u;
    return vec4<f32>(
        select(small.x, largest, dropped == 0u),
        select(select(small.y, largest, dropped == 1u), small.x, dropped == 0u),
        select(select(small.z, largest, dropped == 2u), small.y, dropped < 2u),
        select(largest, small.z, dropped < 3u),
    );
}

// Three numbers of 21 bits in a range: its lower corner, and one extent for all three.
fn fetch_value(texel: u32, range: vec4<f32>) -> vec3<f32> {
    let words = pages[texel];
    let stored = vec3<u32>(
        words.x & 0x1fffffu,
        (words.x >> 21u) | ((words.y & 0x3ffu) << 11u),
        (words.y >> 10u) & 0x1fffffu,
    );
    return range.xyz + vec3<f32>(stored) * (range.w * RANGED_STEP);
}

// Entry of a frame table, which starts at a texel.
fn fetch_frame(table: u32, frame: u32) -> u32 {
    return pages[table + frame / 2u][frame & 1u];
}
