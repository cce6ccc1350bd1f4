//! One picture of a crowd: instances on a grid with their own clips, moments and colours, a sun, and shadows.

use anim_format::AnimFile;
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, Instance, Lighting, ModelSource, ShadowMap, Target, View,
};
use image::RgbImage;

use super::decor::{CASCADES, Decor, DecorUniform};
use super::{SAMPLES, check_has_triangles, failed};
use crate::diagnostics::Failure;
use crate::gpu::Gpu;
use crate::gpu::scatter::{hash, share};
use crate::gpu::target::OffScreen;

/// Towards the sun: from behind the camera's left shoulder.
const TO_SUN: [f32; 3] = [-0.48, 0.72, 0.50];
const SUN_COLOR: [f32; 3] = [1.0, 0.93, 0.80];
const AMBIENT_COLOR: [f32; 3] = [0.27, 0.31, 0.38];
const SKY: [f32; 3] = [0.16, 0.32, 0.58];
const HAZE: [f32; 3] = [0.52, 0.60, 0.68];
const GROUND: [f32; 3] = [0.30, 0.31, 0.26];
/// Texels of a side of each shadow cascade.
const SHADOW_SIDE: u32 = 4096;
/// Rows of instances that the camera frames; those behind reach to the horizon.
const ROWS_IN_FRONT: f32 = 14.0;
/// Time that has passed on the crowd's clock.
const SECONDS: f64 = 10.0;
const VERTICAL_ANGLE: f32 = 0.7;

/// What to draw.
#[derive(Clone, Debug)]
pub(crate) struct CrowdPicture {
    pub(crate) instances: u32,
    /// Clips that are played; all if empty.
    pub(crate) clips: Vec<u32>,
    /// Width and height in pixels.
    pub(crate) size: (u32, u32),
}

/// Where everything is.
#[derive(Clone, Copy, Debug)]
struct Place {
    columns: u32,
    spacing: f32,
    /// Middle of the foremost rows, on the ground.
    front: [f32; 3],
    /// Half the size of what is framed.
    reach: f32,
    eye: [f32; 3],
    far: f32,
}

/// Draws a crowd; the picture, and what the user should know about it.
pub(crate) fn draw_crowd(
    gpu: &Gpu,
    name: &str,
    file: &AnimFile<'_>,
    wanted: &CrowdPicture,
) -> Result<(RgbImage, Vec<String>), Failure> {
    check_has_triangles(name, file)?;
    let mut crowd = filled(gpu, file, wanted).map_err(|error| failed(name, error.to_string()))?;
    let notes = crowd.notes().map(str::to_owned).collect();
    let picture = draw(gpu, file, wanted, &mut crowd).map_err(|what| failed(name, what))?;
    Ok((picture, notes))
}

fn filled(gpu: &Gpu, file: &AnimFile<'_>, wanted: &CrowdPicture) -> Result<Crowd, anim_wgpu::GpuError> {
    let sources = [ModelSource::new(file)];
    let mut crowd = Crowd::new(&gpu.device, &gpu.queue, &sources, &CrowdSettings::default())?;
    let place = Place::of(file, wanted);
    for number in 0..wanted.instances {
        crowd.add(&instance(file, wanted, &place, number))?;
    }
    crowd.update(SECONDS);
    Ok(crowd)
}

#[expect(clippy::cast_precision_loss, reason = "a grid of at most a thousand a side")]
fn instance(file: &AnimFile<'_>, wanted: &CrowdPicture, place: &Place, number: u32) -> Instance {
    let random = |usage: u32| share(number, usage);
    let angle = (random(1) - 0.5) * 1.2;
    let (s, c) = (libm::sinf(angle), libm::cosf(angle));
    let scale = 0.92 + 0.16 * random(2);
    let sway = |usage: u32| (random(usage) - 0.5) * 0.25 * place.spacing;
    let x = (number % place.columns) as f32 * place.spacing + sway(3);
    let z = -((number / place.columns) as f32) * place.spacing + sway(4);
    let floor = file.extent.rest_box_min[1].min(0.0);
    let clip = match &wanted.clips[..] {
        // As many of each, in no order that shows.
        [] => hash(number, 5) % u32::try_from(file.clips.len()).unwrap_or(u32::MAX),
        clips => clips[hash(number, 5) as usize % clips.len()],
    };
    let tint = |usage: u32| 0.55 + 0.45 * random(usage);
    Instance {
        world_from_model: [
            [c * scale, 0.0, s * scale, x],
            [0.0, scale, 0.0, -floor * scale],
            [-s * scale, 0.0, c * scale, z],
        ],
        clip,
        phase: random(6),
        speed: 0.9 + 0.2 * random(7),
        color: [tint(8), tint(9), tint(10), 1.0],
        ..Instance::default()
    }
}

fn draw(
    gpu: &Gpu,
    file: &AnimFile<'_>,
    wanted: &CrowdPicture,
    crowd: &mut Crowd,
) -> Result<RgbImage, String> {
    let (device, queue) = (&gpu.device, &gpu.queue);
    let place = Place::of(file, wanted);
    let target = [place.front[0], place.reach * 0.08, place.front[2] - place.reach * 0.2];
    #[expect(clippy::cast_precision_loss, reason = "a side of at most 8192 pixels")]
    let aspect = wanted.size.0 as f32 / wanted.size.1 as f32;
    let camera = View::look_at(place.eye, target, VERTICAL_ANGLE, aspect, place.reach * 0.02, place.far);
    let suns = place.suns();
    let shadow = ShadowMap::new(device, SHADOW_SIDE, CASCADES);
    let bias_metres = file.extent.model_size_metres * 0.008;
    crowd.set_shadow_map(Some(&shadow));
    crowd.set_lighting(&Lighting {
        to_sun: TO_SUN,
        sun_color: SUN_COLOR,
        ambient_color: AMBIENT_COLOR,
        shadow_views: [1, 1 + CASCADES],
        shadow_bias_metres: bias_metres,
    });
    let mut decor = Decor::new(gpu, &shadow);
    decor.set(gpu, &place.decor(&camera, &suns, bias_metres), &place.ground());
    let pipelines =
        |target: &Target| CrowdPipelines::new(device, crowd, target).map_err(|error| error.to_string());
    let colors = pipelines(&Target { sample_count: SAMPLES, ..Target::default() })?;
    let shadows = pipelines(&Target::shadow_map())?;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let views: Vec<View> = std::iter::once(camera).chain(suns).collect();
    crowd.prepare(device, queue, &mut encoder, &views).map_err(|error| error.to_string())?;
    for (view, layer) in (1..).zip(shadow.layers()) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: layer,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        crowd.draw(&mut pass, &shadows, view);
    }
    let target = OffScreen::new(device, wanted.size, SAMPLES);
    {
        let mut pass = target.begin(&mut encoder, true, None);
        decor.draw_backdrop(&mut pass);
        decor.draw_ground(&mut pass);
        crowd.draw(&mut pass, &colors, 0);
    }
    target.finish(gpu, encoder)
}

impl Place {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a grid of at most a thousand a side"
    )]
    fn of(file: &AnimFile<'_>, wanted: &CrowdPicture) -> Self {
        let columns = f64::from(wanted.instances.max(1)).sqrt().ceil() as u32;
        let size = file.extent.model_size_metres.max(1e-6);
        let (low, high) = (file.extent.rest_box_min, file.extent.rest_box_max);
        let footprint = (high[0] - low[0]).max(high[2] - low[2]);
        let spacing = (footprint * 1.25).max(size * 0.45);
        let side = columns.saturating_sub(1) as f32 * spacing;
        let framed = side.min(ROWS_IN_FRONT * spacing);
        let reach = framed * 0.5 + size * 0.9;
        let front = [side * 0.5, 0.0, -framed * 0.5];
        let away = reach / libm::tanf(VERTICAL_ANGLE * 0.5) * 0.80;
        let eye = [front[0] - away * 0.25, away * 0.30 + size * 0.3, front[2] + away * 0.92];
        Self { columns, spacing, front, reach, eye, far: side + away * 4.0 + size * 20.0 }
    }

    /// Views of the sun: what is framed, and two larger balls behind it.
    fn suns(&self) -> [View; CASCADES as usize] {
        let mut center = self.front;
        let mut radius = self.reach * 1.25;
        std::array::from_fn(|_| {
            let view = View::sun(TO_SUN, center, radius);
            center[2] -= radius * 1.5;
            radius *= 3.0;
            view
        })
    }

    /// Two triangles that reach beyond the far plane.
    fn ground(&self) -> [[f32; 3]; 6] {
        let at = |x: f32, z: f32| [self.front[0] + x * self.far, 0.0, self.front[2] + z * self.far];
        [at(-1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0), at(-1.0, -1.0), at(1.0, 1.0), at(1.0, -1.0)]
    }

    fn decor(&self, camera: &View, suns: &[View; CASCADES as usize], bias_metres: f32) -> DecorUniform {
        let length = TO_SUN.iter().map(|n| n * n).sum::<f32>().sqrt();
        let with = |v: [f32; 3], last: f32| [v[0], v[1], v[2], last];
        DecorUniform {
            clip_from_world: camera.clip_from_world,
            top: with(SKY, 1.0),
            bottom: with(HAZE, 1.0),
            color: with(GROUND, 1.0),
            to_sun_and_bias: with(TO_SUN.map(|n| n / length), bias_metres),
            sun_color_and_horizon: with(SUN_COLOR, horizon(camera)),
            ambient_color: with(AMBIENT_COLOR, 0.0),
            eye_and_haze: with(self.eye, self.far * 0.9),
            clip_from_world_of_sun: suns.map(|sun| sun.clip_from_world),
        }
    }
}

/// Where the horizon is in a picture: 0 the upper edge, 1 the lower one.
fn horizon(camera: &View) -> f32 {
    // Where a point infinitely far ahead on the ground is.
    let [_, _, z, _] = camera.clip_from_world;
    let up = if z[3] == 0.0 { 0.0 } else { z[1] / z[3] };
    ((1.0 - up) * 0.5).clamp(0.01, 1.0)
}
