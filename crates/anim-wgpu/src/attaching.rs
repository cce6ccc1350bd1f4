//! Attaching instances to others, the bounds that follow from it, and where instances are.

use anim_core::matrix_rows::{affine_from_rows, rows_from_affine};
use anim_format::model::Rows;

use crate::attachments::Attached;
use crate::crowd::Crowd;
use crate::error::GpuError;
use crate::gpu_types::{ATTACH_DEPTH_MAX, INSTANCE_HIDDEN, INSTANCE_MOVING, INSTANCE_POINT_MIRRORS};
use crate::instances::{InstanceHandle, NO_PARENT};
use crate::model::{bind_from_child, largest_scale, reach_from_point};
use crate::shader_source::PalettePrecision;

impl Crowd {
    /// Number of a model's attachment point of a name.
    #[must_use]
    pub fn attachment_index(&self, model: u32, name: &str) -> Option<u32> {
        let points = &self.models.get(model as usize)?.model.attachments;
        points.iter().position(|point| point.name == name).and_then(|number| u32::try_from(number).ok())
    }

    /// Hangs an instance on an attachment point of another one of the same crowd, through its frames and fades.
    ///
    /// The child's own node of the point's name, as it is at rest, is laid on the point; without one, its origin. A point
    /// that mirrors (negative scale) has to do so in every frame, as it does in the first one of the first clip. Its
    /// transform is from now on relative to that place: set the identity to lie exactly on it. It is shown, and visible
    /// while its parent is. A velocity that it had ends.
    ///
    /// # Errors
    ///
    /// If one of the instances has been removed, there is no such point, the child is the parent or an ancestor of it, or
    /// more than four would hang below each other.
    pub fn attach(
        &mut self,
        child: InstanceHandle,
        parent: InstanceHandle,
        attachment: u32,
    ) -> Result<(), GpuError> {
        let (child_index, parent_index) = (self.find(child)?, self.find(parent)?);
        let points = &self.models[self.instances.model_of(parent_index)].model.attachments;
        let Some(point) = points.get(attachment as usize) else {
            return Err(GpuError::NoSuchAttachment { number: attachment, count: points.len() });
        };
        if self.attachments.hangs_on(parent.index, child.index) {
            return Err(GpuError::AttachedToItself { index: child.index });
        }
        let depth = self.attachments.depth_of(parent.index) + 1 + self.attachments.height_of(child.index);
        if depth > ATTACH_DEPTH_MAX {
            return Err(GpuError::AttachedTooDeep { depth, limit: ATTACH_DEPTH_MAX });
        }
        let child_model = &self.models[self.instances.model_of(child_index)].model;
        let point_from_child = child_model.point_from_child(&point.name);
        let mirrors = point.mirrors != (point_from_child.matrix3.determinant() < 0.0);
        let attached = Attached {
            parent: parent.index,
            point: attachment as usize,
            bone: point.bone,
            bind_from_child: bind_from_child(&point.bind_from_point, &point_from_child),
            point_from_child,
        };
        self.unhook(child.index);
        self.attachments.insert(child.index, attached);
        self.has_mirrored |= mirrors;
        self.instances.set_flag(child_index, INSTANCE_POINT_MIRRORS, mirrors);
        self.instances.culls[child_index].parent = parent.index;
        self.instances.mark_cull(child_index);
        self.attachments.adopt(child.index);
        self.instances.set_flag(child_index, INSTANCE_HIDDEN, false);
        self.instances.set_flag(child_index, INSTANCE_MOVING, false);
        self.refresh_parents(child.index);
        Ok(())
    }

    /// Takes an instance off what it hangs on. Its transform is relative to the crowd's origin again, unchanged; set it
    /// first to [`Self::world_from_model`] if it shall stay where it is. Shows it if it was hidden with its parent's
    /// removal; one that [`Self::set_hidden`] hid stays hidden. Nothing else happens to an instance that hangs on nothing.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn detach(&mut self, child: InstanceHandle) -> Result<(), GpuError> {
        let index = self.find(child)?;
        self.unhook(child.index);
        if self.attachments.adopt(child.index) {
            self.instances.set_flag(index, INSTANCE_HIDDEN, false);
        }
        Ok(())
    }

    /// What an instance hangs on.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn parent(&self, child: InstanceHandle) -> Result<Option<InstanceHandle>, GpuError> {
        self.find(child)?;
        Ok(self.attachments.of_child(child.index).and_then(|attached| self.instances.handle(attached.parent)))
    }

    /// Where an instance is now: `world_from_model`, with its velocity and what it hangs on. Transforms that a compute pass
    /// wrote are not known here.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn world_from_model(&self, handle: InstanceHandle) -> Result<Rows, GpuError> {
        self.find(handle)?;
        Ok(self.scene().world_rows(handle.index))
    }

    /// Where an attachment point of an instance is now: `world_from_attachment`, by the numbers that the GPU has.
    ///
    /// # Errors
    ///
    /// If the instance has been removed, or there is no such point.
    pub fn attachment_matrix(&self, handle: InstanceHandle, attachment: u32) -> Result<Rows, GpuError> {
        let index = self.find(handle)?;
        let points = &self.models[self.instances.model_of(index)].model.attachments;
        let Some(point) = points.get(attachment as usize) else {
            return Err(GpuError::NoSuchAttachment { number: attachment, count: points.len() });
        };
        let rows = point.tracks.rows(self.instances.stacks[index].gpu_layers(), self.now_tick);
        let model_from_point = affine_from_rows(&rows) * point.bind_from_point;
        Ok(rows_from_affine(&(self.scene().world_of(handle.index) * model_from_point)))
    }

    /// Takes a child off its parent without showing it.
    pub(crate) fn unhook(&mut self, child: u32) {
        if let Some(parent) = self.attachments.remove(child) {
            self.instances.culls[child as usize].parent = NO_PARENT;
            self.instances.set_flag(child as usize, INSTANCE_POINT_MIRRORS, false);
            self.instances.mark_cull(child as usize);
            self.refresh_sphere(parent);
        }
    }

    /// Computes the ball of an instance anew, and of all that it hangs on.
    pub(crate) fn refresh_sphere(&mut self, number: u32) {
        let sphere = self.sphere_with_children(number);
        let cull = &mut self.instances.culls[number as usize];
        if cull.sphere != sphere {
            cull.sphere = sphere;
            self.instances.mark_cull(number as usize);
        }
        self.refresh_parents(number);
    }

    /// Computes the balls of all that an instance hangs on anew.
    pub(crate) fn refresh_parents(&mut self, number: u32) {
        if let Some(attached) = self.attachments.of_child(number) {
            self.refresh_sphere(attached.parent);
        }
    }

    /// Ball around everything that an instance and what hangs on it may show while its layers play.
    fn sphere_with_children(&self, number: u32) -> [f32; 4] {
        let index = number as usize;
        let model = &self.models[self.instances.model_of(index)].model;
        let clips = || self.instances.stacks[index].clips();
        let mut sphere = model.sphere_of(clips());
        if self.settings.precision == PalettePrecision::Half {
            sphere = model.half_palette_sphere(sphere);
        }
        for child in self.attachments.children_of(number) {
            let Some(attached) = self.attachments.of_child(*child) else { continue };
            let own = affine_from_rows(&self.instances.transforms[*child as usize]);
            let child_sphere = self.instances.culls[*child as usize].sphere;
            let reach = reach_from_point(&own, child_sphere);
            // The child's own transform applies first, then where its model lies on the point.
            let reach = reach * largest_scale(&attached.point_from_child)
                + attached.point_from_child.translation.length();
            let around = model.reach_of(attached.point, clips(), reach);
            sphere = anim_core::culling::sphere_around(sphere, around);
        }
        sphere
    }
}
