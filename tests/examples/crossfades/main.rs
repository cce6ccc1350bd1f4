//! How do characters change what they do without a jump?
//!
//! The picture shows one character at eight moments, side by side: idle, a fade to walking, a fade to running that
//! interrupts it, and a wave that is followed by idle again.

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_wgpu::{
    ClipMode, Crowd, CrowdPipelines, CrowdSettings, Instance, InstanceHandle, ModelSource, PlayOptions, View,
};
use studio::{Studio, place, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("crossfades")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(1200, 360)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("biped", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let clip = |crowd: &Crowd, name: &str| crowd.clip_index(0, name).ok_or(format!("a clip named {name}"));
    let (idle, walk) = (clip(&crowd, "idle")?, clip(&crowd, "walk")?);
    let (run, wave) = (clip(&crowd, "run")?, clip(&crowd, "wave")?);

    // One actor for each moment. Each starts later than the one to its right, so that the last frame shows all moments.
    let moments_frames = [0, 54, 66, 78, 100, 160, 200, 280];
    let mut actors: Vec<InstanceHandle> = Vec::new();
    for number in 0..moments_frames.len() {
        let x = number as f32 * 1.15 - 4.0;
        let instance =
            Instance { world_from_model: place(x, 0.0, 0.0, 0.5), clip: idle, ..Instance::default() };
        actors.push(crowd.add(&instance)?);
    }
    for frame in 0..=280 {
        crowd.update(f64::from(frame) / 60.0);
        for (actor, moment) in actors.iter().zip(moments_frames) {
            match frame - (280 - moment) {
                // Half a second of fade, interrupted after 0.4 s by the next one: three clips blend for a while.
                48 => crowd.play(*actor, walk, 0.5)?,
                72 => crowd.play(*actor, run, 0.4)?,
                // A wave once, and whatever its length: idle when it is over.
                120 => {
                    let once = PlayOptions { mode: Some(ClipMode::Once), ..PlayOptions::new(wave, 0.3) };
                    crowd.play_with(*actor, &once)?;
                    crowd.play_after(*actor, &PlayOptions::new(idle, 0.3))?;
                }
                _ => {}
            }
        }
    }

    let view = View::look_at([0.0, 1.5, 7.0], [0.0, 0.9, 0.0], 0.42, studio.aspect(), 0.1, 100.0);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(device, queue, &mut encoder, &[view])?;
    studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
    studio.save(encoder, path)
}
