//! How do I draw 5,000 characters, each at its own time, and what does a frame cost the CPU?
#![allow(clippy::print_stdout, reason = "it says what it measured")]

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, place, sample};

/// Horses.
const COUNT: u32 = 5_000;
/// Frames that are drawn; the last is the picture.
const FRAMES: u16 = 4;
/// Metres between neighbours.
const SPACING: f32 = 3.2;

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("five_thousand_horses")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(960, 540)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("horse", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;

    let gallop = crowd.clip_index(0, "gallop").ok_or("a clip named gallop")?;
    for i in 0..COUNT {
        // A herd in loose rows: nothing of this has to be even.
        let noise = |salt: u32| ((i * 7_919 + salt * 104_729) % 1_009) as f32 / 1_009.0;
        let x = (i % 72) as f32 * SPACING + noise(1) * 1.6 - 115.0;
        let z = (i / 72) as f32 * -SPACING + noise(2) * 1.6;
        let coat = 0.45 + noise(3) * 0.55;
        let handle = crowd.add(&Instance {
            world_from_model: place(x, 0.0, z, 0.15 * (noise(4) - 0.5)),
            clip: gallop,
            phase: noise(5),
            speed: 0.9 + noise(6) * 0.2,
            color: [coat, coat * (0.8 + noise(7) * 0.2), coat * 0.9, 1.0],
            ..Instance::default()
        })?;
        // They gallop by themselves: nothing is uploaded to move them.
        crowd.set_velocity(handle, [0.0, 0.0, 9.0])?;
    }

    let mut worst_microseconds = 0;
    for frame in 0..FRAMES {
        let now_seconds = f64::from(frame) / 10.0;
        let ahead = 9.0 * f32::from(frame) / 10.0;
        let eye = [24.0, 11.0, 26.0 + ahead];
        let view = View::look_at(eye, [-4.0, 0.0, ahead - 16.0], 0.75, studio.aspect(), 0.5, 600.0);
        let mut encoder = device.create_command_encoder(&Default::default());
        let start = Instant::now();
        crowd.update(now_seconds);
        crowd.prepare(device, queue, &mut encoder, &[view])?;
        studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
        // The first frame uploads the herd and compiles what is needed.
        if frame > 0 {
            worst_microseconds = worst_microseconds.max(start.elapsed().as_micros());
        }
        if frame + 1 < FRAMES {
            queue.submit([encoder.finish()]);
        } else {
            studio.save(encoder, path)?;
        }
    }
    println!(
        "{COUNT} horses: at most {worst_microseconds} microseconds of CPU a frame, {} bytes uploaded",
        crowd.uploaded_bytes()
    );
    Ok(())
}
