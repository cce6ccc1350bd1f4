//! How does a crowd cast shadows on itself and on my ground?

#[path = "../studio/mod.rs"]
mod studio;

use std::error::Error;
use std::path::Path;

use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, Instance, Lighting, ModelSource, ShadowMap, Target, View,
};
use studio::{Studio, place, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("shadows")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(960, 540)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("biped", &Default::default())?;
    let mut crowd = Crowd::new(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default())?;
    let color = CrowdPipelines::new(device, &crowd, &Studio::target())?;
    let depth = CrowdPipelines::new(device, &crowd, &Target::shadow_map())?;
    let clips = ["idle", "walk", "run", "wave"].map(|name| crowd.clip_index(0, name).unwrap_or(0));
    for i in 0..64u16 {
        let (x, z) = (f32::from(i % 8) * 1.3 - 4.5, f32::from(i / 8) * 1.3 - 4.5);
        crowd.add(&Instance {
            world_from_model: place(x, 0.0, z, f32::from(i * 13 % 7) * 0.2 - 0.6),
            clip: clips[usize::from(i % 4)],
            phase: f32::from(i * 5 % 11) / 11.0,
            ..Instance::default()
        })?;
    }

    // One map for two cascades: a sharp one around the middle, a wide one for all.
    let map = ShadowMap::new(device, 2048, 2);
    let to_sun = [-0.5, 0.7, 0.45];
    let views = [
        View::look_at([4.0, 4.2, 10.0], [-0.2, 0.6, 0.0], 0.7, studio.aspect(), 0.1, 100.0),
        View::sun(to_sun, [0.0, 0.9, 2.5], 3.5),
        View::sun(to_sun, [0.0, 0.9, 0.0], 9.0),
    ];
    crowd.set_shadow_map(Some(&map));
    crowd.set_lighting(&Lighting { to_sun, shadow_views: [1, 3], ..Lighting::default() });
    let ground = Ground::new(device, &map, &views);

    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.update(0.4);
    // All views of the frame at once: what any of them sees is posed once, and drawn from the same palettes.
    crowd.prepare(device, queue, &mut encoder, &views)?;
    for (cascade, view) in [(0, 1), (1, 2)] {
        Studio::shadow_pass(&mut encoder, &map, cascade, |pass| crowd.draw(pass, &depth, view));
    }
    studio.color_pass(&mut encoder, |pass| {
        crowd.draw(pass, &color, 0);
        ground.draw(pass);
    });
    studio.save(encoder, path)
}

/// The program's own ground, which reads the same shadow map.
struct Ground {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Ground {
    fn new(device: &wgpu::Device, map: &ShadowMap, views: &[View; 3]) -> Self {
        let matrices = views.map(|view| view.clip_from_world);
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ground"),
            size: size_of_val(&matrices) as u64,
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        if let Ok(mut bytes) = uniform.slice(..).get_mapped_range_mut() {
            bytes.copy_from_slice(bytemuck::cast_slice(&matrices));
        }
        uniform.unmap();
        let module = device.create_shader_module(wgpu::include_wgsl!("ground.wgsl"));
        let target = Studio::target();
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("ground"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("ground_vertex"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: target.depth.map(|format| wgpu::DepthStencilState {
                format,
                depth_write_enabled: Some(true),
                depth_compare: Some(target.depth_compare),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: target.sample_count, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("ground_fragment"),
                compilation_options: Default::default(),
                targets: &[target.color.map(wgpu::ColorTargetState::from)],
            }),
            multiview_mask: None,
            cache: None,
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("ground"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(map.array()),
                },
                wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        Self { pipeline, group }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..6, 0..1);
    }
}
