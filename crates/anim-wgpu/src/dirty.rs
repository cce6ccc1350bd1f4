//! Which blocks of 64 instances changed since the last upload.

use std::ops::Range;

const BLOCK: u32 = 64;

/// A bit for each block. Costs nothing while nothing changes.
#[derive(Debug, Default)]
pub(crate) struct DirtyBlocks {
    words: Vec<u64>,
    any: bool,
}

impl DirtyBlocks {
    /// Marks a range of instance numbers.
    pub(crate) fn mark(&mut self, instances: Range<u32>) {
        if instances.is_empty() {
            return;
        }
        let (first, last) = (instances.start / BLOCK, (instances.end - 1) / BLOCK);
        let needed = last as usize / 64 + 1;
        if self.words.len() < needed {
            self.words.resize(needed.next_power_of_two(), 0);
        }
        for word in first / 64..=last / 64 {
            let low = if word == first / 64 { first % 64 } else { 0 };
            let high = if word == last / 64 { last % 64 } else { 63 };
            self.words[word as usize] |= (u64::MAX << low) & (u64::MAX >> (63 - high));
        }
        self.any = true;
    }

    /// Calls `upload` with each run of marked blocks, as instance numbers below `count`, and forgets them.
    pub(crate) fn drain(&mut self, count: u32, mut upload: impl FnMut(Range<u32>)) {
        if !std::mem::take(&mut self.any) {
            return;
        }
        let mut run: Option<Range<u32>> = None;
        for (number, word) in (0..).zip(&mut self.words) {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let first = bits.trailing_zeros();
                let length = (!(bits >> first)).trailing_zeros().min(64 - first);
                bits &= !((u64::MAX >> (64 - length)) << first);
                let start = (number * 64 + first) * BLOCK;
                let end = start + length * BLOCK;
                match &mut run {
                    Some(run) if run.end == start => run.end = end,
                    _ => {
                        if let Some(run) = run.replace(start..end)
                            && run.start < count
                        {
                            upload(run.start..run.end.min(count));
                        }
                    }
                }
            }
        }
        if let Some(run) = run
            && run.start < count
        {
            upload(run.start..run.end.min(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(marked: &[Range<u32>], count: u32, expected: &[Range<u32>]) {
        let mut dirty = DirtyBlocks::default();
        for range in marked {
            dirty.mark(range.clone());
        }
        let mut found = Vec::new();
        dirty.drain(count, |range| found.push(range));
        assert_eq!(found, expected, "{marked:?}");
        dirty.drain(count, |range| panic!("{range:?} again"));
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "the lists hold ranges, also when there is one")]
    fn runs_of_blocks_are_joined_and_cut_to_the_count() {
        check(&[], 100, &[]);
        check(&[0..0], 100, &[]);
        check(&[0..1], 100, &[0..64]);
        check(&[70..71], 100, &[64..100]);
        check(&[0..1, 64..65, 200..201], 1000, &[0..128, 192..256]);
        check(&[0..1_000_000], 1_000_000, &[0..1_000_000]);
        check(&[4095..4097], 10_000, &[4032..4160]);
        check(&[63..64, 65 * 64..65 * 64 + 1], 10_000, &[0..64, 4160..4224]);
    }
}
