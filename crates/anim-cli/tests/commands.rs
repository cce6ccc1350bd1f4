//! Each command on good and on bad input: text, JSON and exit code.

mod support;

use serde_json::Value;
use support::{Sandbox, bar};

#[test]
fn help_has_examples_and_version_prints() {
    let sandbox = Sandbox::new();
    for command in ["bake", "inspect", "verify", "pose", "preview", "export", "bench"] {
        let run = sandbox.anim(&[command, "--help"]).expect(0);
        assert!(run.stdout.contains("Examples:"), "{command}");
        assert!(!run.stdout.contains('\u{1b}'), "colours without a terminal");
    }
    assert!(sandbox.anim(&["--version"]).expect(0).stdout.starts_with("anim "));
    assert!(sandbox.anim(&["--help"]).expect(0).stdout.contains("Exit codes:"));
    assert_eq!(sandbox.anim(&["help", "bake"]).expect(0).stdout, sandbox.anim(&["bake", "--help"]).stdout);
}

#[test]
fn a_budget_chooses_rates_or_is_code_1_and_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("bar.gltf", bar().to_string().as_bytes());
    let run = sandbox.anim(&["bake", "bar.gltf", "--max-error", "1e-9%"]).expect(1);
    assert!(run.stderr.contains("budget-missed") && run.stderr.contains(" Hz in "), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["bar.gltf"]);
    let json = sandbox.anim(&["bake", "--json", "bar.gltf", "--max-error", "1e-9%"]).expect(1);
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(report["errors"][0]["id"], "budget-missed");
    let run =
        sandbox.anim(&["bake", "bar.gltf", "--max-error", "20%", "--max-normal-error", "90deg"]).expect(0);
    assert!(run.stdout.contains("Rates of bar.animtex") && run.stdout.contains(" Hz"), "{}", run.stdout);
    sandbox.anim(&["verify", "bar.animtex", "--source", "bar.gltf", "--max-error", "20%"]).expect(0);
    let json = sandbox.anim(&["bake", "--json", "bar.gltf", "--max-error", "1cm"]).expect(0);
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let rate = &report["models"][0]["rates"][0];
    assert!(rate["rate_hz"].as_f64() > Some(0.0) && rate["metres"].as_f64() <= Some(0.01), "{rate}");
    sandbox.anim(&["bake", "bar.gltf", "--lossless"]).expect(0);
    assert!(sandbox.anim(&["inspect", "bar.animtex"]).expect(0).stdout.contains("local32"));
}

#[test]
fn a_file_of_vertices_is_posed_and_what_cannot_play_it_says_so() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../anim-format/tests/golden/v1/vertices32.animtex");
    let sandbox = Sandbox::new();
    sandbox.write("v.animtex", &std::fs::read(golden).expect("a golden file"));
    assert!(sandbox.anim(&["inspect", "v.animtex"]).expect(0).stdout.contains("position32"));
    sandbox.anim(&["verify", "v.animtex"]).expect(0);
    let run = sandbox.anim(&["pose", "v.animtex", "--json", "--clip", "walk", "--time", "0.75"]).expect(0);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    // Vertex 2 of the body in frame 17 of 35.
    let positions = &report["samples"][0]["primitives"][0]["positions"];
    let x = positions[6].as_f64().expect("a number");
    assert!((x - (2.0 + 0.125 * 17.0)).abs() < 1e-4, "{positions}");
    let run = sandbox.anim(&["preview", "v.animtex", "-o", "v.png"]);
    assert!(run.stderr.contains("preview-of-vertices"), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["bar.gltf", "v.animtex"]);
}

#[test]
fn wrong_usage_is_code_2_and_says_what_is_expected() {
    let sandbox = Sandbox::baked();
    let table: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["fly"], "unrecognized"),
        (&["bake"], "MODEL"),
        (&["bake", "bar.gltf", "--rate", "0"], "above 0 and at most 1000"),
        (&["bake", "bar.gltf", "--rate", "-24"], "above 0 and at most 1000"),
        (&["bake", "bar.gltf", "--rate", "nan"], "finite"),
        (&["bake", "bar.gltf", "--max-error", "0"], "unit"),
        (&["bake", "bar.gltf", "--max-error", "0mm"], "more than 0"),
        (&["bake", "bar.gltf", "--max-error", "-1%"], "0.5%"),
        (&["bake", "bar.gltf", "--max-error", "nan%"], "0.5%"),
        (&["bake", "bar.gltf", "--max-error", "1%", "--rate", "30"], "cannot be used with"),
        (&["bake", "bar.gltf", "--max-normal-error", "181deg"], "at most 180"),
        (&["bake", "bar.gltf", "--lossless", "--encoding", "local8"], "cannot be used with"),
        (&["bake", "bar.gltf", "--lossless", "--max-error", "1%"], "cannot be used with"),
        (&["bake", "bar.gltf", "--max-texture-size", "63"], "64..=16384"),
        (&["bake", "bar.gltf", "--max-texture-size", "16385"], "64..=16384"),
        (&["bake", "bar.gltf", "--max-influences", "0"], "1..=4"),
        (&["bake", "bar.gltf", "--max-influences", "5"], "1..=4"),
        (&["bake", "bar.gltf", "--threads", "0"], "1..=1024"),
        (&["bake", "bar.gltf", "--encoding", "affine8"], "affine32"),
        (&["bake", "bar.gltf", "--images", "all"], "base"),
        (&["bake", "bar.gltf", "--clip", ""], "--clip"),
        (&["bake", "bar.gltf", "bar.gltf"], "output-name-repeated"),
        (&["bake", "bar.gltf", "--force", "-o", "bar.gltf"], "output-is-the-model"),
        (&["verify", "bar.animtex", "--max-error", "2"], "unit"),
        (&["verify", "bar.animtex", "--max-error", "-1mm"], "0.5%"),
        (&["verify", "bar.animtex", "--exhaustive"], "--source"),
        (&["pose", "bar.gltf", "--time", "inf"], "finite"),
        (&["pose", "bar.gltf", "--vertices", "every:0"], "at least 1"),
        (&["pose", "bar.gltf", "--vertices", "1;2"], "every:N"),
        (&["pose", "bar.gltf", "--vertices", "-1"], "every:N"),
        (&["preview", "bar.gltf"], "--output"),
        (&["preview", "bar.gltf", "-o", "x.png", "--frames", "0"], "1..=64"),
        (&["preview", "bar.gltf", "-o", "x.png", "--frames", "64", "--cell", "1024"], "preview-too-large"),
        (&["export", "bar.animtex", "-o", "x", "--to", "csv"], "raw"),
    ];
    for (args, expected) in table {
        let run = sandbox.anim(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
    }
    assert_eq!(sandbox.names(), ["bar.animtex", "bar.gltf"]);
    let run = sandbox.anim(&["bake", "--json", "--rate", "0", "bar.gltf"]).expect(2);
    assert_eq!(run.json("anim-bake/1")["errors"][0]["id"], "usage");
    let run = sandbox.anim(&["preview", "--json", "bar.gltf"]).expect(2);
    let what = run.json("anim-preview/1")["errors"][0]["what"].to_string();
    assert!(what.contains("--output <OUT.png>"), "{what}");
}

#[test]
fn inputs_that_cannot_be_used_are_code_3_for_every_command() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.gltf", b"{");
    sandbox.write("broken.animtex", b"ANTX");
    sandbox.write("empty.glb", b"");
    sandbox.write("model.fbx", b"Kaydara FBX Binary  \0");
    let inputs = [
        ("missing.glb", "input-not-readable"),
        (".", "input-is-a-folder"),
        ("model.fbx", "fbx-input"),
        ("/dev/null", "input-not-readable"),
        ("empty.glb", ""),
        ("broken.gltf", ""),
    ];
    for (input, id) in inputs {
        let commands: [&[&str]; 5] = [
            &["bake", input],
            &["inspect", input],
            &["pose", input],
            &["preview", input, "-o", "x.png"],
            &["export", input, "-o", "x"],
        ];
        for args in commands {
            let run = sandbox.anim(args).expect(3);
            assert!(run.stderr.starts_with(&format!("error[{id}")), "{args:?}: {}", run.stderr);
            assert!(run.stderr.contains(&format!("]: {input}: ")), "{args:?}: {}", run.stderr);
            let json = sandbox.anim(&[args, &["--json"]].concat()).expect(3);
            let document: Value = serde_json::from_str(&json.stdout).unwrap();
            let error = &document["errors"][0];
            assert_eq!(error["severity"], "error", "{args:?}");
            assert_eq!(error["file"], input, "{args:?}");
            let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
            let expected =
                ["id", "severity", "file", "path", "clip", "bone", "what", "expected", "found", "help"];
            assert_eq!(keys, expected);
        }
    }
    for command in ["inspect", "pose"] {
        let run = sandbox.anim(&[command, "broken.animtex"]).expect(3);
        assert!(run.stderr.contains("error[file-truncated]: broken.animtex"), "{}", run.stderr);
    }
}

#[test]
fn bake_reports_in_the_order_given_and_goes_on_after_a_bad_model() {
    let sandbox = Sandbox::new();
    for name in ["b.gltf", "a.gltf"] {
        sandbox.write(name, bar().to_string().as_bytes());
    }
    sandbox.write("bad.gltf", b"{}");
    let args = ["bake", "b.gltf", "bad.gltf", "a.gltf", "-o", "new/out"];
    let run = sandbox.anim(&args).expect(3);
    let (b, a) = (run.stdout.find("b.animtex").unwrap(), run.stdout.find("a.animtex").unwrap());
    assert!(b < a && run.stdout.contains("1 of 3 models failed"), "{}", run.stdout);
    assert!(run.stderr.contains("bad.gltf"), "{}", run.stderr);
    assert!(run.stderr.contains("anim preview new/out/b.animtex"), "{}", run.stderr);
    for file in ["new/out/a.animtex", "new/out/b.animtex"] {
        sandbox.anim(&["verify", file]).expect(0);
    }
    assert!(!support::exists(&sandbox.path("new/out/bad.animtex")));

    let json = sandbox.anim(&[&args[..], &["--json", "-q"]].concat()).expect(3).json("anim-bake/1");
    assert_eq!(json["models"].as_array().unwrap().len(), 2);
    assert_eq!(json["models"][0]["output"], "new/out/b.animtex");
    assert_eq!(json["models"][0]["clips"], 3);
    assert!(json["models"][0]["largest_playback_error"]["metres"].is_number());
    assert_eq!(json["errors"][0]["file"], "bad.gltf");
    let quiet = sandbox.anim(&["bake", "-q", "b.gltf"]).expect(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn bake_options_reach_the_file() {
    let sandbox = Sandbox::new();
    let args = [
        "bake",
        "bar.gltf",
        "--rate",
        "60",
        "--encoding",
        "affine32",
        "--clip",
        "be*",
        "--once",
        "bend",
        "--attach",
        "tip",
        "--mask",
        "end=tip",
        "--max-influences",
        "1",
        "--max-texture-size",
        "256",
        "--no-mesh",
        "--threads",
        "2",
    ];
    sandbox.anim(&args).expect(0);
    let json = sandbox.anim(&["inspect", "--json", "bar.animtex"]).expect(0).json("anim-inspect/2");
    assert_eq!(json["clips"].as_array().unwrap().len(), 1);
    assert_eq!(json["clips"][0]["mode"], "once");
    assert_eq!(json["clips"][0]["tracks"][0]["frames"], 61);
    assert_eq!(json["page_sets"][0]["encoding"], "affine32");
    assert_eq!(json["attachments"][0]["name"], "tip");
    assert_eq!(json["masks"][0]["name"], "end");
    assert_eq!(json["mesh"], Value::Null);
    assert_eq!(json["metadata"]["settings"]["max-influences"], "1");
    assert_eq!(json["metadata"]["settings"]["mask"], "end=tip");
    let text = sandbox.anim(&["inspect", "bar.animtex"]).expect(0).stdout;
    assert!(text.contains("Masks (1)") && text.contains("end   1      tip"), "{text}");
    sandbox.anim(&["bake", "bar.gltf", "--clip", "fly"]).expect(3);
    sandbox.anim(&["bake", "bar.gltf", "--mask", "end=toe"]).expect(3);
    sandbox.anim(&["bake", "bar.gltf", "--mask", "tip"]).expect(2);
}

#[test]
fn inspect_shows_a_file_and_what_a_bake_would_hold() {
    let sandbox = Sandbox::baked();
    let run = sandbox.anim(&["inspect", "bar.animtex"]).expect(0);
    for expected in [
        "Clips (3)",
        "bend",
        "走る",
        "Page sets",
        "local8",
        "Bones (2)",
        "Accuracy",
        "Bytes by section",
        "source",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("Sections ("));
    assert!(sandbox.anim(&["inspect", "-v", "bar.animtex"]).expect(0).stdout.contains("Sections ("));
    let would = sandbox.anim(&["inspect", "bar.gltf"]).expect(0);
    assert!(would.stdout.contains("a bake with default settings would hold"), "{}", would.stdout);
    let (file, model) = (
        sandbox.anim(&["inspect", "--json", "bar.animtex"]).expect(0).json("anim-inspect/2"),
        sandbox.anim(&["inspect", "--json", "bar.gltf"]).expect(0).json("anim-inspect/2"),
    );
    for same in
        ["version", "length_bytes", "sections", "page_fill", "clips", "bones", "nodes", "parts", "hashes"]
    {
        assert_eq!(file[same], model[same], "{same}");
    }
    assert_eq!((&file["input"], &model["input"]), (&"animtex".into(), &"gltf".into()));
}

#[test]
fn verify_says_ok_damaged_stale_and_too_inexact() {
    let sandbox = Sandbox::baked();
    let run = sandbox.anim(&["verify", "bar.animtex"]).expect(0);
    assert!(run.stdout.contains("ok       structure") && run.stdout.contains("ok       checksums"));
    let source = ["verify", "bar.animtex", "--source", "bar.gltf"];
    for more in [&[][..], &["--exhaustive"], &["--max-error", "20%"], &["--max-error", "1m"]] {
        let run = sandbox.anim(&[&source[..], more].concat()).expect(0);
        assert!(run.stdout.contains("ok       up-to-date"), "{}", run.stdout);
        assert!(run.stdout.contains("ok       accuracy"), "{}", run.stdout);
    }
    for limit in ["0%", "0.001mm"] {
        let run = sandbox.anim(&["verify", "bar.animtex", "--max-error", limit]).expect(1);
        assert!(run.stdout.contains("FAILED   max-error"), "{}", run.stdout);
        assert!(run.stderr.contains("error[error-too-large]"), "{}", run.stderr);
    }
    let json = sandbox.anim(&["verify", "--json", "bar.animtex", "--max-error", "0%"]).expect(1);
    let json = json.json("anim-verify/2");
    assert_eq!(json["passed"], false);
    assert_eq!(json["errors"][0]["id"], "error-too-large");

    let mut changed = bar();
    changed["nodes"][1]["name"] = "end".into();
    sandbox.write("bar.gltf", changed.to_string().as_bytes());
    let stale = sandbox.anim(&source).expect(1);
    assert!(stale.stdout.contains("stale") && stale.stderr.contains("error[stale]"), "{}", stale.stderr);
    // A source that cannot be imported any more is not the one that was baked; the other checks are still reported.
    sandbox.write("bar.gltf", b"{}");
    let broken = sandbox.anim(&source).expect(1);
    assert!(broken.stdout.contains("ok       checksums"), "{}", broken.stdout);
    assert!(broken.stderr.contains("error[stale]") && broken.stderr.contains("asset"), "{}", broken.stderr);
    sandbox.anim(&["verify", "bar.animtex", "--source", "missing.glb"]).expect(3);
    sandbox.anim(&["verify", "bar.gltf"]).expect(3);
}

#[test]
fn verify_finds_every_flipped_byte() {
    let sandbox = Sandbox::baked();
    let good = sandbox.read("bar.animtex");
    // Every byte of a file is tested in the format's own tests; here it is the exit code.
    for byte in (0..good.len()).step_by(good.len() / 40) {
        let mut bad = good.clone();
        bad[byte] ^= 0x40;
        sandbox.write("bar.animtex", &bad);
        let run = sandbox.anim(&["verify", "bar.animtex"]).expect(1);
        assert!(run.stdout.contains("FAILED"), "byte {byte}: {}", run.stdout);
    }
}

#[test]
fn pose_prints_the_schema_from_both_inputs() {
    let sandbox = Sandbox::baked();
    let args = ["--clip", "bend", "--time", "-3", "--time", "9", "--vertices", "8,99,0", "--json"];
    for (file, input, tolerance) in [("bar.gltf", "gltf", 1e-6), ("bar.animtex", "animtex", 2e-3)] {
        let run = sandbox.anim(&[&["pose", file][..], &args].concat()).expect(0);
        assert!(run.stdout.starts_with(&format!(
            r#"{{"schema":"anim-pose/1","file":"{file}","input":"{input}","clip":{{"index":0,"name":"bend","duration_seconds":1.0}},"samples":[{{"time_seconds":0.0,"primitives":[{{"node":2,"mesh":0,"primitive":0,"vertices":[8,0],"positions":["#
        )), "{}", run.stdout);
        let json = run.json("anim-pose/1");
        let last = &json["samples"][1];
        assert_eq!(last["time_seconds"], 1.0);
        assert_eq!(last["primitives"][0]["normals"], Value::Null, "the source has none");
        // Bent by 90 degrees about (0, 1, 0), vertex 8 goes from (-0.2, 2, 0.2) to (-1, 0.8, 0.2).
        let positions = last["primitives"][0]["positions"].as_array().unwrap();
        for (found, expected) in positions.iter().zip([-1.0, 0.8, 0.2, -0.2, 0.0, 0.2]) {
            assert!((found.as_f64().unwrap() - expected).abs() < tolerance, "{file}: {positions:?}");
        }
    }
}

#[test]
fn pose_finds_clips_by_name_first_then_by_number() {
    let sandbox = Sandbox::baked();
    for file in ["bar.gltf", "bar.animtex"] {
        for (wanted, index, name) in
            [("bend", 0, "bend"), ("0", 1, "0"), ("1", 1, "0"), ("2", 2, "走る"), ("走る", 2, "走る")]
        {
            let run = sandbox.anim(&["pose", file, "--clip", wanted, "--json"]).expect(0);
            let clip = &run.json("anim-pose/1")["clip"];
            assert_eq!((&clip["index"], &clip["name"]), (&index.into(), &name.into()), "{file} {wanted}");
        }
        let rest = sandbox.anim(&["pose", file, "--clip", "none", "--time", "5", "--json"]).expect(0);
        let rest = rest.json("anim-pose/1");
        assert_eq!(rest["clip"]["index"], Value::Null);
        assert_eq!(rest["samples"][0]["time_seconds"], 0.0);
        let run = sandbox.anim(&["pose", file, "--clip", "fly"]).expect(3);
        assert!(
            run.stderr.contains("error[no-such-clip]") && run.stderr.contains("0 \"bend\""),
            "{}",
            run.stderr
        );
    }
    let table = sandbox.anim(&["pose", "bar.animtex", "--vertices", "every:4"]).expect(0).stdout;
    assert!(table.contains("node 2, mesh 0, primitive 0, vertices: 3"), "{table}");
    sandbox.anim(&["bake", "bar.gltf", "--no-mesh", "-o", "bones.animtex"]).expect(0);
    assert!(sandbox.anim(&["pose", "bones.animtex"]).expect(3).stderr.contains("error[no-mesh]"));
}

#[test]
fn preview_draws_models_bakes_and_bones() {
    let sandbox = Sandbox::baked();
    sandbox.anim(&["bake", "bar.gltf", "--no-mesh", "-o", "bones.animtex"]).expect(0);
    for (file, args, width, height) in [
        ("bar.gltf", &[][..], 6 * 196 + 8, 26 + 3 * 210),
        ("bar.animtex", &["--clip", "none"], 6 * 196 + 8, 26 + 210),
        (
            "bar.animtex",
            &["--clip", "走る", "--clip", "0", "--frames", "2", "--cell", "64"],
            144,
            26 + 2 * 82,
        ),
        ("bones.animtex", &["--clip", "bend", "--frames", "3"], 3 * 196 + 8, 26 + 210),
    ] {
        let run = sandbox.anim(&[&["preview", file, "-o", "x.png", "--json"], args].concat()).expect(0);
        let json = run.json("anim-preview/1");
        assert_eq!((&json["width"], &json["height"]), (&width.into(), &height.into()), "{file} {args:?}");
        let image = image::open(sandbox.path("x.png")).unwrap().into_rgb8();
        assert_eq!((image.width(), image.height()), (width, height));
        // The bar or its bones are in the middle of the first picture, which has more colours than its background.
        let middle = (90..110).flat_map(|y| (20..60).map(move |x| (x, y)));
        let colors: std::collections::BTreeSet<_> =
            middle.map(|(x, y)| image.get_pixel(x, y.min(height - 1)).0).collect();
        assert!(colors.len() > 3, "{file} {args:?}");
    }
    sandbox.write("mine.png", b"not a picture");
    sandbox.anim(&["preview", "bar.gltf", "-o", "mine.png"]).expect(3);
    assert_eq!(sandbox.read("mine.png"), b"not a picture");
    sandbox.anim(&["preview", "bar.gltf", "--clip", "fly", "-o", "x.png"]).expect(3);
}

#[test]
fn export_writes_what_its_tables_say() {
    let sandbox = Sandbox::baked();
    sandbox.anim(&["export", "bar.animtex", "--to", "raw", "-o", "raw"]).expect(0);
    let tables: Value = serde_json::from_slice(&sandbox.read("raw/tables.json")).unwrap();
    assert_eq!(tables["schema"], "anim-tables/1");
    let set = &tables["page_sets"][0];
    let bytes = set["width"].as_u64().unwrap() * set["height"].as_u64().unwrap() * 8;
    assert_eq!(sandbox.read("raw/page_set0_page0.bin").len() as u64, bytes);
    let mesh = &tables["mesh"];
    let bytes = mesh["stride_bytes"].as_u64().unwrap() * mesh["vertex_count"].as_u64().unwrap();
    assert_eq!(sandbox.read("raw/vertices.bin").len() as u64, bytes);
    assert_eq!(sandbox.read("raw/indices.bin").len(), 4 * 48);
    assert_eq!(tables["bones"][1]["bone_from_bind"][1], serde_json::json!([0.0, 1.0, 0.0, -1.0]));

    // Again is fine; over something else it is not.
    let json = sandbox.anim(&["export", "bar.gltf", "-o", "raw", "--json"]).expect(0).json("anim-export/1");
    assert_eq!(json["files"][0]["name"], "tables.json");
    sandbox.write("raw/mine.txt", b"mine");
    let run = sandbox.anim(&["export", "bar.animtex", "-o", "raw"]).expect(3);
    assert!(run.stderr.contains("mine.txt"), "{}", run.stderr);
    assert_eq!(sandbox.read("raw/mine.txt"), b"mine");
    sandbox.anim(&["export", "bar.animtex", "-o", "bar.gltf", "--force"]).expect(3);
    assert_eq!(sandbox.names(), ["bar.animtex", "bar.gltf", "raw"]);
    // Force writes beside it, and removes nothing: not even in the folder of the input itself.
    sandbox.anim(&["export", "bar.animtex", "-o", "raw", "--force"]).expect(0);
    assert_eq!(sandbox.read("raw/mine.txt"), b"mine");
    sandbox.anim(&["export", "bar.animtex", "-o", ".", "--force"]).expect(0);
    assert!(sandbox.names().starts_with(&["bar.animtex".into(), "bar.gltf".into()]), "{:?}", sandbox.names());
    assert_eq!(sandbox.read("raw/mine.txt"), b"mine");
}
