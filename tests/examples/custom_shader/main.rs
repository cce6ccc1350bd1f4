//! How do I draw a crowd with my own shader?

#[path = "../studio/mod.rs"]
mod studio;

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use anim_wgpu::{
    BoneSource, Crowd, CrowdSettings, DrawInfo, Instance, ModelSource, View, instance_layout, pose_layout,
    skin_module, surface_layout,
};
use studio::{Studio, place, sample};

fn main() -> Result<(), Box<dyn Error>> {
    run(&studio::output("custom_shader")?)
}

/// Draws the picture.
pub(crate) fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let studio = Studio::new(960, 540)?;
    let (device, queue) = (&studio.device, &studio.queue);
    let file = sample("biped", &Default::default())?;
    // The crowd's bind group is number 1 here: group 0 belongs to the program.
    let settings = CrowdSettings { bind_group: 1, ..CrowdSettings::default() };
    // Few palettes, to show that a shader of one's own also draws the instances beyond them.
    let source = ModelSource { max_visible: 20, ..ModelSource::new(&file) };
    let mut crowd = Crowd::new(device, queue, &[source], &settings)?;
    let walk = crowd.clip_index(0, "walk").ok_or("walk")?;
    for i in 0..40u16 {
        crowd.add(&Instance {
            world_from_model: place(f32::from(i % 10) * 1.1 - 5.0, 0.0, f32::from(i / 10) * -1.6, 0.4),
            clip: walk,
            phase: f32::from(i * 3 % 10) / 10.0,
            // The shader reads it with anim_user_data: 0 is far from a ghost, 100 is one.
            user_data: u32::from(i * 100 / 39),
            ..Instance::default()
        })?;
    }

    let view = View::look_at([2.0, 2.2, 7.0], [0.0, 0.8, -1.5], 0.7, studio.aspect(), 0.1, 100.0);
    let own_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("own"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    });
    let eye = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("eye"),
        size: 16,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&eye, 0, bytemuck::cast_slice(&[2.0f32, 2.2, 7.0, 0.0]));
    let own_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("own"),
        layout: &own_layout,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: eye.as_entire_binding() }],
    });

    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.update(0.3);
    crowd.prepare(device, queue, &mut encoder, &[view])?;
    let mut pipelines: HashMap<BoneSource, wgpu::RenderPipeline> = HashMap::new();
    studio.color_pass(&mut encoder, |pass| {
        pass.set_bind_group(0, &own_group, &[]);
        // Kinds of draws: from palettes, from the pages, or on the direct path. The same shader text serves all.
        crowd.draw_with(pass, 0, |draw: &DrawInfo| {
            let pipeline = pipelines
                .entry(draw.bones)
                .or_insert_with(|| ghost_pipeline(device, &crowd, draw, &own_layout));
            Some(pipeline.clone())
        });
    });
    studio.save(encoder, path)
}

/// The program's own pipeline: anim's skinning module, then `ghost.wgsl`.
fn ghost_pipeline(
    device: &wgpu::Device,
    crowd: &Crowd,
    draw: &DrawInfo,
    own_layout: &wgpu::BindGroupLayout,
) -> wgpu::RenderPipeline {
    let wide = crowd.has_wide_vertices(draw.model);
    let source = skin_module(draw.bones, wide, 1) + include_str!("ghost.wgsl");
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("ghost"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("ghost"),
        bind_group_layouts: &[Some(own_layout), crowd.bind_group_layout(draw.model, draw.bones)],
        immediate_size: 0,
    });
    let target = Studio::target();
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("ghost"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("ghost_vertex"),
            compilation_options: Default::default(),
            buffers: &[
                Some(pose_layout(wide)),
                Some(surface_layout()),
                (draw.bones == BoneSource::Attributes).then(instance_layout),
            ],
        },
        primitive: wgpu::PrimitiveState { cull_mode: Some(wgpu::Face::Back), ..Default::default() },
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
            entry_point: Some("ghost_fragment"),
            compilation_options: Default::default(),
            targets: &[target.color.map(wgpu::ColorTargetState::from)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
