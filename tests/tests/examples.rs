//! Every example runs, and its picture shows something.
#![allow(clippy::duplicate_mod, reason = "every example has the studio as a module of its own")]
#![allow(dead_code, reason = "what an example's main calls is not all called here")]

#[path = "../examples/bird_flock/main.rs"]
mod bird_flock;
#[path = "../examples/crossfades/main.rs"]
mod crossfades;
#[path = "../examples/custom_shader/main.rs"]
mod custom_shader;
#[path = "../examples/five_thousand_horses/main.rs"]
mod five_thousand_horses;
#[path = "../examples/headless_png/main.rs"]
mod headless_png;
#[path = "../examples/masks/main.rs"]
mod masks;
#[path = "../examples/one_character/main.rs"]
mod one_character;
#[path = "../examples/shadows/main.rs"]
mod shadows;
#[path = "../examples/sword_and_rider/main.rs"]
mod sword_and_rider;

use std::error::Error;
use std::path::Path;

/// Runs an example and looks at its picture: at least `share` of it is neither sky nor of one colour.
fn check(name: &str, run: fn(&Path) -> Result<(), Box<dyn Error>>, share: f64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("picture.png");
    run(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let picture = image::open(&path).unwrap_or_else(|error| panic!("{name}: {error}")).into_rgba8();
    let sky = *picture.get_pixel(0, 0);
    let shown = picture.pixels().filter(|pixel| **pixel != sky).count();
    let found = shown as f64 / f64::from(picture.width() * picture.height());
    assert!(found > share, "{name}: {found} of the picture shows something");
    // The README beside it shows the picture that it made.
    let readme = anim_tests::models::workspace_root().join("tests/examples").join(name);
    assert!(readme.join("README.md").is_file() && readme.join("picture.png").is_file(), "{name}");
}

#[test]
fn one_character_is_drawn() {
    check("one_character", one_character::run, 0.05);
}

#[test]
fn five_thousand_horses_are_drawn() {
    check("five_thousand_horses", five_thousand_horses::run, 0.1);
}

#[test]
fn a_flock_is_steered_and_drawn() {
    check("bird_flock", bird_flock::run, 0.05);
}

#[test]
fn fades_are_drawn() {
    check("crossfades", crossfades::run, 0.1);
}

#[test]
fn masked_clips_are_drawn() {
    check("masks", masks::run, 0.1);
}

#[test]
fn a_sword_and_a_rider_are_drawn() {
    check("sword_and_rider", sword_and_rider::run, 0.1);
}

#[test]
fn shadows_are_drawn() {
    check("shadows", shadows::run, 0.5);
}

#[test]
fn a_custom_shader_is_drawn() {
    check("custom_shader", custom_shader::run, 0.1);
}

#[test]
fn frames_are_rendered_to_files() {
    check("headless_png", headless_png::run, 0.05);
}
