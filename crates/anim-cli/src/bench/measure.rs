//! Frames in turn: one of each case of a group, again and again, so that ratios are of the same moments.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::stage::{Stage, Triangles};
use super::subject::{Frame, Subject};
use crate::gpu::frame_timer::{FrameTimer, PASSES};

/// How many frames are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// Measured, at most.
    pub(crate) measured: u32,
    /// Drawn before and not measured.
    pub(crate) warm_up: u32,
    /// After this a group ends, once it has a few frames.
    pub(crate) budget: Duration,
}

/// Frames of a group that are measured however long they take.
const LEAST_FRAMES: u32 = 3;

/// What one frame took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Milliseconds of each pass.
    pub(crate) passes_ms: [Option<f64>; PASSES as usize],
    /// From `update` to the end of recording.
    pub(crate) cpu_ms: f64,
    /// From `update` until the GPU is done.
    pub(crate) wall_ms: f64,
    /// Bytes uploaded.
    pub(crate) uploaded_bytes: u64,
}

impl Sample {
    /// All passes of the GPU; without timestamps the wall time.
    pub(crate) fn gpu_ms(&self) -> f64 {
        if self.passes_ms.iter().all(Option::is_none) {
            return self.wall_ms;
        }
        self.passes_ms.iter().flatten().sum()
    }

    /// Some passes; without timestamps the wall time.
    pub(crate) fn of_passes(&self, passes: &[usize]) -> f64 {
        if self.passes_ms.iter().all(Option::is_none) {
            return self.wall_ms;
        }
        passes.iter().filter_map(|pass| self.passes_ms[*pass]).sum()
    }
}

/// A subject with one kind of triangles.
pub(crate) struct Measured {
    /// Number of the subject.
    pub(crate) subject: usize,
    pub(crate) triangles: Triangles,
    pub(crate) samples: Vec<Sample>,
    pub(crate) visible: u64,
    /// Why it ended early.
    pub(crate) failure: Option<String>,
}

/// Measures all subjects of a group in turn.
pub(crate) fn measure(
    stage: &Stage<'_>,
    subjects: &mut [Box<dyn Subject>],
    frames: Frames,
    progress: &ProgressBar,
) -> Vec<Measured> {
    let done = progress.position();
    let mut runs = Vec::new();
    let mut views = Vec::new();
    for (number, subject) in subjects.iter().enumerate() {
        for triangles in [Triangles::Visible, Triangles::Culled] {
            if let Some(view) = subject.view(stage, triangles) {
                let visible = stage.visible(&view);
                views.push(view);
                let samples = Vec::new();
                runs.push(Measured { subject: number, triangles, samples, visible, failure: None });
            }
        }
    }
    let mut timer = FrameTimer::new(stage.gpu);
    let start = Instant::now();
    let (mut warm, mut measured, mut number) = (0, 0, 0);
    while measured < frames.measured {
        // A quarter of the time at most for frames that do not count.
        let counts = warm >= frames.warm_up || warm > 0 && start.elapsed() > frames.budget / 4;
        for (run, view) in runs.iter_mut().zip(&views) {
            if run.failure.is_some() {
                continue;
            }
            let subject = &mut subjects[run.subject];
            let seconds = subject.start_seconds() + f64::from(number) / 60.0;
            let encoder = stage.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let frame = Frame { stage, encoder, view, seconds, number, timer: &mut timer };
            match one_frame(&mut **subject, frame) {
                Ok(sample) if counts => run.samples.push(sample),
                Ok(_) => {}
                Err(reason) => run.failure = Some(reason),
            }
        }
        number += 1;
        warm += u32::from(!counts);
        measured += u32::from(counts);
        progress.set_position(done + u64::from(warm + measured));
        if measured >= LEAST_FRAMES && start.elapsed() > frames.budget {
            break;
        }
    }
    progress.set_position(done + u64::from(frames.warm_up + frames.measured));
    runs
}

fn one_frame(subject: &mut dyn Subject, mut frame: Frame<'_, '_>) -> Result<Sample, String> {
    let gpu = frame.stage.gpu;
    frame.timer.start();
    let start = Instant::now();
    let uploaded_bytes = subject.frame(&mut frame)?;
    let Frame { encoder, timer, .. } = frame;
    let commands = encoder.finish();
    let cpu = start.elapsed();
    gpu.queue.submit([commands]);
    // In a submission of its own, so that the frame is submitted as a program would.
    gpu.queue.submit(timer.resolve(&gpu.device));
    timer.ask();
    gpu.wait()?;
    let wall = start.elapsed();
    if let Some(error) = gpu.take_error() {
        return Err(error);
    }
    Ok(Sample {
        passes_ms: timer.read()?,
        cpu_ms: cpu.as_secs_f64() * 1e3,
        wall_ms: wall.as_secs_f64() * 1e3,
        uploaded_bytes,
    })
}

/// The middle of some numbers; `None` if there are none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    quantile(values, 0.5)
}

/// The number that a share of some numbers is below, interpolated.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a short list"
)]
pub(crate) fn quantile(values: impl Iterator<Item = f64>, share: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let place = share * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    Some(sorted[low] + (sorted[high.min(last)] - sorted[low]) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middle_ones() {
        for (values, expected) in [
            (&[][..], None),
            (&[3.0], Some(3.0)),
            (&[9.0, 1.0, 5.0], Some(5.0)),
            (&[4.0, 1.0, 2.0, 8.0], Some(3.0)),
        ] {
            assert_eq!(median(values.iter().copied()), expected, "{values:?}");
        }
        assert_eq!(quantile([0.0, 10.0].into_iter(), 0.1), Some(1.0));
    }
}
