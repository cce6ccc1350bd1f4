//! Outputs are written whole or not at all, whatever happens.
#![cfg(unix)]

mod support;

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::Sandbox;

#[test]
fn a_file_of_somebody_else_is_replaced_only_with_force() {
    let sandbox = Sandbox::new();
    sandbox.write("bar.animtex", b"my notes");
    let run = sandbox.anim(&["bake", "bar.gltf"]).expect(3);
    assert!(run.stderr.contains("error[output-exists]: bar.animtex"), "{}", run.stderr);
    assert_eq!(sandbox.read("bar.animtex"), b"my notes");
    sandbox.anim(&["bake", "bar.gltf", "--force"]).expect(0);
    sandbox.anim(&["bake", "bar.gltf"]).expect(0);
    assert!(sandbox.read("bar.animtex").starts_with(b"ANTX"));
}

#[test]
fn places_that_cannot_be_written_leave_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.write("file", b"a file");
    for output in
        ["file/x.animtex", "missing/x.animtex", "/dev/null", "/dev/full", "file/x/", "/proc/x.animtex"]
    {
        let run = sandbox.anim(&["bake", "bar.gltf", "--force", "-o", output]).expect(3);
        assert!(run.stderr.starts_with("error[output-"), "{output}: {}", run.stderr);
    }
    assert_eq!(sandbox.names(), ["bar.gltf", "file"]);
    assert_eq!(sandbox.read("file"), b"a file");
}

#[test]
fn a_disk_that_is_full_leaves_the_old_file() {
    let sandbox = Sandbox::baked();
    let old = sandbox.read("bar.animtex");
    // No file may grow beyond 1 KiB: writing fails in the middle.
    let limited = "trap '' XFSZ; ulimit -f 1; ";
    let run = sandbox.bash(&format!("{limited} \"$ANIM\" bake bar.gltf --rate 120")).expect(3);
    assert!(run.stderr.contains("error[output-not-writable]: bar.animtex"), "{}", run.stderr);
    sandbox.bash(&format!("{limited} \"$ANIM\" preview bar.animtex -o x.png")).expect(3);
    sandbox.bash(&format!("{limited} \"$ANIM\" export bar.animtex -o raw")).expect(3);
    assert_eq!(sandbox.names(), ["bar.animtex", "bar.gltf"]);
    assert_eq!(sandbox.read("bar.animtex"), old);
}

#[test]
fn an_interrupted_bake_leaves_the_old_file_and_no_other() {
    let sandbox = Sandbox::baked();
    for (signal, code) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
        let mut interrupted = 0;
        for delay_ms in [1, 3, 6, 10, 15, 22] {
            // Long enough to be interrupted: a million frames a second is refused, a thousand is not.
            let mut child = Command::new(env!("CARGO_BIN_EXE_anim"))
                .args(["bake", "-q", "bar.gltf", "--rate", "1000"])
                .current_dir(sandbox.path(""))
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(delay_ms));
            let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
            let status = child.wait().unwrap();
            if !kill.success() || status.success() {
                continue;
            }
            interrupted += 1;
            // Before the handler is there, the signal itself ends the program.
            assert!(status.code() == code || status.signal().is_some(), "{signal}: {status}");
            sandbox.anim(&["verify", "bar.animtex"]).expect(0);
            let mut names = sandbox.names();
            if code.is_none() {
                // What nobody can clean up after: the hidden temporary file, which the help of `anim bake` names.
                names.retain(|name| !(name.starts_with(".anim-") && name.ends_with(".tmp")));
            }
            assert_eq!(names, ["bar.animtex", "bar.gltf"], "{signal} after {delay_ms} ms");
        }
        assert!(interrupted > 0, "{signal} came too late every time");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let sandbox = Sandbox::baked();
    for command in ["inspect -v bar.animtex", "pose bar.animtex --json", "--help"] {
        let run = sandbox.bash(&format!("set -o pipefail; \"$ANIM\" {command} | head -c 1")).expect(0);
        assert_eq!(run.stderr, "", "{command}");
    }
    let full = sandbox.bash("\"$ANIM\" inspect bar.animtex > /dev/full").expect(3);
    assert!(full.stderr.contains("error[stdout-not-writable]"), "{}", full.stderr);
}

#[test]
fn colours_need_a_terminal() {
    let sandbox = Sandbox::baked();
    for args in
        [&["inspect", "bar.animtex"][..], &["inspect", "missing.glb"], &["bake", "bar.gltf", "--rate", "0"]]
    {
        let run = sandbox.anim(args);
        assert!(!(run.stdout + &run.stderr).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn threads_and_order_do_not_change_the_bytes() {
    let sandbox = Sandbox::new();
    let mut bytes = Vec::new();
    for threads in ["1", "2", "8"] {
        sandbox.anim(&["bake", "bar.gltf", "--threads", threads]).expect(0);
        bytes.push(sandbox.read("bar.animtex"));
    }
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]));
}
