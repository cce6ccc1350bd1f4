//! What was visible, read back a few frames late: one bit an instance and one count a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::gpu_buffer::create;
use crate::palette_path::PalettePath;

/// Copies under way at most; a frame that finds none free is not read back.
const IN_FLIGHT: usize = 3;

const IDLE: u8 = 0;
const RECORDED: u8 = 1;
const MAPPING: u8 = 2;
const MAPPED: u8 = 3;
const FAILED: u8 = 4;

/// The last answer, and copies under way.
#[derive(Debug, Default)]
pub(crate) struct Readback {
    slots: Vec<Slot>,
    bits: Vec<u32>,
    counts: Vec<u32>,
    instances: u32,
    answered_frame: u64,
    frame: u64,
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
    /// Takes answers that have come, and asks for those whose frames have been submitted.
    pub(crate) fn collect(&mut self, device: &wgpu::Device) {
        for slot in &mut self.slots {
            match slot.state.load(Ordering::Acquire) {
                RECORDED => {
                    slot.state.store(MAPPING, Ordering::Release);
                    let state = Arc::clone(&slot.state);
                    slot.buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
                        state.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
                    });
                }
                FAILED => slot.state.store(IDLE, Ordering::Release),
                _ => {}
            }
        }
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
    }

    /// Whether an instance was seen; `None` before an answer has come.
    pub(crate) fn is_visible(&self, index: usize) -> Option<bool> {
        if index >= self.instances as usize {
            return None;
        }
        self.bits.get(index / 32).map(|word| word >> (index % 32) & 1 == 1)
    }

    /// Visible instances of a model.
    pub(crate) fn count(&self, model: usize) -> Option<u32> {
        self.counts.get(model).copied()
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
