//! A crowd on a device of its own, and what tests do with it every frame.

use anim_format::AnimFile;
use anim_wgpu::{Crowd, CrowdSettings, ModelSource, View};

use crate::gpu;
use crate::probe::{List, Pipelines, Probe};

/// A view that everything is in.
pub const ALL: View =
    View::new([[1e-9, 0.0, 0.0, 0.0], [0.0, 1e-9, 0.0, 0.0], [0.0, 0.0, 1e-9, 0.0], [0.0, 0.0, 0.5, 1.0]]);

/// A crowd and its device.
#[derive(Debug)]
pub struct Stage {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The crowd.
    pub crowd: Crowd,
    pipelines: Pipelines,
}

impl Stage {
    /// A crowd of these files, with room for as many palettes as there are instances.
    #[must_use]
    pub fn new(files: &[&AnimFile<'_>], settings: &CrowdSettings) -> Self {
        let sources: Vec<ModelSource<'_>> = files.iter().map(|file| ModelSource::new(file)).collect();
        Self::of_sources(&sources, settings)
    }

    /// A crowd of these models.
    ///
    /// # Panics
    ///
    /// If there is no device, or a model does not fit it.
    #[must_use]
    pub fn of_sources(sources: &[ModelSource<'_>], settings: &CrowdSettings) -> Self {
        let (device, queue) = gpu::device();
        Self::on(device, queue, sources, settings)
    }

    /// The same on a device that is there.
    ///
    /// # Panics
    ///
    /// If a model does not fit it.
    #[must_use]
    pub fn on(
        device: wgpu::Device,
        queue: wgpu::Queue,
        sources: &[ModelSource<'_>],
        settings: &CrowdSettings,
    ) -> Self {
        let crowd = Crowd::new(&device, &queue, sources, settings).expect("small files");
        Self { device, queue, crowd, pipelines: Pipelines::default() }
    }

    /// Runs the compute passes for these views.
    ///
    /// # Panics
    ///
    /// If the crowd does not fit its device.
    pub fn prepare(&mut self, views: &[View]) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.crowd.prepare(&self.device, &self.queue, &mut encoder, views).expect("a small crowd");
        self.queue.submit([encoder.finish()]);
    }

    /// Waits until everything submitted has run.
    ///
    /// # Panics
    ///
    /// If the device is lost.
    pub fn wait(&self) {
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
    }

    /// Reads back what the draw path does.
    #[must_use]
    pub fn probe(&self) -> Probe<'_> {
        Probe::new(&self.device, &self.queue, &self.pipelines)
    }

    /// The lists of the views `0..views`: see [`Probe::lists`].
    #[must_use]
    pub fn lists(&self, views: u32, longest: u32, draws: u32) -> Vec<List> {
        self.probe().lists(&self.crowd, views, longest, draws)
    }
}
