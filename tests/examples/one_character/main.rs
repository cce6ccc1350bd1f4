//! How do I draw one baked character?

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("one_character")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(640, 480)?;
    let (device, queue) = (&studio.device, &studio.queue);

    // Once: a baked file, a crowd on the program's own device, pipelines for the program's own pass, one instance.
    let file = sample("biped", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let walk = crowd.clip_index(0, "walk").ok_or("a clip named walk")?;
    crowd.add(&Instance { clip: walk, ..Instance::default() })?;

    // Every frame: the clock, the views, the program's own render pass.
    let view = View::look_at([1.6, 1.6, 2.6], [0.0, 0.9, 0.0], 0.7, studio.aspect(), 0.1, 100.0);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.update(0.25);
    crowd.prepare(device, queue, &mut encoder, &[view])?;
    studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
    studio.save(encoder, path)
}
