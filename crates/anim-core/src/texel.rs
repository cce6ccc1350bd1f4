//! (frame, element, row) to a texel number, and a texel number to a place in a page.

/// Where the texels of one track of one clip lie inside their page.
///
/// The track owns `header_texels + frames * elements_per_frame * texels_per_element` texels from `first_texel` on:
/// frame slowest, row fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackLayout {
    /// Number of the track's first texel in its page.
    pub first_texel: u32,
    /// Texels before the first frame.
    pub header_texels: u32,
    /// Elements of a frame: bones, in a rows page set.
    pub elements_per_frame: u32,
    /// Texels of an element: three rows, in a rows page set.
    pub texels_per_element: u32,
}

/// Texel number inside the page of `row` of `element` in `frame`.
///
/// All numbers have to be inside the track; the result is then below the texel count of the page, which a page never
/// takes beyond 2^24. Outside it the result wraps.
#[must_use]
pub const fn texel_number(track: &TrackLayout, frame: u32, element: u32, row: u32) -> u32 {
    let elements_before = frame.wrapping_mul(track.elements_per_frame).wrapping_add(element);
    track
        .first_texel
        .wrapping_add(track.header_texels)
        .wrapping_add(elements_before.wrapping_mul(track.texels_per_element))
        .wrapping_add(row)
}

/// Place `(x, y)` of a texel in a page that is `width` texels wide; `width` is at least 1.
#[must_use]
pub const fn texel_position(texel: u32, width: u32) -> (u32, u32) {
    (texel % width, texel / width)
}

/// Texels that a track owns, header included. `u64` so that hostile counts do not overflow.
#[must_use]
pub fn track_texels(
    header_texels: u32,
    frames: u32,
    elements_per_frame: u32,
    texels_per_element: u32,
) -> u128 {
    u128::from(header_texels)
        + u128::from(frames) * u128::from(elements_per_frame) * u128::from(texels_per_element)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frame_element_row_is_a_bijection_onto_the_allocated_texels(
            first_texel in 0..5000u32, header_texels in 0..9u32, frames in 1..12u32,
            elements_per_frame in 1..12u32, texels_per_element in 1..4u32, width in 1..300u32,
        ) {
            let track = TrackLayout { first_texel, header_texels, elements_per_frame, texels_per_element };
            let mut places = BTreeSet::new();
            for frame in 0..frames {
                for element in 0..elements_per_frame {
                    for row in 0..texels_per_element {
                        let texel = texel_number(&track, frame, element, row);
                        let (x, y) = texel_position(texel, width);
                        prop_assert!(x < width);
                        prop_assert_eq!(y * width + x, texel);
                        prop_assert!(places.insert(texel), "texel {} is used twice", texel);
                    }
                }
            }
            let allocated = track_texels(header_texels, frames, elements_per_frame, texels_per_element);
            prop_assert_eq!(u128::from(header_texels) + places.len() as u128, allocated);
            prop_assert_eq!(places.first().copied(), Some(first_texel + header_texels));
            prop_assert_eq!(u128::from(places.last().unwrap() + 1 - first_texel), allocated);
        }
    }
}
