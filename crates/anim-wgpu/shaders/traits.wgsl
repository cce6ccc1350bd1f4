// How an instance looks: 16 bytes.

struct InstanceTraits {
    // Linear colour, four unorm8.
    color: u32,
    user_data: u32,
    // One bit a part, of the first 64; later parts are always shown.
    part_mask: vec2<u32>,
}

fn shows_part(traits: InstanceTraits, part: u32) -> bool {
    let word = select(traits.part_mask.x, traits.part_mask.y, part >= 32u);
    return part >= 64u || ((word >> (part & 31u)) & 1u) == 1u;
}
