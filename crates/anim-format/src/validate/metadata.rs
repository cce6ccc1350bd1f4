//! Numbers in the metadata that name records.

use super::Problems;
use crate::model::{AnimFile, ErrorFigures};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let Some(metadata) = &file.metadata else { return };
    if !metadata.accuracy.is_empty() {
        let found = metadata.accuracy.len() as u64;
        problems.equal("metadata.accuracy (count)", found, file.page_sets.len() as u64);
    }
    for (number, accuracy) in metadata.accuracy.iter().enumerate() {
        let place = alloc::format!("metadata.accuracy[{number}]");
        check_figures(file, &accuracy.playback, format_args!("{place}.playback"), problems);
        if !accuracy.clips.is_empty() {
            let found = accuracy.clips.len() as u64;
            problems.equal(format_args!("{place}.clips (count)"), found, file.clips.len() as u64);
        }
        for (number, figures) in accuracy.clips.iter().enumerate() {
            check_figures(file, figures, format_args!("{place}.clips[{number}]"), problems);
        }
    }
}

fn check_figures(
    file: &AnimFile<'_>,
    figures: &ErrorFigures,
    place: core::fmt::Arguments<'_>,
    problems: &mut Problems,
) {
    let Some(worst) = figures.worst else { return };
    problems.number(format_args!("{place}.worst.clip"), worst.clip.into(), file.clips.len());
    problems.number(format_args!("{place}.worst.bone"), worst.bone.into(), file.bones.len());
    problems.number(format_args!("{place}.worst.part"), worst.part.into(), file.parts.len());
}
