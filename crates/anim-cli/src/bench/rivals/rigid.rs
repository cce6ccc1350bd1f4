//! The floor: the same mesh without any animation.

use super::{
    RivalBuffers, TRANSFORM, group, group_layout, per_instance, rival_pipeline, scene_entry, transform_bytes,
};
use crate::bench::stage::Stage;
use crate::bench::subject::{Frame, Subject};

/// One draw of all instances, each at its transform.
#[derive(Debug)]
pub(crate) struct Rigid {
    buffers: RivalBuffers,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    count: u32,
}

impl Rigid {
    /// Uploads everything.
    pub(crate) fn new(stage: &Stage<'_>) -> Result<Self, String> {
        let buffers = RivalBuffers::new(stage)?;
        let layout = group_layout(stage.gpu, &[scene_entry()]);
        Ok(Self {
            pipeline: rival_pipeline(
                stage.gpu,
                include_str!("../shaders/rigid.wgsl"),
                "bench_vertex",
                &layout,
                &[per_instance(48, &TRANSFORM)],
            ),
            group: group(stage.gpu, &layout, &buffers.scene, None),
            buffers,
            count: stage.count,
        })
    }
}

impl Subject for Rigid {
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String> {
        let stage = frame.stage;
        let bytes = self.buffers.set_view(stage.gpu, frame.view.clip_from_world);
        let timestamps = frame.timer.render();
        let mut pass = stage.target.begin(&mut frame.encoder, true, timestamps);
        self.buffers.bind(&mut pass);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_vertex_buffer(1, self.buffers.transforms.slice(..));
        self.buffers.draw(&mut pass, 0..stage.count);
        Ok(bytes)
    }

    fn memory_bytes(&self) -> u64 {
        transform_bytes(self.count)
    }

    fn vertex_bytes(&self) -> u64 {
        16
    }
}
