//! The instances of a crowd: what the CPU keeps of each, and the buffers that follow it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use anim_core::layer_stack::LayerStack;
use anim_format::model::Rows;

use crate::crowd_model::grown;
use crate::device_fit::binding_limit;
use crate::direct_instance::DirectInstance;
use crate::dirty::DirtyBlocks;
use crate::gpu_buffer::Growing;
use crate::gpu_types::{
    INSTANCE_ALIVE, INSTANCE_HIDDEN, INSTANCE_MODEL_MASK, INSTANCE_MOVING, InstanceCull, InstanceMotion,
    InstancePlayback, InstanceTraits,
};
use crate::path_choice::PathUsed;

/// No parent.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// Names an instance of one crowd. It stays valid until the instance is removed; then every call with it is an error, also
/// after its number has been given to another instance. So is every call to another crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceHandle {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl InstanceHandle {
    /// The instance's number: its place in the transform buffer, and what shaders know it by. Instances that are added
    /// to a new crowd get 0, 1, 2 and so on; numbers of removed instances are given again, the last one first.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }
}

/// All instances.
#[derive(Debug)]
pub(crate) struct Instances {
    pub(crate) transforms: Vec<Rows>,
    pub(crate) stacks: Vec<LayerStack>,
    pub(crate) culls: Vec<InstanceCull>,
    pub(crate) traits: Vec<InstanceTraits>,
    /// Empty until an instance gets a velocity.
    pub(crate) motions: Vec<InstanceMotion>,
    generations: Vec<u32>,
    first_generation: u32,
    free: Vec<u32>,
    alive: u32,
    dirty: DirtyTables,
    scratch: Vec<InstancePlayback>,
}

/// What changed, by buffer.
#[derive(Debug, Default)]
struct DirtyTables {
    /// Told apart one by one: a compute pass of the program may have written those beside it.
    transforms: DirtyBlocks<1>,
    playback: DirtyBlocks<BLOCK>,
    culls: DirtyBlocks<BLOCK>,
    traits: DirtyBlocks<BLOCK>,
    motions: DirtyBlocks<BLOCK>,
}

/// The buffers that shaders read, one entry an instance.
#[derive(Debug)]
pub(crate) struct InstanceBuffers {
    pub(crate) transforms: Growing,
    pub(crate) playback: Growing,
    pub(crate) culls: Growing,
    pub(crate) traits: Growing,
    pub(crate) motions: Growing,
    /// Instances that the buffers hold.
    pub(crate) capacity: u32,
    /// The program has asked for the transforms: it may write them.
    transforms_are_shared: AtomicBool,
}

/// Instances that are uploaded together when one of them changes: few writes matter more than few bytes.
const BLOCK: u32 = 64;

/// Instances that are copied at a time when their layers are uploaded.
const SCRATCH: u32 = 16_384;

impl Instances {
    /// None.
    pub(crate) fn new() -> Self {
        Self {
            transforms: Vec::new(),
            stacks: Vec::new(),
            culls: Vec::new(),
            traits: Vec::new(),
            motions: Vec::new(),
            generations: Vec::new(),
            first_generation: first_generation(),
            free: Vec::new(),
            alive: 0,
            dirty: DirtyTables::default(),
            scratch: Vec::new(),
        }
    }

    /// Instances that exist.
    pub(crate) fn alive(&self) -> u32 {
        self.alive
    }

    /// Numbers in use: one more than the highest number that was ever given.
    pub(crate) fn numbers(&self) -> u32 {
        u32::try_from(self.culls.len()).unwrap_or(u32::MAX)
    }

    /// Number of an instance, if it still exists.
    pub(crate) fn find(&self, handle: InstanceHandle) -> Option<usize> {
        let index = handle.index as usize;
        (self.generations.get(index) == Some(&handle.generation) && self.is_alive(index)).then_some(index)
    }

    /// Handle of the instance with a number, if there is one.
    pub(crate) fn handle(&self, index: u32) -> Option<InstanceHandle> {
        let generation = *self.generations.get(index as usize)?;
        self.is_alive(index as usize).then_some(InstanceHandle { index, generation })
    }

    pub(crate) fn is_alive(&self, index: usize) -> bool {
        self.culls.get(index).is_some_and(|cull| cull.model_and_flags & INSTANCE_ALIVE != 0)
    }

    pub(crate) fn is_hidden(&self, index: usize) -> bool {
        self.culls[index].model_and_flags & INSTANCE_HIDDEN != 0
    }

    pub(crate) fn model_of(&self, index: usize) -> usize {
        (self.culls[index].model_and_flags & INSTANCE_MODEL_MASK) as usize
    }

    /// Adds one; the caller sets its playback and bounds.
    pub(crate) fn add(&mut self, model: u32, transform: Rows, traits: InstanceTraits) -> InstanceHandle {
        let cull = InstanceCull {
            sphere: [0.0, 0.0, 0.0, -1.0],
            parent: NO_PARENT,
            model_and_flags: model & INSTANCE_MODEL_MASK | INSTANCE_ALIVE,
            ..InstanceCull::default()
        };
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.transforms.push(transform);
                self.stacks.push(LayerStack::default());
                self.culls.push(cull);
                self.traits.push(traits);
                self.generations.push(self.first_generation);
                self.numbers() - 1
            }
        };
        let at = index as usize;
        self.transforms[at] = transform;
        self.stacks[at] = LayerStack::default();
        self.culls[at] = cull;
        self.traits[at] = traits;
        self.alive += 1;
        self.mark_transforms(index..index + 1);
        self.mark_playback(at);
        self.mark_cull(at);
        self.mark_traits(at);
        InstanceHandle { index, generation: self.generations[at] }
    }

    /// Removes one that exists.
    pub(crate) fn remove(&mut self, index: usize) {
        self.culls[index] = InstanceCull { parent: NO_PARENT, ..InstanceCull::default() };
        self.generations[index] = self.generations[index].wrapping_add(1);
        self.alive -= 1;
        self.mark_cull(index);
        #[expect(clippy::cast_possible_truncation, reason = "numbers are u32")]
        self.free.push(index as u32);
        if self.alive == 0 {
            // Nothing has to be looked at any more. Generations stay, so that old handles stay invalid.
            self.free.clear();
            self.free.extend((0..self.numbers()).rev());
        }
    }

    pub(crate) fn set_flag(&mut self, index: usize, flag: u32, set: bool) {
        let flags = &mut self.culls[index].model_and_flags;
        let new = if set { *flags | flag } else { *flags & !flag };
        if *flags != new {
            *flags = new;
            self.mark_cull(index);
        }
    }

    /// Sets a velocity in metres a second from a tick on.
    #[expect(clippy::cast_possible_truncation, reason = "halves of the tick")]
    pub(crate) fn set_motion(&mut self, index: usize, velocity: [f32; 3], start_tick: u64) {
        if self.motions.len() <= index {
            self.motions.resize(self.culls.len(), InstanceMotion::default());
        }
        let start_tick = [start_tick as u32, (start_tick >> 32) as u32];
        self.motions[index] = InstanceMotion { velocity, start_tick, ..InstanceMotion::default() };
        self.dirty.motions.mark(range_of(index));
        self.set_flag(index, INSTANCE_MOVING, velocity != [0.0; 3]);
    }

    /// Lets moving instances of a range, whose transforms were just set, go on from there.
    #[expect(clippy::cast_possible_truncation, reason = "halves of the tick")]
    pub(crate) fn restart_motions(&mut self, range: Range<u32>, start_tick: u64) {
        let start_tick = [start_tick as u32, (start_tick >> 32) as u32];
        let end = (range.end as usize).min(self.motions.len());
        for index in range.start as usize..end {
            if self.culls[index].model_and_flags & INSTANCE_MOVING != 0 {
                self.motions[index].start_tick = start_tick;
                self.dirty.motions.mark(range_of(index));
            }
        }
    }

    pub(crate) fn mark_transforms(&mut self, range: Range<u32>) {
        self.dirty.transforms.mark(range);
    }

    pub(crate) fn mark_playback(&mut self, index: usize) {
        self.dirty.playback.mark(range_of(index));
    }

    pub(crate) fn mark_cull(&mut self, index: usize) {
        self.dirty.culls.mark(range_of(index));
    }

    pub(crate) fn mark_traits(&mut self, index: usize) {
        self.dirty.traits.mark(range_of(index));
    }
}

impl InstanceBuffers {
    /// Empty buffers.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        Self {
            transforms: Growing::new(device, "anim transforms", usage),
            playback: Growing::new(device, "anim playback", usage),
            culls: Growing::new(device, "anim cull data", usage),
            traits: Growing::new(device, "anim traits", usage),
            motions: Growing::new(device, "anim motions", usage),
            capacity: 0,
            transforms_are_shared: AtomicBool::new(false),
        }
    }

    /// The transforms, for a compute pass of the program that may write them.
    pub(crate) fn shared_transforms(&self) -> &wgpu::Buffer {
        self.transforms_are_shared.store(true, Ordering::Relaxed);
        self.transforms.get()
    }

    /// Makes room for `count` instances, and for velocities if some move; `true` if buffers are others now. What the GPU
    /// wrote is kept.
    pub(crate) fn reserve(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        count: u32,
        moves: bool,
    ) -> bool {
        let wanted = grown(self.capacity, count);
        let capacity =
            if wanted > largest_count(&device.limits(), PathUsed::Palette) { count } else { wanted };
        let entries = u64::from(capacity);
        let needs_motions = moves && self.motions.get().size() < entries * 32;
        if capacity == self.capacity && !needs_motions {
            return false;
        }
        let mut encoder = device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("anim growing buffers") });
        self.transforms.ensure_kept(device, &mut encoder, entries * 48);
        self.playback.ensure_kept(device, &mut encoder, entries * 96);
        self.culls.ensure_kept(device, &mut encoder, entries * 32);
        self.traits.ensure_kept(device, &mut encoder, entries * 16);
        if moves {
            self.motions.ensure_kept(device, &mut encoder, entries * 32);
        }
        self.capacity = capacity;
        queue.submit([encoder.finish()]);
        true
    }

    /// Uploads what changed; the bytes that were written.
    pub(crate) fn upload(&self, queue: &wgpu::Queue, instances: &mut Instances) -> u64 {
        let count = instances.numbers();
        let dirty = &mut instances.dirty;
        // What a compute pass wrote between those that changed stays.
        let gap = if self.transforms_are_shared.load(Ordering::Relaxed) { 0 } else { BLOCK };
        let mut bytes =
            write(queue, &mut dirty.transforms, &self.transforms, &instances.transforms, count, gap);
        bytes += write(queue, &mut dirty.culls, &self.culls, &instances.culls, count, 0);
        bytes += write(queue, &mut dirty.traits, &self.traits, &instances.traits, count, 0);
        let moving = u32::try_from(instances.motions.len()).unwrap_or(u32::MAX);
        bytes += write(queue, &mut dirty.motions, &self.motions, &instances.motions, moving, 0);
        let (stacks, scratch) = (&instances.stacks, &mut instances.scratch);
        dirty.playback.drain(count, 0, |range| {
            let mut first = range.start;
            while first < range.end {
                let end = range.end.min(first + SCRATCH);
                scratch.clear();
                scratch.extend(
                    stacks[first as usize..end as usize]
                        .iter()
                        .map(|stack| InstancePlayback { layers: *stack.gpu_layers() }),
                );
                let written: &[u8] = bytemuck::cast_slice(scratch);
                queue.write_buffer(self.playback.get(), u64::from(first) * 96, written);
                bytes += written.len() as u64;
                first = end;
            }
        });
        bytes
    }
}

/// Generation with which the numbers of a new crowd start: far from those of all others, so that no handle of theirs fits.
fn first_generation() -> u32 {
    static CROWDS: AtomicU32 = AtomicU32::new(0);
    // Multiples of 2^32 over the golden ratio stay as far from each other as they can.
    CROWDS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9)
}

/// Most instances that a crowd may hold on a device: layers are the largest entries of the palette path, the direct path
/// has one of 128 bytes for each that is seen.
pub(crate) fn largest_count(limits: &wgpu::Limits, path: PathUsed) -> u32 {
    let count = match path {
        PathUsed::Palette => binding_limit(limits) / 96,
        PathUsed::Direct => limits.max_buffer_size / size_of::<DirectInstance>() as u64,
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn write<T: bytemuck::Pod, const BLOCK: u32>(
    queue: &wgpu::Queue,
    dirty: &mut DirtyBlocks<BLOCK>,
    buffer: &Growing,
    entries: &[T],
    count: u32,
    gap: u32,
) -> u64 {
    let mut bytes = 0;
    dirty.drain(count, gap, |range| {
        let written: &[u8] = bytemuck::cast_slice(&entries[range.start as usize..range.end as usize]);
        queue.write_buffer(buffer.get(), u64::from(range.start) * size_of::<T>() as u64, written);
        bytes += written.len() as u64;
    });
    bytes
}

#[expect(clippy::cast_possible_truncation, reason = "numbers are u32")]
fn range_of(index: usize) -> Range<u32> {
    index as u32..index as u32 + 1
}
