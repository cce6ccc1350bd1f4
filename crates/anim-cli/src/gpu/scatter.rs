//! Numbers that look random and are the same in every run: how instances differ from each other.

/// A number in `[0, 1)` for an instance and a use.
#[expect(clippy::cast_precision_loss, reason = "24 bits")]
pub(crate) fn share(instance: u32, usage: u32) -> f32 {
    (hash(instance, usage) >> 8) as f32 / 16_777_216.0
}

/// A whole number for an instance and a use.
pub(crate) fn hash(instance: u32, usage: u32) -> u32 {
    let mut hash = instance.wrapping_mul(0x9E37_79B9) ^ usage.wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2C1B_3C6D);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297A_2D39);
    hash ^ hash >> 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_spread_over_all_instances_and_uses() {
        for usage in 0..12 {
            let mut tenths = [0; 10];
            for instance in 0..10_000 {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
                let tenth = (share(instance, usage) * 10.0) as usize;
                tenths[tenth] += 1;
            }
            assert!(tenths.iter().all(|count| (800..1200).contains(count)), "{usage}: {tenths:?}");
        }
    }
}
