//! Files of every released version, which every later reader must read to the same values.
//!
//! They are written from `support` only when `ANIM_BLESS=1` is set; otherwise a missing or different file fails.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use std::fs;
use std::path::PathBuf;
use std::sync::Once;

use anim_format::{Version, check_all_crcs, read, write};
use support::describe::describe;

mod support;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1").join(name)
}

/// The golden file of a name. The first call writes them all if files are being blessed.
fn golden(name: &str) -> Vec<u8> {
    static BLESS: Once = Once::new();
    BLESS.call_once(|| {
        if std::env::var_os("ANIM_BLESS").is_some_and(|value| value == "1") {
            for (name, model) in support::golden_models() {
                fs::write(path(&format!("{name}.animtex")), write(&model, Version::V1).unwrap()).unwrap();
                fs::write(path(&format!("{name}.txt")), describe(&model)).unwrap();
            }
        }
    });
    fs::read(path(name)).unwrap_or_else(|error| {
        panic!("{}: {error}; a new golden file is written by cargo xtask bless", path(name).display())
    })
}

#[test]
fn golden_files_of_version_1_are_read_to_the_listed_values_and_written_the_same() {
    for (name, model) in support::golden_models() {
        let bytes = golden(&format!("{name}.animtex"));
        let expected = golden(&format!("{name}.txt"));
        let file = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_all_crcs(&bytes).unwrap();
        let found = describe(&file);
        for (found, expected) in found.lines().zip(String::from_utf8(expected.clone()).unwrap().lines()) {
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(found.as_bytes(), expected, "{name}");
        assert!(write(&file, Version::V1).unwrap() == bytes, "{name} is written to other bytes");
        assert!(write(&model, Version::V1).unwrap() == bytes, "{name} is made to other bytes");
    }
}

#[test]
fn every_golden_file_is_tested() {
    golden("minimal.animtex");
    let mut found: Vec<String> =
        fs::read_dir(path("")).unwrap().map(|entry| name_of(entry.unwrap())).collect();
    found.sort();
    let models = support::golden_models();
    let names = models.iter().flat_map(|(name, _)| [format!("{name}.animtex"), format!("{name}.txt")]);
    let mut expected: Vec<String> = names.collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(expected.len(), 18);
}

fn name_of(entry: fs::DirEntry) -> String {
    entry.file_name().into_string().unwrap()
}
