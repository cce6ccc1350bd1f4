//! How does my own compute pass move 4,000 birds, without a copy through the CPU?

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};
use studio::{Studio, sample};

/// Birds.
const COUNT: u32 = 4_000;

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("bird_flock")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(960, 540)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("bird", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let pipelines = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let (fly, glide) =
        (crowd.clip_index(0, "fly").ok_or("fly")?, crowd.clip_index(0, "glide").ok_or("glide")?);
    for i in 0..COUNT {
        crowd.add(&Instance {
            clip: if i % 5 == 0 { glide } else { fly },
            phase: (i * 37 % 101) as f32 / 101.0,
            speed: 0.8 + (i % 9) as f32 * 0.05,
            ..Instance::default()
        })?;
    }
    // Room for all of them now: the transform buffer stays the same from here on, and can be bound once.
    crowd.reserve(device, queue, COUNT)?;
    let transforms = crowd.transform_buffer().ok_or("a device with compute shaders")?;
    let flock = Flock::new(device, transforms);

    let view = View::look_at([2.0, 2.0, 33.0], [5.0, 11.0, 0.0], 0.75, studio.aspect(), 0.5, 400.0);
    for frame in 0..90u16 {
        let now_seconds = f32::from(frame) / 30.0;
        let mut encoder = device.create_command_encoder(&Default::default());
        crowd.update(now_seconds.into());
        crowd.upload(device, queue);
        // Between upload and record: what this pass writes is what is culled and drawn.
        flock.record(queue, &mut encoder, now_seconds);
        crowd.record(device, queue, &mut encoder, &[view], None)?;
        if frame < 89 {
            queue.submit([encoder.finish()]);
        } else {
            studio.color_pass(&mut encoder, |pass| crowd.draw(pass, &pipelines, 0));
            studio.save(encoder, path)?;
            break;
        }
    }
    Ok(())
}

/// The steering pass.
struct Flock {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    time: wgpu::Buffer,
}

impl Flock {
    fn new(device: &wgpu::Device, transforms: &wgpu::Buffer) -> Self {
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("flock"),
                size,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let time = buffer(16, wgpu::BufferUsages::UNIFORM);
        // Position and velocity of each bird; zero is "not born yet".
        let birds = buffer(u64::from(COUNT) * 32, wgpu::BufferUsages::STORAGE);
        let module = device.create_shader_module(wgpu::include_wgsl!("flock.wgsl"));
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("flock"),
            layout: None,
            module: &module,
            entry_point: Some("steer"),
            compilation_options: Default::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("flock"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: time.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: birds.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 2, resource: transforms.as_entire_binding() },
            ],
        });
        Self { pipeline, group, time }
    }

    fn record(&self, queue: &wgpu::Queue, encoder: &mut wgpu::CommandEncoder, now_seconds: f32) {
        queue.write_buffer(&self.time, 0, bytemuck::cast_slice(&[now_seconds, 1.0 / 30.0, 0.0, 0.0]));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(COUNT.div_ceil(64), 1, 1);
    }
}
