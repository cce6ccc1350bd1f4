//! What was visible, read back a few frames late: one bit an instance and one count a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::gpu_buffer::create;
use crate::palette_path::PalettePath;

/// Copies under way at most; a frame that finds none free is not read back.
const IN_FLIGHT: usize = 3;

/// A slot is idle, its copy is recorded and not yet mapped, or mapped.
const IDLE: u8 = 0;
const RECORDED: u8 = 1;
const MAPPED: u8 = 2;

/// The last answer, and copies under way.
#[derive(Debug, Default)]
pub(crate) struct Readback {
    slots: Vec<Slot>,
    bits: Vec<u32>,
    counts: Vec<u32>,
    instances: u32,
    answered_frame: u64,
    frame: u64,
    /// Frames before the one in which each instance can first be seen: its number may have been another's.
    added_after: Vec<u64>,
}

#[derive(Debug)]
struct Slot {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
    models: usize,
    instances: u32,
    frame: u64,
}

impl Readback {
    /// Takes answers that have come.
    pub(crate) fn collect(&mut self, device: &wgpu::Device) {
        // Not an error here: a lost device is for the program to notice.
        let _ = device.poll(wgpu::PollType::Poll);
        for slot in &mut self.slots {
            if slot.state.load(Ordering::Acquire) != MAPPED {
                continue;
            }
            if let Ok(mapped) = slot.buffer.slice(..).get_mapped_range()
                && slot.frame >= self.answered_frame
            {
                let words: Vec<u32> = bytemuck::pod_collect_to_vec(&mapped[..]);
                let (counts, bits) = words.split_at(slot.models.min(words.len()));
                self.counts = counts.to_vec();
                self.bits = bits.to_vec();
                self.instances = slot.instances;
                self.answered_frame = slot.frame;
            }
            slot.buffer.unmap();
            slot.state.store(IDLE, Ordering::Release);
        }
    }

    /// Records the copy of this frame's answer, if a slot is free.
    pub(crate) fn record(
        &mut self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        path: &PalettePath,
        models: usize,
        instances: u32,
    ) {
        self.frame += 1;
        let free = self.slots.iter().position(|slot| slot.state.load(Ordering::Acquire) == IDLE);
        let number = match free {
            Some(number) => number,
            None if self.slots.len() < IN_FLIGHT => {
                self.slots.push(Slot::new(device, 0));
                self.slots.len() - 1
            }
            None => return,
        };
        let counts_bytes = models as u64 * 4;
        let bits_bytes = u64::from(instances.div_ceil(256)) * 32;
        if self.slots[number].buffer.size() < counts_bytes + bits_bytes {
            self.slots[number] = Slot::new(device, (counts_bytes + bits_bytes).next_power_of_two());
        }
        let slot = &mut self.slots[number];
        slot.models = models;
        slot.instances = instances;
        slot.frame = self.frame;
        let (counts, decisions) = (path.buffers.counts.get(), path.buffers.decisions.get());
        let bits_at = u64::from(path.instances.capacity) * 8;
        encoder.copy_buffer_to_buffer(counts, 0, &slot.buffer, 0, counts_bytes);
        encoder.copy_buffer_to_buffer(decisions, bits_at, &slot.buffer, counts_bytes, bits_bytes);
        slot.state.store(RECORDED, Ordering::Release);
        // Mapped by the submission itself: the program may submit late, in another order, or never.
        let recorded = Recorded(Arc::clone(&slot.state));
        encoder.map_buffer_on_submit(&slot.buffer, wgpu::MapMode::Read, .., move |result| {
            recorded.0.store(if result.is_ok() { MAPPED } else { IDLE }, Ordering::Release);
        });
    }

    /// Nothing is there, so nothing is seen: answers under way are no longer wanted.
    pub(crate) fn see_nothing(&mut self, models: usize) {
        self.frame += 1;
        self.answered_frame = self.frame;
        self.instances = 0;
        self.counts.clear();
        self.counts.resize(models, 0);
    }

    /// A number is given to a new instance, of which nothing is known yet.
    pub(crate) fn forget(&mut self, index: usize) {
        if self.added_after.len() <= index {
            self.added_after.resize(index + 1, 0);
        }
        self.added_after[index] = self.frame;
    }

    /// Whether an instance was seen; `None` before an answer has come.
    pub(crate) fn is_visible(&self, index: usize) -> Option<bool> {
        let added_after = self.added_after.get(index).copied().unwrap_or(0);
        if index >= self.instances as usize || self.answered_frame <= added_after {
            return None;
        }
        self.bits.get(index / 32).map(|word| word >> (index % 32) & 1 == 1)
    }

    /// Visible instances of a model.
    pub(crate) fn count(&self, model: usize) -> Option<u32> {
        self.counts.get(model).copied()
    }
}

/// A copy that is recorded: its slot is idle again if the encoder is dropped without being submitted.
struct Recorded(Arc<AtomicU8>);

impl Drop for Recorded {
    fn drop(&mut self) {
        // After the answer the slot is no longer in this state, or it is idle already.
        let _ = self.0.compare_exchange(RECORDED, IDLE, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Slot {
    fn new(device: &wgpu::Device, bytes: u64) -> Self {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Self {
            buffer: create(device, "anim readback", bytes, usage),
            state: Arc::new(AtomicU8::new(IDLE)),
            models: 0,
            instances: 0,
            frame: 0,
        }
    }
}
