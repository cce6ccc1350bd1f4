//! One draw a character: the crowd's own palettes, and a draw call for each instance.

use anim_wgpu::{Crowd, CrowdSettings, ModelSource};

use super::{
    RivalBuffers, TRANSFORM, group, group_layout, palette_entry, per_instance, rival_pipeline, scene_entry,
    transform_bytes,
};
use crate::bench::stage::Stage;
use crate::bench::subject::{Frame, Subject};

/// Instances above which this is not tried.
const COUNT_MAX: u32 = 10_000;

/// A crowd that is drawn one by one.
#[derive(Debug)]
pub(crate) struct DrawEach {
    crowd: Crowd,
    buffers: RivalBuffers,
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    count: u32,
}

impl DrawEach {
    /// Fills a crowd, for its palettes.
    pub(crate) fn new(stage: &Stage<'_>) -> Result<Self, String> {
        if stage.count > COUNT_MAX {
            return Err(format!("more than {COUNT_MAX} draw calls are not tried"));
        }
        let buffers = RivalBuffers::new(stage)?;
        let (device, queue) = (&stage.gpu.device, &stage.gpu.queue);
        let sources = [ModelSource::new(stage.model.file)];
        let mut crowd = Crowd::new(device, queue, &sources, &CrowdSettings::default())
            .map_err(|error| error.to_string())?;
        for number in 0..stage.count {
            crowd.add(&stage.instance(number)).map_err(|error| error.to_string())?;
        }
        let layout = group_layout(stage.gpu, &[scene_entry(), palette_entry()]);
        Ok(Self {
            crowd,
            pipeline: rival_pipeline(
                stage.gpu,
                include_str!("../shaders/palette.wgsl"),
                "bench_vertex",
                &layout,
                &[per_instance(48, &TRANSFORM)],
            ),
            buffers,
            layout,
            group: None,
            count: stage.count,
        })
    }
}

impl Subject for DrawEach {
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String> {
        let stage = frame.stage;
        let (device, queue) = (&stage.gpu.device, &stage.gpu.queue);
        self.crowd.update(frame.seconds);
        self.crowd.upload(device, queue);
        let timer = frame.timer.crowd();
        self.crowd
            .record(device, queue, &mut frame.encoder, &[*frame.view], timer)
            .map_err(|error| error.to_string())?;
        let mut palettes = self.crowd.palette_buffers(0);
        let (Some(palette), None) = (palettes.next(), palettes.next()) else {
            return Err("the palettes do not fit one binding".into());
        };
        let group = self.group.get_or_insert_with(|| {
            group(stage.gpu, &self.layout, &self.buffers.scene, Some(palette.as_entire_binding()))
        });
        let bytes = self.buffers.set_view(stage.gpu, frame.view.clip_from_world);
        let timestamps = frame.timer.render();
        let mut pass = stage.target.begin(&mut frame.encoder, true, timestamps);
        self.buffers.bind(&mut pass);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &*group, &[]);
        pass.set_vertex_buffer(1, self.buffers.transforms.slice(..));
        for number in 0..stage.count {
            self.buffers.draw(&mut pass, number..number + 1);
        }
        Ok(bytes + self.crowd.uploaded_bytes())
    }

    fn memory_bytes(&self) -> u64 {
        self.crowd.memory_bytes() + transform_bytes(self.count)
    }

    fn vertex_bytes(&self) -> u64 {
        16
    }
}
