//! The accuracy report as a web page: whole, exact, the same every time, and safe.

mod support;

use std::path::Path;

use serde_json::Value;
use support::{Sandbox, bar};

/// A sandbox with a sample of the workspace and its bake.
fn sample(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(format!("{name}.glb"));
    sandbox.write("model.glb", &std::fs::read(path).unwrap());
    sandbox.anim(&["bake", "model.glb", "--content", "local,rows"]).expect(0);
    sandbox
}

fn page(sandbox: &Sandbox, name: &str) -> String {
    String::from_utf8(sandbox.read(name)).unwrap()
}

/// The numbers of an attribute, in the order of the page.
fn numbers(html: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let values = html.split(&start).skip(1);
    values.map(|value| value.split('"').next().unwrap().parse().unwrap()).collect()
}

/// The same figures of all clips of all page sets.
fn figures(reports: &Value, name: &str) -> Vec<f64> {
    let clips = reports.as_array().unwrap().iter().flat_map(|report| report["clips"].as_array().unwrap());
    clips.map(|clip| clip[name].as_f64().unwrap()).collect()
}

#[track_caller]
fn check_figures(html: &str, reports: &Value) {
    for (attribute, name) in [
        ("data-max-metres", "max_metres"),
        ("data-p999-metres", "p999_metres"),
        ("data-rms-metres", "rms_metres"),
        ("data-normal-degrees", "normal_max_degrees"),
    ] {
        let expected = figures(reports, name);
        assert!(!expected.is_empty());
        let found = numbers(html, attribute);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.into_iter().zip(expected) {
            // The last digit of a number may change while JSON is read.
            assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{name}: {found} and {expected}");
        }
    }
}

#[track_caller]
fn check_needs_nothing(html: &str) {
    for outside in ["http", "<script", "<link", "@import", "url(", "<img", "<iframe"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.ends_with("</body></html>\n"));
}

#[test]
fn verify_with_the_source_draws_every_plot() {
    let sandbox = sample("bird");
    let args = ["verify", "model.animtex", "--source", "model.glb"];
    let plain = sandbox.anim(&[&args[..], &["--json"]].concat()).expect(0);
    let run = sandbox.anim(&[&args[..], &["--json", "--html", "a.html"]].concat()).expect(0);
    assert_eq!(run.stdout, plain.stdout, "--html changes the JSON");
    let report = run.json("anim-verify/2");
    let html = page(&sandbox, "a.html");
    check_needs_nothing(&html);
    check_figures(&html, &report["measured"]);

    let clips = sandbox.anim(&["inspect", "model.animtex", "--json"]).expect(0).json("anim-inspect/2");
    let clips = clips["clips"].as_array().unwrap();
    assert!(!clips.is_empty());
    for (number, clip) in clips.iter().enumerate() {
        let name = clip["name"].as_str().unwrap();
        for set in 0..2 {
            let heading =
                format!("<figure id=\"clip-{set}-{number}\"><figcaption>{number} <bdi>{name}</bdi>");
            assert_eq!(html.matches(&heading).count(), 1, "{heading}");
        }
    }
    for words in ["Error over time", "Error by node", "Size against error", "30 Hz matrices", ">affine32<"] {
        assert!(html.contains(words), "{words}");
    }
    for encoding in ["local8", "local32", "affine16", "affine32"] {
        let title = format!("<title>{encoding} at 1/2 of the clips&#39; own rates: ");
        assert_eq!(html.matches(&title).count(), 1, "{title}");
    }

    sandbox.anim(&[&args[..], &["--html", "b.html"]].concat()).expect(0);
    assert_eq!(page(&sandbox, "b.html"), html, "another run gives another page");
    let run =
        sandbox.bash("RAYON_NUM_THREADS=1 \"$ANIM\" verify model.animtex --source model.glb --html b.html");
    run.expect(0);
    assert_eq!(page(&sandbox, "b.html"), html, "threads change the page");
}

#[test]
fn without_the_source_a_page_has_what_the_file_states() {
    let sandbox = sample("bird");
    let report = sandbox.anim(&["inspect", "model.animtex", "--json", "--html", "a.html"]).expect(0);
    let report = report.json("anim-inspect/2");
    let stated = page(&sandbox, "a.html");
    check_needs_nothing(&stated);
    check_figures(&stated, &report["metadata"]["accuracy"]);
    assert!(stated.contains("anim verify FILE --source MODEL --html OUT"));
    assert!(stated.contains("Bytes by clip") && stated.contains("<rect class=\"bar\""));
    sandbox.anim(&["verify", "model.animtex", "--html", "b.html"]).expect(0);
    let checked = page(&sandbox, "b.html");
    check_figures(&checked, &report["metadata"]["accuracy"]);
    assert!(checked.contains("checksums") && !stated.contains("checksums"));
    // What a bake of a model would hold.
    sandbox.anim(&["inspect", "model.glb", "--html", "c.html"]).expect(0);
    check_needs_nothing(&page(&sandbox, "c.html"));
}

#[test]
fn a_page_says_what_is_wrong_with_a_file_that_can_be_read() {
    let sandbox = sample("bird");
    let run =
        sandbox.anim(&["verify", "model.animtex", "--source", "bar.gltf", "--html", "a.html"]).expect(1);
    assert!(run.stderr.contains("stale"), "{}", run.stderr);
    let html = page(&sandbox, "a.html");
    assert!(html.contains("<td class=\"failed\"><b>failed</b></td><td>stale: "));
    assert!(!html.contains("Size against error"));
    sandbox.anim(&["verify", "model.animtex", "--max-error", "1nm", "--html", "a.html"]).expect(2);
    sandbox.anim(&["verify", "model.animtex", "--max-error", "0.0001mm", "--html", "a.html"]).expect(1);
    assert!(page(&sandbox, "a.html").contains("max-error"));

    let mut broken = sandbox.read("model.animtex");
    broken.truncate(broken.len() / 2);
    sandbox.write("broken.animtex", &broken);
    let run = sandbox.anim(&["verify", "broken.animtex", "--html", "b.html"]).expect(1);
    assert!(run.stderr.contains("no page is written"), "{}", run.stderr);
    assert!(!sandbox.names().contains(&"b.html".to_owned()));
}

#[test]
fn hostile_names_are_text() {
    let sandbox = Sandbox::new();
    let mut model = bar();
    model["animations"][0]["name"] = "<script>alert(\"1\")</script>".into();
    model["animations"][1]["name"] = "\u{202e}evil\u{0}&amp;'".into();
    model["animations"][2]["name"] = "x".repeat(10_000).into();
    model["nodes"][0]["name"] = "\"><img src=x onerror=alert(1)>".into();
    model["nodes"][1]["name"] = "</title></svg><b>".into();
    sandbox.write("bar.gltf", model.to_string().as_bytes());
    sandbox.anim(&["bake", "bar.gltf"]).expect(0);
    sandbox.anim(&["verify", "bar.animtex", "--source", "bar.gltf", "--html", "a.html"]).expect(0);
    sandbox.anim(&["inspect", "bar.animtex", "--html", "b.html"]).expect(0);
    for name in ["a.html", "b.html"] {
        let html = page(&sandbox, name);
        check_needs_nothing(&html);
        assert!(!html.contains("</svg><b>") && !html.contains(['\u{202e}', '\0']));
        assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"), "{name}");
        assert!(html.contains("\\u{202e}evil\\u{0}&amp;amp;&#39;"), "{name}");
        assert!(html.contains(&"x".repeat(80)) && !html.contains(&"x".repeat(301)), "{name}");
        assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    }
}

#[test]
fn pages_replace_pages_and_nothing_else() {
    let sandbox = Sandbox::baked();
    sandbox.write("notes.html", b"<!DOCTYPE html>\n<p>my notes</p>");
    for args in [&["inspect", "bar.animtex"][..], &["verify", "bar.animtex"]] {
        let with = |more: &[&'static str]| [args, more].concat();
        let run = sandbox.anim(&with(&["--html", "notes.html"])).expect(3);
        assert!(run.stderr.contains("error[output-exists]: notes.html"), "{}", run.stderr);
        assert!(page(&sandbox, "notes.html").contains("my notes"));
        sandbox.anim(&with(&["--html", "a.html"])).expect(0);
        sandbox.anim(&with(&["--html", "a.html"])).expect(0);
        let run = sandbox.anim(&with(&["--html", "./bar.animtex", "--force"])).expect(3);
        assert!(run.stderr.contains("error[output-is-the-input]"), "{}", run.stderr);
        sandbox.anim(&with(&["--html", "missing/a.html"])).expect(3);
        sandbox.anim(&with(&["--html", "/dev/null", "--force"])).expect(3);
        sandbox.anim(&with(&["--force"])).expect(2);
    }
    assert!(sandbox.read("bar.animtex").starts_with(b"ANTX"));
    let source = ["verify", "bar.animtex", "--source", "bar.gltf", "--html", "bar.gltf", "--force"];
    sandbox.anim(&source).expect(3);
    sandbox.anim(&["inspect", "bar.animtex", "--html", "notes.html", "--force"]).expect(0);
    assert!(page(&sandbox, "notes.html").contains("accuracy report of anim"));
    assert_eq!(sandbox.names(), ["a.html", "bar.animtex", "bar.gltf", "notes.html"]);
}
