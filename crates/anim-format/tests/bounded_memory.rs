//! Reading hostile bytes needs memory in proportion to the bytes.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anim_format::{Version, read, write};
use support::bytes::{seal, u32_at};

mod support;

/// The system's allocator, which also counts.
struct Counting;

static NOW_BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator as it is; counting allocates nothing.
#[expect(unsafe_code, reason = "an allocator cannot be written without it")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW_BYTES.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK_BYTES.fetch_max(now, Relaxed);
        // SAFETY: the caller's promise about `layout` is the one that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `pointer` came from `alloc` above with this `layout`, so from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that reading needs beside what was there before.
fn peak_of_reading(bytes: &[u8]) -> usize {
    let before = NOW_BYTES.load(Relaxed);
    PEAK_BYTES.store(before, Relaxed);
    drop(read(bytes));
    PEAK_BYTES.load(Relaxed) - before
}

/// One test, because the counters belong to the whole process.
#[test]
fn reading_needs_memory_in_proportion_to_the_bytes() {
    // Besides that: up to 256 problems with their texts, and 1 MiB that serde takes at once for a list at most.
    const FIXED_BYTES: usize = (1 << 20) + (256 << 10);
    for file in [support::character(), support::local::local()] {
        hostile_numbers(&write(&file, Version::V1).unwrap(), FIXED_BYTES);
    }

    // Many records, each as wrong as can be.
    let mut file = support::character();
    file.nodes.extend((0..20_000).map(|_| support::node("n", Some(2), 3)));
    let mut bytes = write(&file, Version::V1).unwrap();
    let good = peak_of_reading(&bytes);
    assert!(good < 4 * bytes.len(), "{good} of {}", bytes.len());
    let nodes = support::bytes::u64_at(&bytes, 32 + 6 * 48 + 8) as usize;
    for node in 4..20_000 {
        bytes[nodes + node * 64 + 8..][..8].fill(0x7f);
    }
    seal(&mut bytes);
    assert!(read(&bytes).is_err_and(|error| error.problems().len() == anim_format::PROBLEMS_MAX));
    assert!(peak_of_reading(&bytes) < 4 * bytes.len() + FIXED_BYTES);
}

fn hostile_numbers(bytes: &[u8], fixed_bytes: usize) {
    assert!(peak_of_reading(bytes) < 4 * bytes.len(), "{} of {}", peak_of_reading(bytes), bytes.len());
    let mut worst = 0;
    for at in (0..bytes.len() - 4).step_by(4) {
        for value in [0x7fff_ffff_u32, u32::MAX, 1 << 20] {
            let mut hostile = bytes.to_vec();
            hostile[at..at + 4].copy_from_slice(&value.to_le_bytes());
            seal(&mut hostile);
            worst = worst.max(peak_of_reading(&hostile));
        }
    }
    assert!(worst < 8 * bytes.len() + fixed_bytes, "{worst} of {}", bytes.len());
    assert!(u32_at(bytes, 16) > 20, "a file with a section of each kind");
}
