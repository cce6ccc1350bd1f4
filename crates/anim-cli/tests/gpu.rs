//! What needs a GPU, on any adapter, the software one included: pictures and the benchmark.
#![cfg(feature = "gpu")]

mod support;

use std::path::Path;

use image::RgbImage;
use support::Sandbox;

#[test]
fn the_benchmark_measures_every_case_and_says_on_what() {
    let sandbox = Sandbox::new();
    let args = ["bench", "--instances", "10", "--frames", "2", "--json", "--csv", "bench.csv"];
    let report = sandbox.anim(&args).expect(0).json("anim-bench/1");
    let rows = report["rows"].as_array().unwrap();
    let both = ["visible", "culled"];
    let expected: &[(&str, &str, &[&str])] = &[
        ("palette", "untouched", &both),
        ("palette", "fading", &both),
        ("palette", "three-layers", &both),
        ("palette", "moved-cpu", &both),
        ("palette", "moved-gpu", &both),
        ("palette", "cull-only", &both[..1]),
        ("palette", "half", &both),
        ("palette", "depth-only", &both),
        ("palette", "ready", &both),
        ("direct", "untouched", &both),
        ("direct", "fading", &both),
        ("texture-rgba16f", "untouched", &both),
        ("texture-rgba16f", "fading", &both),
        ("texture-rgba32f", "untouched", &both),
        ("texture-rgba32f", "fading", &both),
        ("cpu-palettes", "untouched", &both),
        ("draw-each", "untouched", &both),
        ("rigid", "untouched", &both),
    ];
    for (path, case, kinds) in expected {
        for triangles in *kinds {
            let is_it = |row: &&serde_json::Value| {
                row["path"] == *path && row["case"] == *case && row["triangles"] == *triangles
            };
            let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("no row {path} {case} {triangles}"));
            assert!(row["skipped"].is_null(), "{row}");
            assert_eq!((&row["instances"], &row["frames"]), (&10.into(), &2.into()), "{row}");
            assert!(row["gpu_ms"]["total"].as_f64().unwrap() > 0.0 && row["cpu_ms"].as_f64().unwrap() > 0.0);
            if *case != "cull-only" {
                assert_eq!((&row["visible"], &row["vertices"]), (&10.into(), &18_900.into()), "{row}");
            }
        }
    }
    let rows_expected: usize = expected.iter().map(|(_, _, kinds)| kinds.len()).sum();
    assert_eq!(rows.len(), rows_expected);
    assert!(report["ratios"].as_array().unwrap().len() >= 6);
    assert!(report["fastest"]["path"].is_string());
    assert!(["gpu", "software", "wall"].contains(&report["clock"].as_str().unwrap()));
    assert!(!report["adapter"]["name"].as_str().unwrap().is_empty());
    let csv = String::from_utf8(sandbox.read("bench.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + rows_expected);
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{csv}");
}

#[test]
fn a_file_of_the_user_is_measured_and_only_what_was_asked_for() {
    let sandbox = Sandbox::baked();
    let args = ["bench", "bar.animtex", "--only", "rigid,untouched", "--instances", "5,20", "--frames", "1"];
    let run = sandbox.anim(&args).expect(0);
    for expected in ["bar.animtex: ", "16 triangles", "our draw / rigid draw", "local8", "medians of up to 1"]
    {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("texture-rgba16f"));
    let limits = [&args[..], &["--limits", "default", "--json"]].concat();
    let report = sandbox.anim(&limits).expect(0).json("anim-bench/1");
    assert_eq!(report["limits"]["max_storage_buffer_binding_size"], 128 << 20);
    assert_eq!(report["rows"].as_array().unwrap().len(), 8);
}

#[test]
fn a_foreign_file_is_not_replaced_by_figures() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.csv", b"my notes");
    let args = ["bench", "--only", "rigid", "--instances", "1", "--frames", "1", "--csv", "notes.csv"];
    let run = sandbox.anim(&args).expect(3);
    assert!(run.stderr.contains("error[output-exists]: notes.csv"), "{}", run.stderr);
    assert_eq!(sandbox.read("notes.csv"), b"my notes");
    sandbox.anim(&[&args[..], &["--force"]].concat()).expect(0);
    sandbox.anim(&args).expect(0);
}

#[test]
fn the_gpu_draws_the_contact_sheet_that_the_cpu_draws() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for name in ["biped", "bird", "horse"] {
        let sandbox = Sandbox::new();
        let model = samples.join(format!("{name}.glb")).display().to_string();
        sandbox.anim(&["preview", &model, "-o", "cpu.png"]).expect(0);
        let report = sandbox.anim(&["preview", &model, "--gpu", "--json", "-o", "gpu.png"]).expect(0);
        let report = report.json("anim-preview/1");
        assert_ne!(report["drawn_by"], "cpu");
        let (cpu, gpu) = (picture(&sandbox, "cpu.png"), picture(&sandbox, "gpu.png"));
        assert_eq!(cpu.dimensions(), gpu.dimensions());
        let (cpu, gpu) = (foreground(&cpu), foreground(&gpu));
        let differing = cpu.iter().zip(&gpu).filter(|(a, b)| a != b).count();
        let share = differing as f64 / cpu.len() as f64;
        let covered = cpu.iter().filter(|seen| **seen).count() as f64 / cpu.len() as f64;
        assert!(covered > 0.04, "{name}: {covered} of the sheet are the model");
        assert!(share < 0.02, "{name}: {share} of the pixels are background in one and model in the other");
        // Nor is much of the model itself missed.
        assert!(share < covered * 0.1, "{name}: {share} of {covered}");
    }
}

#[test]
fn a_crowd_casts_shadows_on_the_ground_it_stands_on() {
    let sandbox = Sandbox::baked();
    let args = ["preview", "bar.animtex", "--gpu", "--crowd", "30", "--size", "320x200", "-o", "crowd.png"];
    let run = sandbox.anim(&args).expect(0);
    assert!(run.stdout.contains("crowd.png: 30 instances, 320 x 200 pixels"), "{}", run.stdout);
    let crowd = picture(&sandbox, "crowd.png");
    // The ground in the lower half is one colour in the sun and another, bluer and darker, in shadow.
    let lower = || (100..200).flat_map(|y| (0..320).map(move |x| (x, y)));
    let is = |wanted: [u8; 3], (x, y): (u32, u32)| {
        crowd.get_pixel(x, y).0.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) < 6)
    };
    let ground = crowd.get_pixel(2, 198).0;
    assert!(lower().filter(|at| is(ground, *at)).count() > 4_000, "no ground: {ground:?}");
    let shadow = lower().filter(|(x, y)| {
        let [red, green, blue] = crowd.get_pixel(*x, *y).0;
        red < ground[0] / 4 * 3 && red.abs_diff(green) < 24 && blue >= red
    });
    assert!(shadow.count() > 150, "no shadows");
    let json =
        sandbox.anim(&[&args[..], &["--clip", "bend", "--json"]].concat()).expect(0).json("anim-preview/1");
    assert_eq!((&json["instances"], &json["clips"][0]["name"]), (&30.into(), &"bend".into()));
}

#[test]
fn wrong_usage_is_code_2() {
    let sandbox = Sandbox::baked();
    let preview = ["preview", "bar.animtex", "-o", "x.png"];
    let table: &[(&[&str], &str)] = &[
        (&["bench", "--instances", "0"], "from 1 to 1000000"),
        (&["bench", "--instances", "2m"], "from 1 to 1000000"),
        (&["bench", "--instances", "1k,,2k"], "from 1 to 1000000"),
        (&["bench", "--instances", "-5"], "from 1 to 1000000"),
        (&["bench", "--frames", "0"], "1..=10000"),
        (&["bench", "--seconds", "0"], "1..=3600"),
        (&["bench", "--only", "everything"], "untouched"),
        (&["bench", "--limits", "none"], "adapter"),
        (&["bench", "--encoding", "affine8"], "affine32"),
        (&["bench", "bar.animtex", "--encoding", "affine16"], "cannot be used with"),
        (&["bench", "--adapter", ""], "--adapter"),
        (&[&preview[..], &["--crowd", "10"]].concat(), "--gpu"),
        (&[&preview[..], &["--size", "64x64"]].concat(), "--crowd"),
        (&[&preview[..], &["--gpu", "--size", "64x64"]].concat(), "--crowd"),
        (&[&preview[..], &["--gpu", "--crowd", "0"]].concat(), "from 1 to 1000000"),
        (&[&preview[..], &["--gpu", "--crowd", "5", "--size", "64"]].concat(), "1280x720"),
        (&[&preview[..], &["--gpu", "--crowd", "5", "--frames", "3"]].concat(), "cannot be used with"),
        (&[&preview[..], &["--adapter", "x"]].concat(), "--gpu"),
        (&[&preview[..], &["--gpu", "--clip", "none"]].concat(), "preview-gpu-rest-pose"),
        (&[&preview[..], &["--gpu", "--crowd", "5", "--clip", "none"]].concat(), "preview-gpu-rest-pose"),
    ];
    for (args, expected) in table {
        let run = sandbox.anim(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
    }
    assert_eq!(sandbox.names(), ["bar.animtex", "bar.gltf"]);
    let run = sandbox.anim(&["bench", "--json", "--frames", "0"]).expect(2);
    assert_eq!(run.json("anim-bench/1")["errors"][0]["id"], "usage");
}

#[test]
fn what_the_gpu_cannot_draw_or_is_not_there_is_code_3() {
    let sandbox = Sandbox::new();
    sandbox.anim(&["bake", "bar.gltf", "--no-mesh"]).expect(0);
    let run = sandbox.anim(&["preview", "bar.animtex", "--gpu", "-o", "x.png"]).expect(3);
    assert!(run.stderr.contains("error[preview-gpu-without-mesh]: bar.animtex"), "{}", run.stderr);
    let run = sandbox.anim(&["bench", "bar.animtex"]).expect(3);
    assert!(run.stderr.contains("error[bench-without-model]: bar.animtex"), "{}", run.stderr);
    let run = sandbox.anim(&["bench", "--adapter", "no such GPU"]).expect(3);
    assert!(run.stderr.contains("error[no-such-gpu]"), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_program_says_what_to_do() {
    let sandbox = Sandbox::baked();
    let hide = "export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent \
                __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent; ";
    for command in [
        "bench --frames 1",
        "preview bar.animtex --gpu -o x.png",
        "preview bar.animtex --gpu --crowd 5 -o x.png",
    ] {
        let run = sandbox.bash(&format!("{hide} \"$ANIM\" {command}")).expect(3);
        assert!(run.stderr.contains("error[no-gpu]: there is no GPU"), "{command}: {}", run.stderr);
        assert!(run.stderr.contains("mesa-vulkan-drivers"), "{command}: {}", run.stderr);
        let run = sandbox.bash(&format!("{hide} \"$ANIM\" {command} --json")).expect(3);
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(document["errors"][0]["id"], "no-gpu", "{command}");
    }
    assert_eq!(sandbox.names(), ["bar.animtex", "bar.gltf"]);
}

fn picture(sandbox: &Sandbox, name: &str) -> RgbImage {
    image::load_from_memory(&sandbox.read(name)).unwrap().into_rgb8()
}

/// Which pixels of a sheet are neither paper, nor sky, nor grid: those that differ from the left edge of their picture,
/// which both sheets have in common, by more than a grid line does.
fn foreground(sheet: &RgbImage) -> Vec<bool> {
    const CELL: u32 = 192;
    const STEP: u32 = CELL + 4;
    let mut found = Vec::new();
    for (x, y, pixel) in sheet.enumerate_pixels() {
        let edge_x = (x.saturating_sub(4) / STEP * STEP + 5).min(sheet.width() - 1);
        let edge = sheet.get_pixel(edge_x, y).0;
        found.push(pixel.0.iter().zip(edge).any(|(a, b)| a.abs_diff(b) > 28));
    }
    found
}
