//! Where the instances of a crowd are at a moment and which views see them: the CPU twin of what the culling and
//! attachment passes work out.

use anim_core::clock::TICKS_PER_SECOND;
use anim_core::culling::sphere_is_outside;
use anim_core::glam::DAffine3;
use anim_core::matrix_rows::{affine_from_rows, rows_from_affine};
use anim_format::model::Rows;

use crate::attachments::Attachments;
use crate::crowd::is_mirrored;
use crate::crowd_model::CrowdModel;
use crate::gpu_types::{
    ATTACH_DEPTH_MAX, INSTANCE_ALIVE, INSTANCE_HIDDEN, INSTANCE_MOVING, INSTANCE_POINT_MIRRORS,
};
use crate::instances::{Instances, NO_PARENT};

/// The six planes of a view.
pub(crate) type Planes = [[f32; 4]; 6];

/// Bits of a decision that say which views see an instance.
pub(crate) const DECISION_VIEWS: u32 = 0xFFFF;
/// The instance is mirrored.
pub(crate) const DECISION_MIRRORED: u32 = 0x1_0000;

/// The parts of a crowd that say where its instances are, at a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'c> {
    pub(crate) models: &'c [CrowdModel],
    pub(crate) instances: &'c Instances,
    pub(crate) attachments: &'c Attachments,
    pub(crate) now_tick: u64,
}

impl Scene<'_> {
    /// The transform of an instance that hangs on nothing, moved by its velocity: the twin of `moved_transform`.
    #[expect(clippy::cast_precision_loss, reason = "as the shader computes it")]
    pub(crate) fn moved_transform(&self, index: usize) -> Rows {
        let mut rows = self.instances.transforms[index];
        if self.instances.culls[index].model_and_flags & INSTANCE_MOVING != 0 {
            let motion = &self.instances.motions[index];
            let start = u64::from(motion.start_tick[0]) | u64::from(motion.start_tick[1]) << 32;
            let ticks = self.now_tick.saturating_sub(start);
            let seconds = (ticks >> 32) as f32 * 65_536.0
                + (ticks & u64::from(u32::MAX)) as f32 * (1.0 / TICKS_PER_SECOND as f32);
            for (row, velocity) in rows.iter_mut().zip(motion.velocity) {
                row[3] += velocity * seconds;
            }
        }
        rows
    }

    /// Where an instance is, with its velocity and what it hangs on.
    pub(crate) fn world_of(&self, number: u32) -> DAffine3 {
        let Some(attached) = self.attachments.of_child(number) else {
            return affine_from_rows(&self.moved_transform(number as usize));
        };
        let parent = attached.parent as usize;
        let point = &self.models[self.instances.model_of(parent)].model.attachments[attached.point];
        let rows = point.tracks.rows(self.instances.stacks[parent].gpu_layers(), self.now_tick);
        self.world_of(attached.parent)
            * affine_from_rows(&rows)
            * affine_from_rows(&attached.bind_from_child)
            * affine_from_rows(&self.instances.transforms[number as usize])
    }

    /// The same as the rows that a shader gets.
    pub(crate) fn world_rows(&self, number: u32) -> Rows {
        match self.attachments.of_child(number) {
            Some(_) => rows_from_affine(&self.world_of(number)),
            None => self.moved_transform(number as usize),
        }
    }

    /// Which views see an instance, a bit each, and whether it is mirrored: the twin of `decide` in `cull.wgsl`.
    pub(crate) fn decide(&self, number: u32, views: &[Planes]) -> u32 {
        let culls = &self.instances.culls;
        let mut root = number as usize;
        let mut mirrored = false;
        for _ in 0..=ATTACH_DEPTH_MAX {
            let own = &culls[root];
            if own.model_and_flags & (INSTANCE_ALIVE | INSTANCE_HIDDEN) != INSTANCE_ALIVE {
                return 0;
            }
            if own.parent == NO_PARENT {
                break;
            }
            mirrored ^= is_mirrored(&self.instances.transforms[root]);
            mirrored ^= own.model_and_flags & INSTANCE_POINT_MIRRORS != 0;
            root = own.parent as usize;
        }
        let rows = self.moved_transform(root);
        mirrored ^= is_mirrored(&rows);
        let mut decision = if mirrored { DECISION_MIRRORED } else { 0 };
        for (view, planes) in views.iter().enumerate() {
            if !sphere_is_outside(planes, &rows, culls[root].sphere) {
                decision |= 1 << view;
            }
        }
        decision
    }
}
