//! How do I put a sword in a hand, and a rider on a horse?
#![allow(clippy::print_stdout, reason = "it says where the hands are")]

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_bake::BakeSettings;
use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, place, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("sword_and_rider")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(960, 540)?;
    let (device, queue) = (&studio.device, &studio.queue);
    // Any node can be an attachment point: the bake is told which. The biped's hand has one of its own, since its node
    // is called socket_hand_r.
    let saddle = BakeSettings { attach: vec!["loin".into()], ..BakeSettings::default() };
    let horse_file = sample("horse", &saddle)?;
    let biped_file = sample("biped", &Default::default())?;
    let bird_file = sample("bird", &Default::default())?;
    let sources = [&horse_file, &biped_file, &bird_file].map(ModelSource::new);
    let mut crowd = Crowd::new(device, queue, &sources, &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let (horse, biped, bird) = (0, 1, 2);
    let gallop = crowd.clip_index(horse, "gallop").ok_or("gallop")?;
    let sit = crowd.clip_index(biped, "sit").ok_or("sit")?;
    let loin = crowd.attachment_index(horse, "loin").ok_or("loin")?;
    let hand = crowd.attachment_index(biped, "socket_hand_r").ok_or("socket_hand_r")?;
    let sword = crowd.part_index(biped, "sword").ok_or("sword")?;

    for number in 0..5u16 {
        let x = f32::from(number) * 1.9 - 4.4;
        let mount = crowd.add(&Instance {
            model: horse,
            world_from_model: place(x, 0.0, f32::from(number % 2) * 2.2 - 1.2, 0.25),
            clip: gallop,
            phase: f32::from(number) * 0.21,
            ..Instance::default()
        })?;
        // The rider sits: its transform says how it lies on the point, here with its hips on the horse's back. Every
        // second one has put its sword away.
        let has_sword = number % 2 == 0;
        let rider = crowd.add(&Instance {
            model: biped,
            world_from_model: place(0.0, -0.42, 0.05, 0.0),
            clip: sit,
            part_mask: if has_sword { u64::MAX } else { !(1 << sword) },
            ..Instance::default()
        })?;
        crowd.attach(rider, mount, loin)?;
        if !has_sword {
            // A tame gull on its hand: anything can hang on anything, up to four below each other.
            let half_size = [[0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.1]];
            let gull =
                crowd.add(&Instance { model: bird, world_from_model: half_size, ..Instance::default() })?;
            crowd.attach(gull, rider, hand)?;
        }
        crowd.update(0.2);
        // The same matrix for game code: where is the hand, to strike with?
        let [x_row, y_row, z_row] = crowd.attachment_matrix(rider, hand)?;
        println!("the hand of rider {number} is at {:.2} {:.2} {:.2}", x_row[3], y_row[3], z_row[3]);
    }

    let view = View::look_at([7.6, 2.2, 4.4], [-0.6, 1.25, -0.3], 0.5, studio.aspect(), 0.1, 100.0);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(device, queue, &mut encoder, &[view])?;
    studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
    studio.save(encoder, path)
}
