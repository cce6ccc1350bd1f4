//! Which lists the culling passes fill and which draws read them: decided on the CPU, when the crowd's shape changes.
//!
//! A list (bin) holds the instances of a model that a view sees. Parts that every instance shows share one list a view;
//! a part that some instance hides has its own. In a frame of one view the shared list is the model's own. The palettes of
//! a model lie in chunks, and a draw reads one chunk, so that there is one draw for each view, part and chunk, and one
//! more for what lies beyond the last chunk.

use crate::gpu_types::{CullBin, DrawPlan, LIST_IN_TABLE, LIST_IS_ALL, PalettePlan};
use crate::palette::PaletteThreads;

const ANY: u32 = u32::MAX;

/// Threads of a workgroup of `cull_scan.wgsl`.
const SCAN_THREADS: usize = 256;

/// A part of a model as the plan sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanPart {
    pub(crate) first_index: u32,
    pub(crate) index_count: u32,
    /// Some instance hides it.
    pub(crate) is_hidden_by_some: bool,
}

/// A model as the plan sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanModel {
    /// Entries that each of its lists has room for.
    pub(crate) capacity: u32,
    pub(crate) bones: u32,
    /// Nodes of a local set, else 0.
    pub(crate) nodes: u32,
    /// Rounds in which they go up the hierarchy; where those and the bones start in the tables.
    pub(crate) rounds: u32,
    pub(crate) rounds_entry: u32,
    pub(crate) bones_entry: u32,
    /// Instances of one chunk of palettes, and of all.
    pub(crate) chunk_slots: u32,
    pub(crate) slots: u32,
    pub(crate) parts: Vec<PlanPart>,
}

/// One indexed indirect draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) model: usize,
    pub(crate) part: usize,
    /// Chunk of palettes, or `None` for instances that read the pages.
    pub(crate) chunk: Option<usize>,
    pub(crate) mirrored: bool,
    pub(crate) view: u32,
    /// Place of the chunk's first slot.
    pub(crate) first_place: u32,
    /// The list holds instances that do not show the part.
    pub(crate) checks_part: bool,
    /// It takes everything that is visible of the model, in order: no list is read.
    pub(crate) takes_all: bool,
}

/// All lists and draws of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct FramePlan {
    pub(crate) bins: Vec<CullBin>,
    pub(crate) draws: Vec<Draw>,
    pub(crate) draw_plans: Vec<DrawPlan>,
    pub(crate) palettes: Vec<PalettePlan>,
    /// Model and chunk of each of `palettes`.
    pub(crate) chunks: Vec<(usize, usize)>,
    /// First draw of each view, and the count of all.
    pub(crate) view_starts: Vec<usize>,
    /// Models: the first lists are theirs.
    pub(crate) models: u32,
    /// Every draw takes a whole list: no model has more than one chunk of palettes, or instances beyond them. One
    /// workgroup of the scan can write their dispatches.
    pub(crate) takes_whole_lists: bool,
    /// Entries of the table of draws, which lies before the lists.
    pub(crate) table: u32,
    /// Words of the lists, the table included.
    pub(crate) list_words: u64,
}

impl FramePlan {
    /// Plans a frame of `views` views. Lists of single parts are made only while all lists fit `words_max` words.
    pub(crate) fn new(models: &[PlanModel], views: u32, has_mirrored: bool, words_max: u64) -> Self {
        let plan = Self::with_part_lists(models, views, has_mirrored, true);
        if plan.list_words <= words_max {
            return plan;
        }
        Self::with_part_lists(models, views, has_mirrored, false)
    }

    #[expect(clippy::cast_possible_truncation, reason = "counts of parts, lists and draws")]
    fn with_part_lists(models: &[PlanModel], views: u32, has_mirrored: bool, part_lists: bool) -> Self {
        let mut plan = Self::default();
        let mirrors: &[u32] = if has_mirrored { &[1, 2] } else { &[0] };
        // Bases are relative to the table until its size is known.
        let mut words = 0u64;
        let mut add = |bins: &mut Vec<CullBin>, bin: CullBin, capacity: u32| -> u32 {
            bins.push(CullBin { list_base: words as u32, ..bin });
            words += u64::from(capacity);
            bins.len() as u32 - 1
        };
        for (number, model) in (0..).zip(models) {
            let bin = CullBin { view: ANY, model: number, part: ANY, ..CullBin::default() };
            add(&mut plan.bins, bin, model.capacity);
        }
        for view in 0..views {
            plan.view_starts.push(plan.draws.len());
            for (number, model) in models.iter().enumerate() {
                for &mirror in mirrors {
                    let shared =
                        CullBin { view, model: number as u32, part: ANY, mirror, ..CullBin::default() };
                    // One view sees all that is visible: the model's own list.
                    let takes_all = views == 1 && mirror == 0;
                    let mut shared_bin = takes_all.then_some(number as u32);
                    for (part_number, part) in model.parts.iter().enumerate() {
                        if part.index_count == 0 {
                            continue;
                        }
                        let own_list = part.is_hidden_by_some && part_lists;
                        let bin = if own_list {
                            let own = CullBin { part: part_number as u32, ..shared };
                            add(&mut plan.bins, own, model.capacity)
                        } else {
                            *shared_bin.get_or_insert_with(|| add(&mut plan.bins, shared, model.capacity))
                        };
                        let draw = Draw {
                            model: number,
                            part: part_number,
                            chunk: None,
                            mirrored: mirror == 2,
                            view,
                            first_place: 0,
                            checks_part: part.is_hidden_by_some && !own_list,
                            takes_all: takes_all && !own_list,
                        };
                        plan.add_draws(&draw, model, part, bin);
                    }
                }
            }
        }
        plan.view_starts.push(plan.draws.len());
        plan.finish(models, words);
        plan
    }

    /// One draw a chunk, and one for the instances beyond the last.
    fn add_draws(&mut self, draw: &Draw, model: &PlanModel, part: &PlanPart, bin: u32) {
        let first_of_model = self.bins[draw.model].list_base;
        let mut push = |chunk: Option<usize>, first: u32, end: u32| {
            let first_place = first_of_model + first;
            self.draws.push(Draw { chunk, first_place, ..*draw });
            self.draw_plans.push(DrawPlan {
                bin,
                list_base: 0,
                first_index: part.first_index,
                index_count: part.index_count,
                first_place,
                end_place: first_of_model.saturating_add(end),
                takes_all: u32::from(draw.takes_all),
                ..DrawPlan::default()
            });
        };
        let mut first = 0;
        for chunk in 0..model.chunk_count() {
            let end = (first + model.chunk_slots).min(model.slots);
            push(Some(chunk), first, end);
            first = end;
        }
        if model.capacity > model.slots {
            push(None, model.slots, model.capacity);
        }
    }

    /// Moves the lists behind the table of draws, and plans the palettes.
    #[expect(clippy::cast_possible_truncation, reason = "counts of chunks and draws")]
    fn finish(&mut self, models: &[PlanModel], words: u64) {
        self.table = (self.draws.len() as u32).next_multiple_of(64);
        self.list_words = words + u64::from(self.table);
        for bin in &mut self.bins {
            bin.list_base += self.table;
        }
        for draw in &mut self.draw_plans {
            draw.list_base = self.bins[draw.bin as usize].list_base;
        }
        self.models = models.len() as u32;
        for (number, model) in models.iter().enumerate() {
            let threads = PaletteThreads::of(model.bones, model.nodes);
            for chunk in 0..model.chunk_count() {
                let first = chunk as u32 * model.chunk_slots;
                self.chunks.push((number, chunk));
                self.palettes.push(PalettePlan {
                    bin: number as u32,
                    list_base: self.bins[number].list_base,
                    first,
                    slots: model.chunk_slots.min(model.slots - first),
                    bones: model.bones,
                    threads_log2: threads.threads_log2,
                    in_group: threads.in_group,
                    nodes: model.nodes,
                    rounds: model.rounds,
                    rounds_entry: model.rounds_entry,
                    bones_entry: model.bones_entry,
                    padding: 0,
                });
            }
        }
        self.takes_whole_lists = self.chunks.len() <= models.len().min(SCAN_THREADS)
            && self.chunks.iter().all(|(_, chunk)| *chunk == 0)
            && self.draws.iter().all(|draw| draw.chunk == Some(0));
    }

    /// Places: entries of all models' own lists together.
    pub(crate) fn places(&self) -> u64 {
        let first_view_bin = self.bins.iter().find(|bin| bin.view != ANY);
        first_view_bin.map_or(self.list_words, |bin| u64::from(bin.list_base)) - u64::from(self.table)
    }

    /// What `list` of a draw's uniform is.
    pub(crate) fn list_of(&self, draw: usize) -> u32 {
        match (self.draws[draw].takes_all, self.takes_whole_lists) {
            (true, _) => LIST_IS_ALL,
            (false, true) => self.draw_plans[draw].list_base,
            (false, false) => LIST_IN_TABLE,
        }
    }

    /// Draws of a view.
    pub(crate) fn draws_of(&self, view: u32) -> std::ops::Range<usize> {
        let view = view as usize;
        match (self.view_starts.get(view), self.view_starts.get(view + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        }
    }
}

impl PlanModel {
    /// Chunks that hold all slots.
    pub(crate) fn chunk_count(&self) -> usize {
        if self.slots == 0 { 0 } else { self.slots.div_ceil(self.chunk_slots.max(1)) as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(parts: usize, hidden: &[usize], capacity: u32, slots: u32, chunk_slots: u32) -> PlanModel {
        let part = |p| PlanPart { first_index: 0, index_count: 3, is_hidden_by_some: hidden.contains(&p) };
        let parts = (0..parts).map(part).collect();
        PlanModel { capacity, bones: 20, chunk_slots, slots, parts, ..PlanModel::default() }
    }

    #[test]
    fn parts_that_all_show_share_a_list() {
        let plan = FramePlan::new(&[model(5, &[3], 64, 64, 64)], 2, false, u64::MAX);
        // One for the palettes; for each view one shared and one for the hidden part.
        assert_eq!(plan.bins.len(), 1 + 2 * 2);
        assert_eq!(plan.draws.len(), 2 * 5);
        assert_eq!(plan.list_words, 64 * 5 + 64);
        assert!(plan.draws.iter().all(|draw| !draw.checks_part));
    }

    #[test]
    fn one_view_draws_what_is_visible_without_a_list() {
        let one = FramePlan::new(&[model(2, &[1], 64, 64, 64)], 1, false, u64::MAX);
        // The model's own list, and one for the part that some hide.
        assert_eq!(one.bins.len(), 2);
        assert_eq!(
            (0..2).map(|draw| one.list_of(draw)).collect::<Vec<_>>(),
            [LIST_IS_ALL, one.bins[1].list_base]
        );
        let two = FramePlan::new(&[model(2, &[1], 64, 64, 64)], 2, false, u64::MAX);
        assert!((0..4).all(|draw| two.list_of(draw) == two.draw_plans[draw].list_base));
        let mirrored = FramePlan::new(&[model(2, &[], 64, 64, 64)], 1, true, u64::MAX);
        assert!(mirrored.draws.iter().all(|draw| !draw.takes_all), "two lists of one view");
        let chunks = FramePlan::new(&[model(1, &[], 64, 60, 20)], 1, false, u64::MAX);
        assert!((0..4).all(|draw| chunks.list_of(draw) == LIST_IS_ALL), "{:?}", chunks.draws);
        let parts = FramePlan::new(&[model(2, &[1], 64, 60, 20)], 1, false, u64::MAX);
        assert!((4..8).all(|draw| parts.list_of(draw) == LIST_IN_TABLE), "{:?}", parts.draws);
    }

    #[test]
    fn without_room_parts_share_a_list_and_are_checked_while_they_are_drawn() {
        let plan = FramePlan::new(&[model(5, &[3], 64, 64, 64)], 2, false, 300);
        assert_eq!(plan.bins.len(), 1 + 2);
        assert_eq!(plan.draws.iter().filter(|draw| draw.checks_part).count(), 2);
    }

    #[test]
    fn chunks_and_the_rest_cover_every_place_once() {
        for (capacity, slots, chunk_slots) in
            [(100, 100, 100), (100, 30, 7), (100, 0, 9), (64, 64, 1), (256, 255, 100)]
        {
            let plan = FramePlan::new(
                &[model(1, &[], 10, 10, 10), model(1, &[], capacity, slots, chunk_slots)],
                1,
                true,
                u64::MAX,
            );
            let mut covered = vec![0; 10 + capacity as usize];
            for (draw, of) in plan.draw_plans.iter().zip(&plan.draws) {
                if !of.mirrored {
                    for place in draw.first_place..draw.end_place {
                        covered[place as usize] += 1;
                    }
                }
            }
            assert!(covered.iter().all(|&n| n == 1), "{capacity} {slots} {chunk_slots}: {covered:?}");
            let chunks: u32 = plan.palettes.iter().filter(|p| p.bin == 1).map(|p| p.slots).sum();
            assert_eq!(chunks, slots);
        }
    }

    #[test]
    fn views_have_their_own_draws() {
        let plan = FramePlan::new(&[model(2, &[], 64, 64, 64)], 3, false, u64::MAX);
        assert_eq!(plan.draws_of(1), 2..4);
        assert_eq!(plan.draws_of(3), 0..0);
        assert!(plan.draws[2..4].iter().all(|draw| draw.view == 1));
    }
}
