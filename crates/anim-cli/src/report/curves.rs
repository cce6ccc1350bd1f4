//! What plots need beyond the figures of a file: its clips, measured again against their source.

use anim_bake::measure::{ErrorProfile, Profiles, TradeOff, trade_off};
use anim_bake::source::SourceAsset;
use anim_format::AnimFile;
use anim_format::model::Accuracy;
use rayon::prelude::*;

use crate::console::Console;
use crate::diagnostics::Failure;
use crate::input::Input;

/// Curves of a file against its source.
#[derive(Debug)]
pub(crate) struct Curves {
    /// By page set and clip.
    pub(super) profiles: Vec<Vec<ErrorProfile>>,
    pub(super) trade_off: TradeOff,
}

impl Curves {
    /// Measures them; `accuracy` has what was measured of each page set.
    pub(crate) fn measure(
        source: &Input,
        asset: &SourceAsset,
        file: &AnimFile<'_>,
        accuracy: &[Accuracy],
        console: Console,
    ) -> Result<Self, Failure> {
        let failure = |error| Failure::of_bake(&source.path, &error);
        let profiles = Profiles::new(asset, file).map_err(failure)?;
        let clips = file.clips.len();
        let steps = (clips * accuracy.len()) as u64;
        let progress = console.progress(steps, "{bar:30} {pos}/{len} {msg}, {elapsed}");
        progress.set_message("clips over time");
        let of_set = |(set, report): (usize, &Accuracy)| -> Vec<ErrorProfile> {
            let profile = |clip: usize| {
                let worst = report.clips.get(clip).and_then(|figures| figures.worst);
                let profile = profiles.profile(set, clip, worst.as_ref());
                progress.inc(1);
                profile
            };
            (0..clips).into_par_iter().map(profile).collect()
        };
        let profiles = accuracy.iter().enumerate().map(of_set).collect();
        progress.set_message("clips at other rates and in other encodings");
        let tell = |done: usize, total: usize| {
            progress.set_length(total as u64);
            progress.set_position(done as u64);
        };
        let trade_off = trade_off(asset, file, &tell).map_err(failure);
        progress.finish_and_clear();
        Ok(Self { profiles, trade_off: trade_off? })
    }
}
