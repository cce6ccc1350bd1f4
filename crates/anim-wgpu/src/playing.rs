//! What instances play and how they look: changes that cost one small upload each.

use std::cmp::Reverse;

use anim_core::clock::TICKS_PER_SECOND;
use anim_core::layer_stack::{LayerStack, MaskedPlay, Play};
use anim_format::model::ClipMode;

use crate::crowd::{Crowd, halves, pack_color, whole};
use crate::error::GpuError;
use crate::gpu_types::INSTANCE_HIDDEN;
use crate::instances::InstanceHandle;

/// How a clip is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayOptions {
    /// Clip number.
    pub clip: u32,
    /// Seconds until it covers wholly what was played before; 0 is a cut.
    pub fade_seconds: f32,
    /// 1 is as authored; negative is backwards, 0 stands still.
    pub speed: f32,
    /// Share of the clip, in the direction of its speed, that has passed when it starts, in `[0, 1]`.
    pub phase: f32,
    /// What happens at the clip's ends; `None` is what the file says.
    pub mode: Option<ClipMode>,
    /// Number of the mask to which the clip is limited: see [`Crowd::play_masked`]. `None` is the whole body.
    pub mask: Option<u32>,
    /// A masked clip fades out by itself, in as many seconds as it fades in, so that it has gone when it comes to its end
    /// (`Loop` and `PingPong`: the first end that it runs over). Without a mask this means nothing.
    pub leaves_at_end: bool,
}

impl PlayOptions {
    /// The clip from its start, as the file says, faded in, in the whole body.
    #[must_use]
    pub const fn new(clip: u32, fade_seconds: f32) -> Self {
        Self { clip, fade_seconds, speed: 1.0, phase: 0.0, mode: None, mask: None, leaves_at_end: false }
    }
}

impl Crowd {
    /// Plays a clip from its start, over what plays now, faded in over `fade_seconds` (0 is a cut). A masked clip stays on
    /// top of it.
    ///
    /// Both sides of a fade go on. Up to three clips blend, a masked one among them; if there are as many, the request
    /// waits for the fade that ends first, and a later request replaces it.
    ///
    /// # Errors
    ///
    /// If the instance has been removed, or its model has no such clip.
    pub fn play(&mut self, handle: InstanceHandle, clip: u32, fade_seconds: f32) -> Result<(), GpuError> {
        self.play_with(handle, &PlayOptions::new(clip, fade_seconds))
    }

    /// As [`Self::play`], with a speed, a mode and a phase, or as [`Self::play_masked`] if there is a mask.
    ///
    /// # Errors
    ///
    /// As [`Self::play`], and if the model has no such mask.
    pub fn play_with(&mut self, handle: InstanceHandle, options: &PlayOptions) -> Result<(), GpuError> {
        let play = self.request(handle, options)?;
        match options.mask {
            None => self.change(handle, |stack, now, durations| stack.play(now, &play, durations)),
            Some(mask) => {
                let mask = self.mask_of(handle, mask)?;
                let masked = MaskedPlay { play, mask, leaves_at_end: options.leaves_at_end };
                self.change(handle, |stack, now, durations| stack.play_masked(now, &masked, durations))
            }
        }
    }

    /// Plays a clip when the one that plays now has come to its end (`Loop` and `PingPong`: the end of the cycle that is
    /// running), faded so that it covers wholly at that moment.
    ///
    /// # Errors
    ///
    /// As [`Self::play`], and if there is a mask: masked clips follow nothing.
    pub fn play_after(&mut self, handle: InstanceHandle, options: &PlayOptions) -> Result<(), GpuError> {
        let play = self.request(handle, options)?;
        if options.mask.is_some() {
            return Err(GpuError::MaskedFollows);
        }
        self.change(handle, |stack, now, durations| stack.play_after(now, &play, durations))
    }

    /// Puts the current clip at a time, in seconds, clamped to its duration.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn seek(&mut self, handle: InstanceHandle, seconds: f64) -> Result<(), GpuError> {
        self.change(handle, |stack, now, durations| stack.seek(now, seconds, durations))
    }

    /// Fades to the first pose of the current clip, which stands still.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn stop(&mut self, handle: InstanceHandle, fade_seconds: f32) -> Result<(), GpuError> {
        let fade_ticks = fade_ticks(fade_seconds);
        self.change(handle, |stack, now, durations| stack.stop(now, fade_ticks, durations))
    }

    /// Sets the speed of the current clip; its pose does not jump. A speed that is not finite is ignored.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_speed(&mut self, handle: InstanceHandle, speed: f32) -> Result<(), GpuError> {
        self.change(handle, |stack, now, durations| stack.set_speed(now, speed, durations))
    }

    /// Puts the current clip at a share of its duration, in `[0, 1]`.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_phase(&mut self, handle: InstanceHandle, phase: f32) -> Result<(), GpuError> {
        self.change(handle, |stack, now, durations| stack.set_phase(now, phase, durations))
    }

    /// Sets what happens at the ends of the current clip.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_mode(&mut self, handle: InstanceHandle, mode: ClipMode) -> Result<(), GpuError> {
        self.change(handle, |stack, now, durations| stack.set_mode(now, mode, durations))
    }

    /// Lets all clips of an instance stand still, or go on where they stood. Fades that run go on.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_paused(&mut self, handle: InstanceHandle, paused: bool) -> Result<(), GpuError> {
        self.change(handle, |stack, now, durations| stack.pause(now, paused, durations))
    }

    /// All that an instance plays, to be kept: for saved games, or to copy one instance's state to another.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn layer_stack(&self, handle: InstanceHandle) -> Result<&LayerStack, GpuError> {
        Ok(&self.instances.stacks[self.find(handle)?])
    }

    /// Sets all that an instance plays.
    ///
    /// # Errors
    ///
    /// If the instance has been removed, or the stack plays a clip or has a mask that its model lacks.
    pub fn set_layer_stack(&mut self, handle: InstanceHandle, stack: &LayerStack) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        let count = self.models[self.instances.model_of(index)].model.clips.len();
        if let Some(number) = stack.clips().find(|clip| *clip as usize >= count) {
            return Err(GpuError::NoSuchClip { number, count });
        }
        for mask in stack.masks() {
            self.mask_of(handle, mask)?;
        }
        self.instances.stacks[index] = *stack;
        self.changed_layers(index);
        Ok(())
    }

    /// Sets the colour that the base colour is multiplied with: linear, each in `[0, 1]`, kept in 8 bits.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_color(&mut self, handle: InstanceHandle, color: [f32; 4]) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        self.instances.traits[index].color = pack_color(color);
        self.instances.mark_traits(index);
        Ok(())
    }

    /// Sets the program's own number, which its shaders read with `anim_user_data`.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_user_data(&mut self, handle: InstanceHandle, user_data: u32) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        self.instances.traits[index].user_data = user_data;
        self.instances.mark_traits(index);
        Ok(())
    }

    /// Sets which of the first 64 parts are shown, a bit each.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_part_mask(&mut self, handle: InstanceHandle, part_mask: u64) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        let old = whole(self.instances.traits[index].part_mask);
        let model = self.instances.model_of(index);
        self.models[model].change_hidden(old, part_mask);
        self.instances.traits[index].part_mask = halves(part_mask);
        self.instances.mark_traits(index);
        Ok(())
    }

    /// Hides an instance and what is attached to it, or shows it again. Hidden instances cost no drawing.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_hidden(&mut self, handle: InstanceHandle, hidden: bool) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        self.attachments.adopt(handle.index);
        self.instances.set_flag(index, INSTANCE_HIDDEN, hidden);
        Ok(())
    }

    /// Lets an instance move by itself from where it is now, in metres a second: a marching army uploads nothing. Zero
    /// lets it stand where it has come to. The transform stays where it was; see [`Self::world_from_model`].
    ///
    /// # Errors
    ///
    /// If the instance has been removed or is attached.
    pub fn set_velocity(&mut self, handle: InstanceHandle, velocity: [f32; 3]) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        if self.attachments.of_child(handle.index).is_some() {
            return Err(GpuError::Attached { index: handle.index });
        }
        let now = self.scene().moved_transform(index);
        // Not touched where it stands still: a compute pass may have put it elsewhere.
        if now != self.instances.transforms[index] {
            self.instances.transforms[index] = now;
            self.instances.mark_transforms(handle.index..handle.index + 1);
        }
        self.instances.set_motion(index, velocity, self.now_tick);
        Ok(())
    }

    /// The current clip: the one that was played last in the whole body and has started. For masked clips see
    /// [`Self::masked_clip`].
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn current_clip(&self, handle: InstanceHandle) -> Result<Option<u32>, GpuError> {
        Ok(self.instances.stacks[self.find(handle)?].current_clip(self.now_tick))
    }

    /// Seconds of the current clip that have passed, as the GPU sees it.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn time_seconds(&self, handle: InstanceHandle) -> Result<Option<f64>, GpuError> {
        let index = self.find(handle)?;
        let durations = &self.models[self.instances.model_of(index)].model.durations_seconds;
        Ok(self.instances.stacks[index].time_seconds(self.now_tick, durations))
    }

    /// Whether the current clip plays once and has come to its end.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn is_finished(&self, handle: InstanceHandle) -> Result<bool, GpuError> {
        Ok(self.instances.stacks[self.find(handle)?].is_finished(self.now_tick))
    }

    /// Number of a model's clip of a name.
    #[must_use]
    pub fn clip_index(&self, model: u32, name: &str) -> Option<u32> {
        let clips = &self.models.get(model as usize)?.model.clips;
        clips.iter().position(|clip| clip.name == name).and_then(|number| u32::try_from(number).ok())
    }

    /// Number of a model's first part of a name.
    #[must_use]
    pub fn part_index(&self, model: u32, name: &str) -> Option<u32> {
        let names = &self.models.get(model as usize)?.model.part_names;
        names.iter().position(|part| part == name).and_then(|number| u32::try_from(number).ok())
    }

    /// After the layers of an instance changed: bounds, upload, and when to look again.
    pub(crate) fn changed_layers(&mut self, index: usize) {
        self.instances.mark_playback(index);
        #[expect(clippy::cast_possible_truncation, reason = "numbers are u32")]
        let number = index as u32;
        self.refresh_sphere(number);
        if let (Some(tick), Some(handle)) =
            (self.instances.stacks[index].next_event_tick(), self.instances.handle(number))
        {
            self.events.push(Reverse((tick, handle)));
            self.drop_old_events();
        }
    }

    /// Requests that change leave ticks behind at which nothing happens any more. They go when most are such, so that this
    /// costs little however often it is called.
    fn drop_old_events(&mut self) {
        if self.events.len() <= 2 * self.instances.alive() as usize + 64 {
            return;
        }
        let mut events = std::mem::take(&mut self.events).into_vec();
        events.retain(|Reverse((tick, handle))| {
            let index = self.instances.find(*handle);
            index.is_some_and(|index| self.instances.stacks[index].next_event_tick() == Some(*tick))
        });
        events.sort_unstable();
        events.dedup();
        self.events = events.into();
    }

    pub(crate) fn change(
        &mut self,
        handle: InstanceHandle,
        change: impl FnOnce(&mut LayerStack, u64, &[f32]) -> bool,
    ) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        let durations = &self.models[self.instances.model_of(index)].model.durations_seconds;
        let before = self.instances.stacks[index].next_event_tick();
        let changed = change(&mut self.instances.stacks[index], self.now_tick, durations);
        // A request that waits changes no layer, and still has to be looked at.
        if changed || self.instances.stacks[index].next_event_tick() != before {
            self.changed_layers(index);
        }
        Ok(())
    }

    fn request(&self, handle: InstanceHandle, options: &PlayOptions) -> Result<Play, GpuError> {
        let index = self.find(handle)?;
        let clips = &self.models[self.instances.model_of(index)].model.clips;
        let Some(clip) = clips.get(options.clip as usize) else {
            return Err(GpuError::NoSuchClip { number: options.clip, count: clips.len() });
        };
        Ok(Play {
            clip: options.clip,
            mode: options.mode.unwrap_or(clip.mode),
            speed: options.speed,
            phase: options.phase,
            fade_ticks: fade_ticks(options.fade_seconds),
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and NaN is 0"
)]
pub(crate) fn fade_ticks(seconds: f32) -> u32 {
    (f64::from(seconds) * f64::from(TICKS_PER_SECOND)) as u32
}
