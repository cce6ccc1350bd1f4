//! Boxes of clips: around everything that is played, and hardly larger.
#![allow(clippy::print_stdout, reason = "the loosest box of each model, with --nocapture")]

use anim_bake::{BakeSettings, bake_import};
use anim_format::AnimFile;
use anim_format::model::{Clip, Encoding};
use anim_format::playback::{palette_at, posed_vertices};
use anim_tests::models;

/// By how much a box may be wider than what it holds, on each axis.
const LOOSE_MAX: f32 = 1.2;
/// Axes on which a model hardly has any size are held to this share of its widest.
const FLAT: f32 = 0.02;

/// The box around all vertices of a clip, at its frames and at three moments between them.
fn true_box(file: &AnimFile<'_>, clip: &Clip<'_>) -> Option<([f32; 3], [f32; 3])> {
    let intervals = clip.tracks[0].intervals;
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    let mut found: Option<([f32; 3], [f32; 3])> = None;
    for moment in 0..=intervals * 4 {
        let share = f64::from(moment) / f64::from((intervals * 4).max(1));
        palette_at(file, clip, share * f64::from(clip.duration_seconds), &mut palette);
        for part in &file.parts {
            for vertex in posed_vertices(file, part, &palette, 0..part.vertex_count) {
                let p = vertex.position;
                let (low, high) = found.get_or_insert((p, p));
                for axis in 0..3 {
                    low[axis] = low[axis].min(p[axis]);
                    high[axis] = high[axis].max(p[axis]);
                }
            }
        }
    }
    found
}

#[test]
fn boxes_hold_what_is_played_and_are_hardly_larger() {
    let mut paths = models::samples();
    paths.extend(models::corpus().into_iter().filter(|path| !models::is_refused(path)));
    let mut checked = 0;
    for path in paths {
        let import = models::import(&path);
        for encoding in [Encoding::Local8, Encoding::Affine16] {
            let settings =
                BakeSettings { encodings: vec![encoding], images: false, ..BakeSettings::default() };
            let file = bake_import(&import, &settings).expect("a model that bakes").file;
            let mut loosest = 0.0f32;
            // Every third clip of a file with many: each is a box of its own.
            for clip in file.clips.iter().step_by(if file.clips.len() > 25 { 3 } else { 1 }) {
                let Some((low, high)) = true_box(&file, clip) else { continue };
                let size: [f32; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
                let widest = size.iter().copied().fold(0.0, f32::max);
                let name = format!("{} {:?} {encoding:?}", path.display(), clip.name);
                for axis in 0..3 {
                    let (stated_low, stated_high) = (clip.bounds.box_min[axis], clip.bounds.box_max[axis]);
                    assert!(
                        stated_low <= low[axis] && high[axis] <= stated_high,
                        "{name}: axis {axis} is left"
                    );
                    let loose =
                        (stated_high - stated_low) / (size[axis] + FLAT * widest).max(f32::MIN_POSITIVE);
                    loosest = loosest.max(loose);
                    assert!(loose <= LOOSE_MAX, "{name}: axis {axis} is {loose} times as wide");
                }
                checked += 1;
            }
            println!("{} {encoding:?}: {loosest:.3}", path.display());
        }
    }
    assert!(checked >= 20, "{checked}");
}
