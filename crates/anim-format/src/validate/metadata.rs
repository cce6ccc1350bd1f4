//! Numbers in the metadata that name records.

use super::Problems;
use crate::model::{AnimFile, ErrorFigures};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let Some(metadata) = &file.metadata else { return };
    let accuracy = &metadata.accuracy;
    check_figures(file, &accuracy.playback, "playback", problems);
    if !accuracy.clips.is_empty() {
        let found = accuracy.clips.len() as u64;
        problems.equal("metadata.accuracy.clips (count)", found, file.clips.len() as u64);
    }
    for (number, figures) in accuracy.clips.iter().enumerate() {
        check_figures(file, figures, &alloc::format!("clips[{number}]"), problems);
    }
}

fn check_figures(file: &AnimFile<'_>, figures: &ErrorFigures, field: &str, problems: &mut Problems) {
    let Some(worst) = figures.worst else { return };
    let place = alloc::format!("metadata.accuracy.{field}.worst");
    problems.number(format_args!("{place}.clip"), worst.clip.into(), file.clips.len());
    problems.number(format_args!("{place}.bone"), worst.bone.into(), file.bones.len());
    problems.number(format_args!("{place}.part"), worst.part.into(), file.parts.len());
}
