//! The pictures of a contact sheet, each drawn by anim-wgpu with the camera and the light of the CPU's pictures.

use anim_format::AnimFile;
use anim_format::model::ClipMode;
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, Instance, InstanceHandle, Lighting, ModelSource, PlayOptions,
    ShadowMap, Target, View,
};
use bytemuck::Zeroable as _;
use image::RgbImage;

use super::decor::{Decor, DecorUniform};
use super::{SAMPLES, check_has_triangles, failed};
use crate::diagnostics::{Failure, Problem};
use crate::gpu::Gpu;
use crate::gpu::target::OffScreen;
use crate::preview::camera::Camera;
use crate::preview::raster::SUN;
use crate::preview::scene::{GRID, GRID_OPACITY, HAZE, SKY, grid_lines};
use crate::preview::sheet::{Cell, Drawn};

/// Draws cells.
pub(crate) fn draw_cells(
    gpu: &Gpu,
    name: &str,
    file: &AnimFile<'_>,
    cells: &[Cell],
) -> Result<Drawn, Failure> {
    check_has_triangles(name, file)?;
    if cells.iter().any(|cell| cell.clip.is_none()) {
        return Err(Failure::usage(
            Problem::error("preview-gpu-rest-pose", name, "the GPU plays clips, and the rest pose is none")
                .help("leave out --gpu, or choose clips"),
        ));
    }
    let mut studio = Studio::new(gpu, file, cells).map_err(|what| failed(name, what))?;
    let mut drawn = Drawn::default();
    for cell in cells {
        drawn.pictures.push(studio.draw(cell).map_err(|what| failed(name, what))?);
    }
    drawn.notes = studio.crowd.notes().map(str::to_owned).collect();
    Ok(drawn)
}

/// A crowd of one, and everything around it.
struct Studio<'g> {
    gpu: &'g Gpu,
    crowd: Crowd,
    handle: InstanceHandle,
    pipelines: CrowdPipelines,
    decor: Decor,
    target: OffScreen,
}

impl<'g> Studio<'g> {
    fn new(gpu: &'g Gpu, file: &AnimFile<'_>, cells: &[Cell]) -> Result<Self, String> {
        let (device, queue) = (&gpu.device, &gpu.queue);
        let sources = [ModelSource::new(file)];
        let text = |error: anim_wgpu::GpuError| error.to_string();
        let mut crowd = Crowd::new(device, queue, &sources, &CrowdSettings::default()).map_err(text)?;
        let handle = crowd.add(&Instance::default()).map_err(text)?;
        crowd.set_lighting(&Lighting {
            to_sun: SUN,
            sun_color: [0.64; 3],
            // The CPU's sky is a little brighter than its ground; this is the mean.
            ambient_color: [0.26; 3],
            ..Lighting::default()
        });
        let target = Target { sample_count: SAMPLES, ..Target::default() };
        let side = cells.first().map_or(1, |cell| cell.side);
        Ok(Self {
            gpu,
            pipelines: CrowdPipelines::new(device, &crowd, &target).map_err(text)?,
            decor: Decor::new(gpu, &ShadowMap::new(device, 1, 1)),
            target: OffScreen::new(device, (side, side), SAMPLES),
            crowd,
            handle,
        })
    }

    fn draw(&mut self, cell: &Cell) -> Result<RgbImage, String> {
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        let text = |error: anim_wgpu::GpuError| error.to_string();
        #[expect(clippy::cast_possible_truncation, reason = "a file has few clips")]
        let clip = cell.clip.unwrap_or(0) as u32;
        // Once, so that the last moment of a clip is its end and not its start.
        let options = PlayOptions { mode: Some(ClipMode::Once), ..PlayOptions::new(clip, 0.0) };
        self.crowd.play_with(self.handle, &options).map_err(text)?;
        self.crowd.seek(self.handle, cell.time_seconds).map_err(text)?;
        #[expect(clippy::cast_precision_loss, reason = "at most 1024")]
        let camera = Camera::framing(&cell.bounds, cell.side as f32);
        let clip_from_world = camera.clip_from_world();
        let corners: Vec<[f32; 3]> = grid_lines(&cell.bounds).into_iter().flatten().collect();
        self.decor.set(self.gpu, &uniform(clip_from_world), &corners);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let view = View::new(clip_from_world);
        self.crowd.prepare(device, queue, &mut encoder, &[view]).map_err(text)?;
        {
            let mut pass = self.target.begin(&mut encoder, true, None);
            self.decor.draw_backdrop(&mut pass);
            self.crowd.draw(&mut pass, &self.pipelines, 0);
            self.decor.draw_lines(&mut pass);
        }
        self.target.finish(self.gpu, encoder)
    }
}

fn uniform(clip_from_world: [[f32; 4]; 4]) -> DecorUniform {
    let solid = |color: [f32; 3], alpha| [color[0], color[1], color[2], alpha];
    DecorUniform {
        clip_from_world,
        top: solid(SKY, 1.0),
        bottom: solid(HAZE, 1.0),
        color: solid(GRID, GRID_OPACITY),
        // The lower edge.
        sun_color_and_horizon: [0.0, 0.0, 0.0, 1.0],
        ..DecorUniform::zeroed()
    }
}
