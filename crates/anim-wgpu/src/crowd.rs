//! The facade: a crowd of instances of a few models, on the program's own device.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use anim_core::clock::ticks_from_seconds;
use anim_core::layer_stack::Play;
use anim_format::AnimFile;
use anim_format::model::{ClipMode, Rows};

use crate::attachments::Attachments;
use crate::crowd_model::CrowdModel;
use crate::direct_path::DirectPath;
use crate::error::GpuError;
use crate::gpu_types::{FrameUniform, INSTANCE_HIDDEN, InstanceTraits, VIEWS_MAX};
use crate::instances::{InstanceHandle, Instances, largest_count};
use crate::model_pages::load_model;
use crate::palette_path::PalettePath;
use crate::path::Path;
use crate::path_choice::{PathChoice, PathUsed};
use crate::readback::Readback;
use crate::scene::Scene;
use crate::shader_source::PalettePrecision;
use crate::timer::PassTimer;
use crate::views::{Lighting, View};

/// A file that a crowd plays.
#[derive(Clone, Copy, Debug)]
pub struct ModelSource<'f> {
    /// The file, read or just baked. The crowd keeps nothing of it that borrows.
    pub file: &'f AnimFile<'f>,
    /// Number of the page set that is played.
    pub page_set: u32,
    /// Palettes that there is room for: instances of this model that are drawn the fast way in one frame. Those beyond are
    /// drawn from the pages, slower, and counted. Memory is taken as instances are added, for no more than there are. The
    /// direct path has no palettes, and does not look at it. Instances of local tracks that are drawn from pages play
    /// rows: those of the file if it has some, else rows that are sampled while the crowd is made.
    pub max_visible: u32,
    /// Bytes that rows may take which are made of local tracks: for the direct path, for instances beyond `max_visible`,
    /// and where local tracks do not fit a storage buffer. Clips are sampled as often as that allows, up to four times
    /// as often as they were baked and 120 Hz; [`Crowd::notes`] says how exact that is. Where they do not fit at a 64th
    /// of their frames either, they take more.
    pub expanded_bytes_max: u64,
}

impl<'f> ModelSource<'f> {
    /// The file's first page set, with room for as many palettes as there are instances.
    #[must_use]
    pub const fn new(file: &'f AnimFile<'f>) -> Self {
        Self { file, page_set: 0, max_visible: u32::MAX, expanded_bytes_max: 32 << 20 }
    }
}

/// How a crowd is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrowdSettings {
    /// Number of the bind group that the crowd uses in render pipelines, 0 to `max_bind_groups` - 1.
    pub bind_group: u32,
    /// Who culls and chooses frames, the GPU or the CPU. The pictures are the same.
    pub path: PathChoice,
    /// How exact palettes are. The direct path has none.
    pub precision: PalettePrecision,
    /// Pages are read from a texture array even where a storage buffer would do. The direct path always does.
    pub force_texture_pages: bool,
    /// What was visible is read back, a few frames late: for [`Crowd::is_visible`] and [`Crowd::visible_counts`]. One bit
    /// an instance a frame. The direct path knows it at once, and always.
    pub tracks_visibility: bool,
}

/// A new instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Number of the model, in the order in which they were given.
    pub model: u32,
    /// Three rows of an affine matrix, in metres, relative to the crowd's origin.
    pub world_from_model: Rows,
    /// Clip that it plays.
    pub clip: u32,
    /// Share of the clip that has passed, in `[0, 1]`.
    pub phase: f32,
    /// 1 is as authored; negative is backwards, 0 stands still.
    pub speed: f32,
    /// What happens at the clip's ends; `None` is what the file says.
    pub mode: Option<ClipMode>,
    /// Linear colour that the base colour is multiplied with, each in `[0, 1]`; kept in 8 bits.
    pub color: [f32; 4],
    /// The program's own number, for its shaders.
    pub user_data: u32,
    /// One bit for each of the first 64 parts: set if the part is shown. Later parts are always shown.
    pub part_mask: u64,
}

impl Default for Instance {
    /// Model 0 at the origin, playing clip 0 as the file says, white, all parts.
    fn default() -> Self {
        Self {
            model: 0,
            world_from_model: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
            clip: 0,
            phase: 0.0,
            speed: 1.0,
            mode: None,
            color: [1.0; 4],
            user_data: 0,
            part_mask: u64::MAX,
        }
    }
}

/// A crowd. See the crate's documentation for a whole frame.
#[derive(Debug)]
pub struct Crowd {
    pub(crate) models: Vec<CrowdModel>,
    pub(crate) instances: Instances,
    pub(crate) attachments: Attachments,
    pub(crate) path: Path,
    pub(crate) settings: CrowdSettings,
    pub(crate) now_tick: u64,
    /// Ticks at which a stack of layers has to be settled.
    pub(crate) events: BinaryHeap<Reverse<(u64, InstanceHandle)>>,
    pub(crate) has_mirrored: bool,
    frame: FrameUniform,
    lighting: Lighting,
    instances_max: u32,
    readback: Option<Readback>,
    uploaded_bytes: u64,
}

impl Crowd {
    /// Uploads the models and compiles the passes.
    ///
    /// # Errors
    ///
    /// If a file does not fit the device, or has no clips; or the palette path is asked for and the device's limits are
    /// too low for it.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        sources: &[ModelSource<'_>],
        settings: &CrowdSettings,
    ) -> Result<Self, GpuError> {
        let limits = device.limits();
        if settings.bind_group >= limits.max_bind_groups {
            return Err(GpuError::NoSuchBindGroup {
                number: settings.bind_group,
                limit: limits.max_bind_groups,
            });
        }
        if sources.is_empty() || sources.len() > usize::from(u16::MAX) {
            return Err(GpuError::ModelCount { count: sources.len() });
        }
        let used = settings.path.on(&limits)?;
        let mut models = Vec::with_capacity(sources.len());
        for source in sources {
            let textures = settings.force_texture_pages || used == PathUsed::Direct;
            let model = load_model(device, queue, source, used, textures)?;
            models.push(CrowdModel::new(model, source.max_visible));
        }
        let path = match used {
            PathUsed::Palette => {
                Path::Palette(Box::new(PalettePath::new(device, &models, settings.precision)))
            }
            PathUsed::Direct => Path::Direct(Box::new(DirectPath::new(device, &models))),
        };
        Ok(Self {
            models,
            instances: Instances::new(),
            attachments: Attachments::default(),
            path,
            settings: *settings,
            now_tick: 0,
            events: BinaryHeap::new(),
            has_mirrored: false,
            frame: bytemuck::Zeroable::zeroed(),
            lighting: Lighting::default(),
            instances_max: largest_count(&limits, used),
            readback: settings.tracks_visibility.then(Readback::default),
            uploaded_bytes: 0,
        })
    }

    /// The path that the crowd takes: what [`CrowdSettings::path`] came to on this device.
    #[must_use]
    pub fn path(&self) -> PathUsed {
        self.path.used()
    }

    /// Adds an instance, in constant time.
    ///
    /// # Errors
    ///
    /// If there is no such model or clip, or the device holds no more instances.
    pub fn add(&mut self, instance: &Instance) -> Result<InstanceHandle, GpuError> {
        let count = self.models.len();
        let Some(of) = self.models.get_mut(instance.model as usize) else {
            return Err(GpuError::NoSuchModel { number: instance.model, count });
        };
        let Some(clip) = of.model.clips.get(instance.clip as usize) else {
            return Err(GpuError::NoSuchClip { number: instance.clip, count: of.model.clips.len() });
        };
        if self.instances.alive() >= self.instances_max {
            return Err(GpuError::TooManyInstances { limit: self.instances_max });
        }
        let mode = instance.mode.unwrap_or(clip.mode);
        of.count_in(instance.part_mask);
        let traits = InstanceTraits {
            color: pack_color(instance.color),
            user_data: instance.user_data,
            part_mask: halves(instance.part_mask),
        };
        let handle = self.instances.add(instance.model, instance.world_from_model, traits);
        if let Some(readback) = &mut self.readback {
            readback.forget(handle.index as usize);
        }
        let play =
            Play { clip: instance.clip, mode, speed: instance.speed, phase: instance.phase, fade_ticks: 0 };
        let durations = &self.models[instance.model as usize].model.durations_seconds;
        self.instances.stacks[handle.index as usize].play(self.now_tick, &play, durations);
        self.note_mirror(&instance.world_from_model);
        self.refresh_sphere(handle.index);
        Ok(handle)
    }

    /// Removes an instance, in constant time. What is attached to it is detached and hidden: it keeps its handle, and
    /// [`Self::attach`], [`Self::detach`] or [`Self::set_hidden`] shows it again.
    ///
    /// # Errors
    ///
    /// If it has been removed before.
    pub fn remove(&mut self, handle: InstanceHandle) -> Result<(), GpuError> {
        let index = self.find(handle)?;
        for child in self.attachments.children_of(handle.index).to_vec() {
            self.unhook(child);
            if !self.instances.is_hidden(child as usize) {
                self.instances.set_flag(child as usize, INSTANCE_HIDDEN, true);
                self.attachments.orphan(child);
            }
        }
        self.unhook(handle.index);
        self.attachments.adopt(handle.index);
        let model = self.instances.model_of(index);
        self.models[model].count_out(whole(self.instances.traits[index].part_mask));
        self.instances.remove(index);
        Ok(())
    }

    /// Instances that exist.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.instances.alive()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the clock: seconds since the crowd began, 0 to 136 years, in steps of 1/65,536 s. It may stand still or go
    /// back. Costs nothing for instances of which nothing changes.
    pub fn update(&mut self, now_seconds: f64) {
        self.now_tick = ticks_from_seconds(now_seconds);
        while let Some(Reverse((tick, handle))) = self.events.peek().copied() {
            if tick > self.now_tick {
                break;
            }
            self.events.pop();
            if let Some(index) = self.instances.find(handle) {
                let model = self.instances.model_of(index);
                let durations = &self.models[model].model.durations_seconds;
                if self.instances.stacks[index].settle(self.now_tick, durations) {
                    self.changed_layers(index);
                }
            }
        }
    }

    /// Sets the transforms of instances with consecutive numbers: `world_from_model` as three rows each, in metres, relative
    /// to the crowd's origin, or to the attachment point for attached instances. Instances with a velocity go on from there.
    ///
    /// # Errors
    ///
    /// If the range is not as long as the list, or reaches beyond the highest number in use.
    pub fn set_transforms(
        &mut self,
        instances: Range<u32>,
        world_from_model: &[Rows],
    ) -> Result<(), GpuError> {
        let count = self.instances.numbers();
        let length = instances.end.checked_sub(instances.start).map(|length| length as usize);
        if length != Some(world_from_model.len()) || instances.end > count {
            return Err(GpuError::RangeOutside {
                start: instances.start,
                end: instances.end,
                transforms: world_from_model.len(),
                count,
            });
        }
        let target = &mut self.instances.transforms[instances.start as usize..instances.end as usize];
        target.copy_from_slice(world_from_model);
        if !self.has_mirrored {
            self.has_mirrored = world_from_model.iter().any(is_mirrored);
        }
        self.instances.mark_transforms(instances.clone());
        self.instances.restart_motions(instances.clone(), self.now_tick);
        if !self.attachments.is_empty() {
            for child in self.attachments.in_range(instances).collect::<Vec<_>>() {
                self.refresh_parents(child);
            }
        }
        Ok(())
    }

    /// Sets the transform of one instance: see [`Self::set_transforms`].
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn set_transform(&mut self, handle: InstanceHandle, world_from_model: &Rows) -> Result<(), GpuError> {
        self.find(handle)?;
        self.set_transforms(handle.index..handle.index + 1, std::slice::from_ref(world_from_model))
    }

    /// Says that transforms which the GPU writes may mirror (negative determinant), so that such instances are drawn with
    /// their front faces in front. Transforms that come from the CPU are looked at.
    pub fn expect_mirrored_transforms(&mut self) {
        self.has_mirrored = true;
    }

    /// The light of the ready colour pass.
    pub fn set_lighting(&mut self, lighting: &Lighting) {
        self.lighting = *lighting;
    }

    /// Makes room for `count` instances now, so that the transform buffer stays the same until there are more.
    ///
    /// # Errors
    ///
    /// If the device holds no more than a smaller number.
    pub fn reserve(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        count: u32,
    ) -> Result<(), GpuError> {
        if count > self.instances_max {
            return Err(GpuError::TooManyInstances { limit: self.instances_max });
        }
        self.path.reserve(device, queue, count, !self.instances.motions.is_empty());
        Ok(())
    }

    /// Uploads what changed since the last call: for programs that then run their own compute pass over
    /// [`Self::transform_buffer`] before [`Self::record`]. [`Self::prepare`] does both.
    pub fn upload(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) {
        self.uploaded_bytes = self.path.upload(device, queue, &mut self.instances);
        if let Some(readback) = &mut self.readback {
            readback.collect(device);
        }
    }

    /// Records the compute passes for all views of the frame, cameras and shadow cascades together: culling,
    /// compaction, attachments, palettes. `timer` receives their times. The direct path does this work on the CPU: it
    /// records nothing, and writes no times.
    ///
    /// # Errors
    ///
    /// If there are more than [`VIEWS_MAX`] views, or their lists do not fit a binding of the device.
    pub fn record(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        views: &[View],
        timer: Option<PassTimer<'_>>,
    ) -> Result<(), GpuError> {
        let Some(view_count) = u32::try_from(views.len()).ok().filter(|count| *count as usize <= VIEWS_MAX)
        else {
            return Err(GpuError::TooManyViews { views: views.len(), limit: VIEWS_MAX });
        };
        self.fill_frame(views, view_count);
        for of in &mut self.models {
            of.make_room();
        }
        let (models, instances, frame) = (&self.models, &self.instances, &mut self.frame);
        let attachments = &mut self.attachments;
        match &mut self.path {
            Path::Palette(path) => {
                let mirrored = self.has_mirrored;
                self.uploaded_bytes +=
                    path.prepare(device, queue, models, instances, attachments, frame, mirrored)?;
                path.record(encoder, instances.numbers(), timer);
                match &mut self.readback {
                    Some(readback) if instances.alive() > 0 => {
                        readback.record(device, encoder, path, models.len(), instances.numbers());
                    }
                    Some(readback) => readback.see_nothing(models.len()),
                    None => {}
                }
            }
            Path::Direct(path) => {
                let scene = Scene { models, instances, attachments, now_tick: self.now_tick };
                self.uploaded_bytes += path.prepare(device, queue, &scene, frame)?;
            }
        }
        Ok(())
    }

    /// [`Self::upload`] and [`Self::record`].
    ///
    /// # Errors
    ///
    /// As [`Self::record`].
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        views: &[View],
    ) -> Result<(), GpuError> {
        self.upload(device, queue);
        self.record(device, queue, encoder, views, None)
    }

    /// The transforms on the GPU: three `vec4<f32>` rows an instance, by instance number. A compute pass may write them;
    /// record it after [`Self::upload`] and before [`Self::record`]. It is another buffer after the crowd has grown: see
    /// [`Self::reserve`]. `None` on the direct path, which has its transforms on the CPU.
    ///
    /// What a compute pass wrote stays until the same instance's transform is set from the CPU. So once this was called, each
    /// run of instances whose transforms were set is a write of its own.
    #[must_use]
    pub fn transform_buffer(&self) -> Option<&wgpu::Buffer> {
        match &self.path {
            Path::Palette(path) => Some(path.instances.shared_transforms()),
            Path::Direct(_) => None,
        }
    }

    /// The palettes of a model, one buffer a chunk: `bones` times three rows for each visible instance, in the order of
    /// instance numbers. Valid after the compute passes of a frame. None on the direct path.
    pub fn palette_buffers(&self, model: u32) -> impl Iterator<Item = &wgpu::Buffer> {
        let path = match &self.path {
            Path::Palette(path) => Some(path),
            Path::Direct(_) => None,
        };
        path.into_iter().flat_map(move |path| path.palettes(model as usize))
    }

    /// Bytes that the last frame uploaded.
    #[must_use]
    pub fn uploaded_bytes(&self) -> u64 {
        self.uploaded_bytes
    }

    /// Bytes of GPU memory of instances, lists and palettes; pages, vertices and images are not counted.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.path.memory_bytes()
    }

    /// Whether an instance was seen by any view, as far as is known: a few frames ago, `None` before the first answer and
    /// without [`CrowdSettings::tracks_visibility`]. On the direct path: in the last frame that was recorded.
    ///
    /// # Errors
    ///
    /// If the instance has been removed.
    pub fn is_visible(&self, handle: InstanceHandle) -> Result<Option<bool>, GpuError> {
        let index = self.find(handle)?;
        Ok(match &self.path {
            Path::Palette(_) => self.readback.as_ref().and_then(|readback| readback.is_visible(index)),
            Path::Direct(path) => path.culled.is_visible(index),
        })
    }

    /// Visible instances of a model and those of them that were drawn from the pages, as last known: see
    /// [`Self::is_visible`].
    #[must_use]
    pub fn visible_counts(&self, model: u32) -> Option<VisibleCounts> {
        match &self.path {
            Path::Palette(_) => {
                let visible = self.readback.as_ref()?.count(model as usize)?;
                let slots = self.models.get(model as usize)?.max_visible;
                let beyond_max_visible = visible.saturating_sub(slots);
                Some(VisibleCounts { visible, beyond_max_visible, masks_ignored: 0 })
            }
            Path::Direct(path) => {
                let visible = path.culled.count(model as usize)?;
                let masks_ignored = path.culled.masked(model as usize, &self.instances);
                Some(VisibleCounts { visible, beyond_max_visible: 0, masks_ignored })
            }
        }
    }

    /// Notes about the models: images that could not be decoded or were made smaller, and local tracks that play as rows,
    /// with how exact that is.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let models = self.models.iter().map(|of| &of.model);
        models.flat_map(|model| model.notes.iter().chain(&model.materials.notes)).map(String::as_str)
    }

    pub(crate) fn find(&self, handle: InstanceHandle) -> Result<usize, GpuError> {
        self.instances.find(handle).ok_or(GpuError::NoSuchInstance { index: handle.index })
    }

    pub(crate) fn note_mirror(&mut self, transform: &Rows) {
        self.has_mirrored = self.has_mirrored || is_mirrored(transform);
    }

    /// Where the instances are at the tick of now.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            models: &self.models,
            instances: &self.instances,
            attachments: &self.attachments,
            now_tick: self.now_tick,
        }
    }

    /// The matrices and the light of a frame.
    #[expect(clippy::cast_possible_truncation, reason = "halves of the tick")]
    fn fill_frame(&mut self, views: &[View], view_count: u32) {
        let frame = &mut self.frame;
        frame.now_tick = [self.now_tick as u32, (self.now_tick >> 32) as u32];
        frame.view_count = view_count;
        for (number, view) in views.iter().enumerate() {
            frame.clip_from_world[number] = view.clip_from_world;
            frame.planes[number] = view.planes();
        }
        let lighting = &self.lighting;
        let [first, end] = lighting.shadow_views;
        frame.shadow_first = first.min(view_count);
        frame.shadow_count = end.min(view_count).saturating_sub(frame.shadow_first);
        frame.sun_direction = lighting.sun_direction();
        frame.sun_color = lighting.sun_color;
        frame.ambient_color = lighting.ambient_color;
        frame.shadow_bias_metres = lighting.shadow_bias_metres;
    }
}

/// Instances of a model in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleCounts {
    /// Seen by any view.
    pub visible: u32,
    /// Of these, those that had no room among the palettes; 0 on the direct path, which has none.
    pub beyond_max_visible: u32,
    /// Of these, those that play a masked clip on the whole body, because rows know no masks: on the direct path. On the
    /// palette path it is 0, though what lies beyond the palettes ignores masks, too.
    pub masks_ignored: u32,
}

pub(crate) fn is_mirrored(rows: &Rows) -> bool {
    let [x, y, z] = rows;
    let determinant = x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0]);
    determinant < 0.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=255 before the cast"
)]
pub(crate) fn pack_color(color: [f32; 4]) -> [u8; 4] {
    color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

#[expect(clippy::cast_possible_truncation, reason = "halves of the mask")]
pub(crate) const fn halves(mask: u64) -> [u32; 2] {
    [mask as u32, (mask >> 32) as u32]
}

pub(crate) const fn whole(halves: [u32; 2]) -> u64 {
    halves[0] as u64 | (halves[1] as u64) << 32
}
