//! Masked clips: what instances play on top of all else, in a part of their skeleton.

use anim_core::layer_stack::MaskedClip;
use anim_core::limits::MASKS_MAX;

use crate::crowd::Crowd;
use crate::error::GpuError;
use crate::instances::InstanceHandle;
use crate::playing::{PlayOptions, fade_ticks};

impl Crowd {
    /// Plays a clip in the nodes of a mask alone, on top of all that plays, faded in over `fade_seconds` (0 is a cut): an
    /// arm waves while the legs walk on. What is played below it, by [`Self::play`] and the like, changes and fades as if it
    /// were not there.
    ///
    /// It plays until [`Self::stop_masked`], or until another masked clip replaces it: one of the same mask fades over it,
    /// of another mask it fades out while the new one fades in. [`PlayOptions::leaves_at_end`] lets it go by itself. If three
    /// clips play already, the request waits for the fade that ends first, and a later one replaces it.
    ///
    /// Masks are those of local tracks. Where rows are played, and on the direct path, the clip moves the whole body.
    ///
    /// # Errors
    ///
    /// If the instance has been removed, or its model has no such clip or mask.
    pub fn play_masked(
        &mut self,
        handle: InstanceHandle,
        clip: u32,
        mask: u32,
        fade_seconds: f32,
    ) -> Result<(), GpuError> {
        self.play_with(handle, &PlayOptions { mask: Some(mask), ..PlayOptions::new(clip, fade_seconds) })
    }

    /// Fades out the masked clip in `fade_seconds` (0 is a cut), or faster if it has not faded in wholly: what plays below it
    /// shows again. A masked clip that waits is not played. Without any, nothing happens.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn stop_masked(&mut self, handle: InstanceHandle, fade_seconds: f32) -> Result<(), GpuError> {
        let fade_ticks = fade_ticks(fade_seconds);
        self.change(handle, |stack, now, durations| stack.stop_masked(now, fade_ticks, durations))
    }

    /// The masked clip that plays: its number, mask and time, and whether it has come to its end. `None` as soon as it
    /// begins to fade out.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn masked_clip(&self, handle: InstanceHandle) -> Result<Option<MaskedClip>, GpuError> {
        let index = self.find(handle)?;
        let durations = &self.models[self.instances.model_of(index)].model.durations_seconds;
        Ok(self.instances.stacks[index].masked_clip(self.now_tick, durations))
    }

    /// Number of a model's mask of a name.
    #[must_use]
    pub fn mask_index(&self, model: u32, name: &str) -> Option<u32> {
        let names = &self.models.get(model as usize)?.model.mask_names;
        names.iter().position(|mask| mask == name).and_then(|number| u32::try_from(number).ok())
    }

    /// The number of a mask of an instance's model, if there is one and a layer can name it.
    pub(crate) fn mask_of(&self, handle: InstanceHandle, number: u32) -> Result<u32, GpuError> {
        let index = self.find(handle)?;
        let count = self.models[self.instances.model_of(index)].model.mask_names.len();
        let exists = number < MASKS_MAX && (number as usize) < count;
        exists.then_some(number).ok_or(GpuError::NoSuchMask { number, count })
    }
}
