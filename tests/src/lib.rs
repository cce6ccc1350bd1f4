//! What the tests of several crates share: where the models are, and what is known about them.

pub mod cameras;
pub mod gltf_builder;
pub mod golden;
pub mod gpu;
pub mod models;
pub mod picture;
pub mod probe;
pub mod random_layers;
pub mod rigs;
pub mod stage;

/// Whether `python3` can be started; if not, says so. Under continuous integration (`CI` is set) that is a failure.
///
/// # Panics
///
/// If it cannot and `CI` is set.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that checks less has to say so")]
pub fn python_is_there() -> bool {
    let there =
        std::process::Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    assert!(
        there || std::env::var_os("CI").is_none(),
        "python3 cannot be started, and continuous integration needs it"
    );
    if !there {
        eprintln!("NOT CHECKED: python3 cannot be started; the second reader is not run");
    }
    there
}
