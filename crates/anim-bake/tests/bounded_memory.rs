//! Reading and baking a model takes memory in proportion to its files, whatever they claim.
#![allow(clippy::print_stdout, reason = "the measured factors are what one wants to see when this fails")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anim_bake::gltf::import;
use anim_bake::{BakeSettings, bake_import};
use serde_json::json;
use support::{Gltf, no_files};

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

/// Bytes that something needs beside what was there before.
fn peak_of(run: impl FnOnce()) -> usize {
    let before = NOW_BYTES.load(Relaxed);
    PEAK_BYTES.store(before, Relaxed);
    run();
    PEAK_BYTES.load(Relaxed) - before
}

fn peak_of_reading(bytes: &[u8]) -> usize {
    peak_of(|| drop(import(bytes, &no_files, None)))
}

/// A document whose table holds one entry very many times, with the shortest text that makes it.
fn table(before: &str, entry: &str, after: &str) -> Vec<u8> {
    let entries = vec![entry; (1 << 20) / entry.len()].join(",");
    format!(r#"{{"asset":{{"version":"2.0"}},{before}{entries}{after}}}"#).into_bytes()
}

/// One test, because the counters belong to the whole process.
#[test]
fn memory_is_in_proportion_to_the_files() {
    // JSON in its shortest form: a node is two bytes of text and some 600 bytes of a hierarchy.
    const PER_JSON_BYTE: usize = 300;
    let cases = [
        ("nodes", table(r#""nodes":["#, "{}", "]")),
        ("broken nodes", table(r#""nodes":["#, "7", "]")),
        ("children", table(r#""nodes":[{"children":["#, "1", "]}]")),
        ("scenes", table(r#""scenes":["#, "{}", "]")),
        ("scene nodes", table(r#""nodes":[{}],"scenes":[{"nodes":["#, "0", "]}]")),
        ("skins", table(r#""nodes":[{}],"skins":["#, r#"{"joints":[0]}"#, "]")),
        ("joints", table(r#""nodes":[{}],"skins":[{"joints":["#, "0", "]}]")),
        ("meshes", table(r#""meshes":["#, r#"{"primitives":[]}"#, "]")),
        ("primitives", table(r#""meshes":[{"primitives":["#, r#"{"attributes":{}}"#, "]}]")),
        ("targets", table(r#""meshes":[{"primitives":[{"attributes":{},"targets":["#, "{}", "]}]}]")),
        ("weights", table(r#""meshes":[{"primitives":[],"weights":["#, "0", "]}]")),
        ("materials", table(r#""materials":["#, "{}", "]")),
        ("textures", table(r#""textures":["#, "{}", "]")),
        ("images", table(r#""images":["#, "{}", "]")),
        ("animations", table(r#""animations":["#, "{}", "]")),
        ("channels", table(r#""animations":[{"channels":["#, r#"{"target":{}}"#, "]}]")),
        ("samplers", table(r#""animations":[{"samplers":["#, r#"{"input":0,"output":0}"#, "]}]")),
        ("accessors", table(r#""accessors":["#, r#"{"count":1,"type":"VEC2","componentType":5126}"#, "]")),
        ("views", table(r#""bufferViews":["#, r#"{"buffer":0,"byteLength":0}"#, "]")),
        ("buffers", table(r#""buffers":["#, r#"{"uri":"data:,"}"#, "]")),
        ("extensions", table(r#""nodes":[{"extensions":{"A":["#, "0", "]}}]")),
        ("extras", table(r#""nodes":[{"extras":["#, "{}", "]}]")),
        ("required", table(r#""extensionsRequired":["#, r#""""#, "]")),
        ("unknown", table(r#""unknown":["#, "{}", "]")),
    ];
    let mut checked = 0;
    for (name, bytes) in cases {
        let peak = peak_of_reading(&bytes);
        println!("{name}: {} bytes of memory for a byte of text", peak / bytes.len());
        assert!(peak <= PER_JSON_BYTE * bytes.len() + (4 << 20), "{name}: {peak}");
        checked += 1;
    }
    assert_eq!(checked, 24);

    // Data: what the budget allows, twice for the moment in which it is moved to where it stays.
    const BUDGET_BYTES: usize = 2 * (64 << 20);
    let claims = [
        ("/accessors/0/count", json!(5_000_000)),
        ("/accessors/4", json!({ "componentType": 5126, "type": "SCALAR", "count": 16_000_000 })),
        ("/accessors/3", json!({ "componentType": 5126, "type": "MAT4", "count": 600_000 })),
        ("/accessors/4", json!({ "componentType": 5126, "type": "SCALAR", "count": u64::MAX })),
        ("/buffers", json!([{ "byteLength": 10_000_000_000_u64 }])),
    ];
    for (pointer, value) in claims {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set(pointer, value);
        let bytes = gltf.glb();
        let peak = peak_of_reading(&bytes);
        println!("{pointer}: {peak} bytes");
        assert!(peak <= BUDGET_BYTES + PER_JSON_BYTE * bytes.len(), "{pointer}: {peak}");
    }

    // Measuring: statistics of a quarter of a megabyte a clip, but not of all clips at once.
    let mut gltf = Gltf::skinned_triangle();
    let clip = gltf.json["animations"][0].clone();
    gltf.json["animations"] = json!(vec![clip; 1500]);
    let import = gltf.import().expect("a valid model");
    let settings = BakeSettings { rate_hz: Some(1.0), ..BakeSettings::default() };
    let peak = peak_of(|| drop(bake_import(&import, &settings).expect("a model that bakes")));
    println!("1500 clips: {peak} bytes");
    assert!(peak <= 128 << 20, "1500 clips: {peak}");
}
