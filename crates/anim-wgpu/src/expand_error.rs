//! How far rows that were made of local tracks are from these.

use anim_core::encoding::decode_rows;
use anim_core::skin_reference::{mix_rows, skin_position};
use anim_format::AnimFile;
use anim_format::model::{Clip, Interpolation, Rows};
use anim_format::vertices::VertexReader;

use crate::expand_plan::ClipPlan;
use crate::expand_rows::{ROWS, Sampler};

/// Intervals of a clip that are looked at.
const INTERVALS_MAX: u32 = 64;
/// Where in them: an error that grows from a frame and shrinks to the next is largest in the middle.
const PLACES: [f32; 3] = [0.25, 0.5, 0.75];

/// The largest distance that was found.
pub(crate) struct RowsError {
    /// Corners of the box around the vertices of each bone; none for a bone that moves no vertex.
    corners: Vec<Vec<[f32; 3]>>,
    model_size_metres: f32,
    max_metres: f32,
}

impl RowsError {
    pub(crate) fn new(file: &AnimFile<'_>) -> Self {
        let boxes = bone_boxes(file);
        Self {
            corners: boxes.into_iter().map(|bounds| bounds.map_or_else(Vec::new, corners_of)).collect(),
            model_size_metres: file.extent.model_size_metres,
            max_metres: 0.0,
        }
    }

    /// Compares a clip between its frames. The distance of a vertex is at most that of the farthest corner.
    pub(crate) fn measure<'f>(
        &mut self,
        sampler: &mut Sampler<'f>,
        clip: &'f Clip<'f>,
        plan: &ClipPlan,
        texels: &[u8],
    ) {
        if plan.interpolation == Interpolation::Step || self.corners.iter().all(Vec::is_empty) {
            return;
        }
        let frame_bytes = self.corners.len() * ROWS.bone_bytes();
        let stored = |frame: u32, bone: usize| -> Rows {
            let first = frame as usize * frame_bytes + bone * ROWS.bone_bytes();
            decode_rows(&texels[first..first + ROWS.bone_bytes()], ROWS)
        };
        let step = plan.intervals.div_ceil(INTERVALS_MAX).max(1) as usize;
        for frame in (0..plan.intervals).step_by(step).filter(|frame| !plan.holds(*frame)) {
            for place in PLACES {
                let truth = sampler.at(clip, plan, f64::from(frame) + f64::from(place));
                for (bone, (truth, corners)) in truth.iter().zip(&self.corners).enumerate() {
                    if corners.is_empty() {
                        continue;
                    }
                    let rows = mix_rows(&stored(frame, bone), &stored(frame + 1, bone), place);
                    for corner in corners {
                        let (a, b) = (skin_position(&rows, *corner), skin_position(truth, *corner));
                        let squared: f32 = (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum();
                        self.max_metres = self.max_metres.max(squared.sqrt());
                    }
                }
            }
        }
    }

    /// What was found, in words.
    pub(crate) fn words(&self) -> String {
        if self.corners.iter().all(Vec::is_empty) {
            return "whose error is not known without a mesh".to_owned();
        }
        let share = if self.model_size_metres > 0.0 { self.max_metres / self.model_size_metres } else { 0.0 };
        format!(
            "at most about {:.1e} m ({:.1e} of model size) further from the source; fades blend matrices, and masks are \
             ignored",
            self.max_metres, share
        )
    }
}

type Box3 = ([f32; 3], [f32; 3]);

/// The box around the vertices that each bone moves, in bind space.
fn bone_boxes(file: &AnimFile<'_>) -> Vec<Option<Box3>> {
    let mut boxes: Vec<Option<Box3>> = vec![None; file.bones.len()];
    let Some(mesh) = &file.mesh else { return boxes };
    let reader = VertexReader::new(mesh);
    for vertex in 0..reader.vertex_count() {
        let position = reader.position(vertex);
        for (bone, weight) in reader.bones(vertex).into_iter().zip(reader.weights(vertex)) {
            if let (true, Some(bounds)) = (weight > 0.0, boxes.get_mut(usize::from(bone))) {
                let (low, high) = bounds.get_or_insert((position, position));
                for axis in 0..3 {
                    low[axis] = low[axis].min(position[axis]);
                    high[axis] = high[axis].max(position[axis]);
                }
            }
        }
    }
    boxes
}

fn corners_of((low, high): Box3) -> Vec<[f32; 3]> {
    let corner = |number: usize| std::array::from_fn(|i| if number >> i & 1 == 1 { high[i] } else { low[i] });
    (0..8).map(corner).collect()
}
