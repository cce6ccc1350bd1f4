//! The cases of anim-wgpu's own crowd.

use std::collections::BTreeMap;

use anim_format::model::{Content, Rows};
use anim_wgpu::{
    BoneSource, ClipMode, Crowd, CrowdPipelines, CrowdSettings, ModelSource, PalettePrecision, PathChoice,
    PathUsed, PlayOptions, Target, View, skin_module,
};
use bytemuck::{Pod, Zeroable};

use super::pipeline::{PipelineShape, bench_pipeline};
use super::stage::{Stage, Triangles};
use super::subject::{Frame, Subject};
use crate::gpu::Gpu;
use crate::gpu::frame_timer::Pass;

/// What the crowd does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrowdCase {
    /// Everyone plays a clip, and nobody touches anything.
    Untouched,
    /// Everyone is half-way through a fade.
    Fading,
    /// Everyone is in two fades at once.
    ThreeLayers,
    /// Untouched, from the rows of a file that has local tracks, too.
    Rows,
    /// Fading, from rows.
    RowsFading,
    /// Three layers, from rows.
    RowsThreeLayers,
    /// The program sets every transform every frame.
    MovedCpu,
    /// A compute pass writes every transform every frame.
    MovedGpu,
    /// The camera stands in a large crowd and sees a few.
    CullOnly,
    /// Palettes of half floats.
    Half,
    /// Depth alone, as in a depth prepass or a shadow map, by the ready pipeline.
    DepthOnly,
    /// Colour by the ready pipeline, which reads texture coordinates, an image and perhaps a shadow map too.
    Ready,
    /// Untouched, on the path for devices without compute.
    Direct,
    /// Fading, on the path for devices without compute.
    DirectFading,
}

/// Seconds that fades of the fading cases take: measured in their middle.
const FADE_SECONDS: f32 = 1000.0;

/// A crowd and how it is drawn.
pub(crate) struct CrowdSubject {
    case: CrowdCase,
    crowd: Crowd,
    /// By whether bones come from the pages.
    pipelines: BTreeMap<bool, wgpu::RenderPipeline>,
    /// For the cases that do not draw with the benchmark's own fragment shader.
    ready: CrowdPipelines,
    mover: Option<Mover>,
    other_transforms: Vec<Rows>,
}

impl CrowdSubject {
    /// Fills a crowd.
    pub(crate) fn new(stage: &Stage<'_>, case: CrowdCase) -> Result<Self, String> {
        let (device, queue) = (&stage.gpu.device, &stage.gpu.queue);
        let precision = match case {
            CrowdCase::Half => PalettePrecision::Half,
            _ => PalettePrecision::Full,
        };
        let path = match case {
            CrowdCase::Direct | CrowdCase::DirectFading => PathChoice::Direct,
            _ => PathChoice::Palette,
        };
        let settings = CrowdSettings { path, precision, ..CrowdSettings::default() };
        let sources =
            [ModelSource { page_set: page_set(stage, case)?, ..ModelSource::new(stage.model.file) }];
        let crowd = Crowd::new(device, queue, &sources, &settings).map_err(|error| error.to_string())?;
        let target = match case {
            CrowdCase::DepthOnly => Target { color: None, ..Target::default() },
            _ => Target::default(),
        };
        let mut subject = Self {
            case,
            ready: CrowdPipelines::new(device, &crowd, &target).map_err(|error| error.to_string())?,
            crowd,
            pipelines: BTreeMap::new(),
            mover: None,
            other_transforms: Vec::new(),
        };
        subject.fill(stage).map_err(|error| error.to_string())?;
        if case == CrowdCase::MovedGpu {
            let transforms = subject.crowd.transform_buffer().ok_or("the transforms are on the CPU")?;
            subject.mover = Some(Mover::new(stage.gpu, transforms));
        }
        if case == CrowdCase::MovedCpu {
            let mut moved = stage.transforms.clone();
            moved.iter_mut().for_each(|rows| rows[0][3] += stage.spacing * 0.1);
            subject.other_transforms = moved;
        }
        Ok(subject)
    }

    fn fill(&mut self, stage: &Stage<'_>) -> Result<(), anim_wgpu::GpuError> {
        let clips = stage.clip_count();
        self.crowd.reserve(&stage.gpu.device, &stage.gpu.queue, stage.count)?;
        let mut handles = Vec::with_capacity(stage.count as usize);
        for number in 0..stage.count {
            handles.push(self.crowd.add(&stage.instance(number))?);
        }
        let fades = match self.case {
            CrowdCase::Fading | CrowdCase::RowsFading | CrowdCase::DirectFading => 1,
            CrowdCase::ThreeLayers | CrowdCase::RowsThreeLayers => 2,
            _ => 0,
        };
        for fade in 1..=fades {
            // A second later than the one before, so that none replaces it.
            self.crowd.update(f64::from(fade));
            for (number, handle) in (0..).zip(&handles) {
                let options = PlayOptions {
                    phase: stage.phase(number + fade),
                    mode: Some(ClipMode::Loop),
                    ..PlayOptions::new((stage.clip(number) + fade) % clips, FADE_SECONDS)
                };
                self.crowd.play_with(*handle, &options)?;
            }
        }
        Ok(())
    }

    fn draw(&mut self, frame: &mut Frame<'_, '_>) {
        let stage = frame.stage;
        let depth_only = self.case == CrowdCase::DepthOnly;
        let timestamps = frame.timer.render();
        let mut pass = stage.target.begin(&mut frame.encoder, !depth_only, timestamps);
        if depth_only || self.case == CrowdCase::Ready {
            self.crowd.draw(&mut pass, &self.ready, 0);
            return;
        }
        let (crowd, pipelines) = (&self.crowd, &mut self.pipelines);
        crowd.draw_with(&mut pass, 0, |draw| {
            let from_pages = matches!(draw.bones, BoneSource::Pages(_));
            let pipeline = pipelines.entry(from_pages).or_insert_with(|| {
                let wide = crowd.has_wide_vertices(draw.model);
                let source = [
                    skin_module(draw.bones, wide, 0),
                    include_str!("shaders/surface.wgsl").to_owned(),
                    include_str!("shaders/crowd.wgsl").to_owned(),
                ];
                let layout = crowd.bind_group_layout(draw.model, draw.bones);
                bench_pipeline(
                    &stage.gpu.device,
                    &PipelineShape {
                        source: source.join("\n"),
                        vertex_entry: "bench_vertex",
                        layout,
                        buffers: &[
                            Some(anim_wgpu::pose_layout(wide)),
                            None,
                            (draw.bones == BoneSource::Attributes).then(anim_wgpu::instance_layout),
                        ],
                    },
                )
            });
            Some(pipeline.clone())
        });
    }
}

impl Subject for CrowdSubject {
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String> {
        let stage = frame.stage;
        let (device, queue) = (&stage.gpu.device, &stage.gpu.queue);
        self.crowd.update(frame.seconds);
        if self.case == CrowdCase::MovedCpu {
            let moved = frame.number.is_multiple_of(2);
            let transforms = if moved { &self.other_transforms } else { &stage.transforms };
            self.crowd.set_transforms(0..stage.count, transforms).map_err(|error| error.to_string())?;
        }
        self.crowd.upload(device, queue);
        if let Some(mover) = &self.mover {
            mover.record(frame);
        }
        let views = [*frame.view];
        // The direct path has no passes of its own, so no times of them.
        let timer = if self.crowd.path() == PathUsed::Palette { frame.timer.crowd() } else { None };
        self.crowd
            .record(device, queue, &mut frame.encoder, &views, timer)
            .map_err(|error| error.to_string())?;
        self.draw(frame);
        Ok(self.crowd.uploaded_bytes())
    }

    fn memory_bytes(&self) -> u64 {
        self.crowd.memory_bytes()
    }

    fn vertex_bytes(&self) -> u64 {
        let pose = anim_wgpu::pose_layout(self.crowd.has_wide_vertices(0)).array_stride;
        match self.case {
            CrowdCase::Ready => pose + anim_wgpu::surface_layout().array_stride,
            _ => pose,
        }
    }

    fn start_seconds(&self) -> f64 {
        match self.case {
            CrowdCase::Fading
            | CrowdCase::ThreeLayers
            | CrowdCase::RowsFading
            | CrowdCase::RowsThreeLayers
            | CrowdCase::DirectFading => f64::from(FADE_SECONDS) * 0.5,
            _ => 1.0,
        }
    }

    fn view(&self, stage: &Stage<'_>, triangles: Triangles) -> Option<View> {
        match (self.case, triangles) {
            (CrowdCase::CullOnly, Triangles::Visible) => Some(stage.close_view()),
            (CrowdCase::CullOnly, Triangles::Culled) => None,
            _ => Some(stage.view(triangles)),
        }
    }
}

/// The page set that a case plays: the file's first, or its rows beside local tracks.
fn page_set(stage: &Stage<'_>, case: CrowdCase) -> Result<u32, String> {
    let sets = &stage.model.file.page_sets;
    let rows = (0..).zip(sets).find(|(_, set)| set.content == Content::Rows).map(|(number, _)| number);
    match (case, rows) {
        (CrowdCase::Rows | CrowdCase::RowsFading | CrowdCase::RowsThreeLayers, Some(number))
            if number > 0 =>
        {
            Ok(number)
        }
        (CrowdCase::Rows | CrowdCase::RowsFading | CrowdCase::RowsThreeLayers, _) => {
            Err("the file has no local tracks with rows beside them".into())
        }
        (CrowdCase::Direct | CrowdCase::DirectFading, rows) => Ok(rows.unwrap_or(0)),
        _ => Ok(0),
    }
}

/// The program's compute pass of the case that moves instances on the GPU.
struct Mover {
    pipeline: wgpu::ComputePipeline,
    uniform: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// `BenchMove` of `move.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct MoveUniform {
    seconds: f32,
    instances: u32,
    columns: u32,
    spacing: f32,
}

impl Mover {
    fn new(gpu: &Gpu, transforms: &wgpu::Buffer) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("bench move"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shaders/move.wgsl").into()),
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("bench move"),
            layout: None,
            module: &module,
            entry_point: Some("move_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("bench move"),
            size: size_of::<MoveUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bench move"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: transforms.as_entire_binding() },
            ],
        });
        Self { pipeline, uniform, group }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a small time")]
    fn record(&self, frame: &mut Frame<'_, '_>) {
        let stage = frame.stage;
        let uniform = MoveUniform {
            seconds: frame.seconds as f32,
            instances: stage.count,
            columns: stage.columns,
            spacing: stage.spacing,
        };
        stage.gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&uniform));
        let mut pass = frame.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("bench move"),
            timestamp_writes: frame.timer.compute(Pass::Move),
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        let groups = stage.count.div_ceil(64);
        let rows = groups.div_ceil(65_535).max(1);
        pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }
}
