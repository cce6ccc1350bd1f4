//! How do I render a crowd on a server without a window, frame by frame, to PNG files?

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, place, sample};

/// Frames of the loop that is rendered.
const FRAMES: u16 = 6;

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("headless_png")?)
}

/// Draws all frames: `path` is the first, the others lie beside it with a number.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(480, 270)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("biped", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let walk = crowd.clip_index(0, "walk").ok_or("walk")?;
    for i in 0..48u16 {
        let (x, z) = (f32::from(i % 12) * 0.9 - 5.0, f32::from(i / 12) * -1.3);
        let phase = f32::from(i * 7 % 12) / 12.0;
        let world_from_model = place(x, 0.0, z, 0.0);
        crowd.add(&Instance { world_from_model, clip: walk, phase, ..Instance::default() })?;
    }
    let view = View::look_at([0.0, 1.9, 6.0], [0.0, 0.7, -1.5], 0.7, studio.aspect(), 0.1, 100.0);
    let seconds = f64::from(file.clips[walk as usize].duration_seconds);
    for frame in 0..FRAMES {
        let mut encoder = device.create_command_encoder(&Default::default());
        crowd.update(seconds * f64::from(frame) / f64::from(FRAMES));
        crowd.prepare(device, queue, &mut encoder, &[view])?;
        studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
        let beside = path.with_extension(format!("{frame}.png"));
        studio.save(encoder, if frame == 0 { path } else { &beside })?;
    }
    Ok(())
}
