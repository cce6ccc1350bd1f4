//! How does a character do two things at once?
//!
//! A troop walks. Every second one of them waves meanwhile: a clip that is limited to the upper body by a mask. Those in
//! the second line begin to run below their waving arms, those in the last one stop waving, half way in the picture.

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_bake::{BakeSettings, MaskSetting};
use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, place, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("masks")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(1280, 440)?;
    let (device, queue) = (&studio.device, &studio.queue);
    // Masks are those of local tracks. This one holds the spine and all that hangs on it: both arms and the head.
    let settings = BakeSettings {
        encodings: vec![anim_format::model::Encoding::Local8],
        masks: vec![MaskSetting { name: "upper".into(), nodes: vec!["spine".into()] }],
        ..BakeSettings::default()
    };
    let file = sample("biped", &settings)?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let clip = |crowd: &Crowd, name: &str| crowd.clip_index(0, name).ok_or(format!("a clip named {name}"));
    let (walk, run, wave) = (clip(&crowd, "walk")?, clip(&crowd, "run")?, clip(&crowd, "wave")?);
    let upper = crowd.mask_index(0, "upper").ok_or("a mask named upper")?;

    // Three lines of eight; the second of each pair waves, and is lighter.
    let mut waving = Vec::new();
    for number in 0..24u8 {
        let (column, line) = (f32::from(number % 8), f32::from(number / 8));
        let waves = number % 2 == 1;
        let instance = Instance {
            world_from_model: place(column * 1.2 - 4.2, 0.0, line * -2.2, 0.4),
            clip: walk,
            phase: column / 16.0,
            color: if waves { [1.0; 4] } else { [0.45, 0.5, 0.6, 1.0] },
            ..Instance::default()
        };
        let handle = crowd.add(&instance)?;
        if waves {
            crowd.play_masked(handle, wave, upper, 0.2)?;
            waving.push((number / 8, handle));
        }
    }
    for frame in 0..=60 {
        crowd.update(f64::from(frame) / 60.0);
        for (line, handle) in &waving {
            match (frame, line) {
                // The legs change below the arms.
                (30, 1) => crowd.play(*handle, run, 0.2)?,
                // The arms come down again: at the moment of the picture they are half way.
                (48, 2) => crowd.stop_masked(*handle, 0.4)?,
                _ => {}
            }
        }
    }

    let view = View::look_at([0.2, 3.0, 8.5], [0.2, 0.78, -1.2], 0.40, studio.aspect(), 0.1, 100.0);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(device, queue, &mut encoder, &[view])?;
    studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
    studio.save(encoder, path)
}
