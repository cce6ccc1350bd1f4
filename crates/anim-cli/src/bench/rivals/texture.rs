//! Texture per vertex: what tools that bake animations to textures do. The program finds each instance's frames on the
//! CPU and uploads them as attributes; every vertex reads every matrix that it needs from the texture.

use anim_core::encoding::{RowsEncoding, encode_rows};
use rayon::prelude::*;

use super::{
    RivalBuffers, TRANSFORM, empty, frames_at, group, group_layout, per_instance, rival_pipeline,
    scene_entry, transform_bytes,
};
use crate::bench::stage::Stage;
use crate::bench::subject::{Frame, Subject};
use crate::gpu::Gpu;

/// Matrices of a row of the texture.
const MATRICES_A_ROW: u32 = 1024;

const LAYER: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![7 => Uint32x4];
const LAYERS: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![7 => Uint32x4, 8 => Uint32x4];

/// What an instance plays, as the vertex shader reads it.
type LayerWords = [u32; 4];

/// A crowd that reads a texture.
#[derive(Debug)]
pub(crate) struct TextureRival {
    buffers: RivalBuffers,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    layers: wgpu::Buffer,
    words: Vec<LayerWords>,
    layer_count: u32,
    count: u32,
}

impl TextureRival {
    /// Uploads everything: matrices as `encoding`, one layer an instance or, in a fade, two.
    pub(crate) fn new(stage: &Stage<'_>, encoding: RowsEncoding, fading: bool) -> Result<Self, String> {
        let buffers = RivalBuffers::new(stage)?;
        let texture = upload(stage, encoding)?;
        let layout = group_layout(stage.gpu, &[scene_entry(), texture_entry()]);
        let layer_count = if fading { 2 } else { 1 };
        let stride = u64::from(layer_count) * size_of::<LayerWords>() as u64;
        let (entry, attributes): (_, &[wgpu::VertexAttribute]) =
            if fading { ("bench_vertex_fading", &LAYERS) } else { ("bench_vertex", &LAYER) };
        let instance_buffers = [per_instance(48, &TRANSFORM), per_instance(stride, attributes)];
        let shader = include_str!("../shaders/texture.wgsl");
        let words = stage.count as usize * layer_count as usize;
        Ok(Self {
            pipeline: rival_pipeline(stage.gpu, shader, entry, &layout, &instance_buffers),
            group: group(
                stage.gpu,
                &layout,
                &buffers.scene,
                Some(wgpu::BindingResource::TextureView(&texture)),
            ),
            layers: empty(stage.gpu, wgpu::BufferUsages::VERTEX, stride * u64::from(stage.count))?,
            words: vec![[0; 4]; words],
            buffers,
            layer_count,
            count: stage.count,
        })
    }

    /// Finds the frames of every instance, on all cores.
    fn choose_frames(&mut self, stage: &Stage<'_>, seconds: f64) {
        let layers = self.layer_count;
        let model = stage.model;
        let clips = stage.clip_count();
        let weight = 1.0 / layers as f32;
        self.words.par_chunks_mut(layers as usize).enumerate().with_min_len(256).for_each(
            |(number, words)| {
                #[expect(clippy::cast_possible_truncation, reason = "instances are u32")]
                let number = number as u32;
                for (layer, words) in (0..).zip(words) {
                    // The second clip was started a second after the first, as in the crowd's own case.
                    let clip = model.clips[((stage.clip(number) + layer) % clips) as usize];
                    let (a, b, share) =
                        frames_at(clip, model.bones, stage.phase(number + layer), seconds - f64::from(layer));
                    *words = [a, b, share.to_bits(), weight.to_bits()];
                }
            },
        );
    }
}

impl Subject for TextureRival {
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String> {
        let stage = frame.stage;
        self.choose_frames(stage, frame.seconds);
        let words: &[u8] = bytemuck::cast_slice(&self.words);
        stage.gpu.queue.write_buffer(&self.layers, 0, words);
        let bytes = self.buffers.set_view(stage.gpu, frame.view.clip_from_world) + words.len() as u64;
        let timestamps = frame.timer.render();
        let mut pass = stage.target.begin(&mut frame.encoder, true, timestamps);
        self.buffers.bind(&mut pass);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_vertex_buffer(1, self.buffers.transforms.slice(..));
        pass.set_vertex_buffer(2, self.layers.slice(..));
        self.buffers.draw(&mut pass, 0..stage.count);
        Ok(bytes)
    }

    fn memory_bytes(&self) -> u64 {
        transform_bytes(self.count) + size_of_val(&self.words[..]) as u64
    }

    fn vertex_bytes(&self) -> u64 {
        16
    }
}

const fn texture_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 1,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    }
}

/// All matrices of the model, three texels each.
fn upload(stage: &Stage<'_>, encoding: RowsEncoding) -> Result<wgpu::TextureView, String> {
    let gpu: &Gpu = stage.gpu;
    let matrices = &stage.model.matrices;
    let width = MATRICES_A_ROW * 3;
    let height = matrices.len().div_ceil(MATRICES_A_ROW as usize);
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let height = u32::try_from(height).ok().filter(|height| *height <= limit).ok_or_else(|| {
        format!("the matrices would need a texture of {height} rows, and the device allows {limit}")
    })?;
    let row_bytes = MATRICES_A_ROW as usize * encoding.bone_bytes();
    let mut bytes = vec![0; row_bytes * height as usize];
    for (rows, out) in matrices.iter().zip(bytes.chunks_exact_mut(encoding.bone_bytes())) {
        encode_rows(rows, encoding, out)
            .map_err(|error| format!("a half float cannot hold {}", error.value))?;
    }
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("bench matrices"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match encoding {
            RowsEncoding::Affine32 => wgpu::TextureFormat::Rgba32Float,
            RowsEncoding::Affine16 => wgpu::TextureFormat::Rgba16Float,
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    gpu.queue.write_texture(
        texture.as_image_copy(),
        &bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: u32::try_from(row_bytes).ok(),
            rows_per_image: Some(height),
        },
        size,
    );
    Ok(texture.create_view(&wgpu::TextureViewDescriptor::default()))
}
