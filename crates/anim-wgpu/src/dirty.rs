//! Which instances changed since the last upload, in blocks.

use std::ops::Range;

/// A bit for each block of so many instances. Costs nothing while nothing changes.
#[derive(Debug, Default)]
pub(crate) struct DirtyBlocks<const BLOCK: u32> {
    words: Vec<u64>,
    any: bool,
}

impl<const BLOCK: u32> DirtyBlocks<BLOCK> {
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

    /// Calls `upload` with each run of marked blocks, as instance numbers below `count`, and forgets them. Runs with at most
    /// `gap` instances between them are one.
    pub(crate) fn drain(&mut self, count: u32, gap: u32, mut upload: impl FnMut(Range<u32>)) {
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
                    Some(run) if start - run.end <= gap => run.end = end,
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

    fn check<const BLOCK: u32>(marked: &[Range<u32>], count: u32, gap: u32, expected: &[Range<u32>]) {
        let mut dirty = DirtyBlocks::<BLOCK>::default();
        for range in marked {
            dirty.mark(range.clone());
        }
        let mut found = Vec::new();
        dirty.drain(count, gap, |range| found.push(range));
        assert_eq!(found, expected, "{marked:?}");
        dirty.drain(count, gap, |range| panic!("{range:?} again"));
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "the lists hold ranges, also when there is one")]
    fn runs_of_blocks_are_joined_and_cut_to_the_count() {
        check::<64>(&[], 100, 0, &[]);
        check::<64>(&[0..0], 100, 0, &[]);
        check::<64>(&[0..1], 100, 0, &[0..64]);
        check::<64>(&[70..71], 100, 0, &[64..100]);
        check::<64>(&[0..1, 64..65, 200..201], 1000, 0, &[0..128, 192..256]);
        check::<64>(&[0..1_000_000], 1_000_000, 0, &[0..1_000_000]);
        check::<64>(&[4095..4097], 10_000, 0, &[4032..4160]);
        check::<64>(&[63..64, 65 * 64..65 * 64 + 1], 10_000, 0, &[0..64, 4160..4224]);
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "the lists hold ranges, also when there is one")]
    fn single_instances_are_told_apart_and_near_ones_joined_where_that_is_wanted() {
        let marked = [3..5, 7..8, 130..131, 99..100];
        check::<1>(&marked, 131, 0, &[3..5, 7..8, 99..100, 130..131]);
        check::<1>(&marked, 131, 1, &[3..5, 7..8, 99..100, 130..131]);
        check::<1>(&marked, 131, 2, &[3..8, 99..100, 130..131]);
        check::<1>(&marked, 100, 63, &[3..8, 99..100]);
        check::<1>(&marked, 131, 91, &[3..131]);
        check::<1>(&[60..70, 127..129], 1000, 0, &[60..70, 127..129]);
    }
}
