//! `docs/FORMAT.md` against the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anim_format::section_kind_name;

fn document() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/FORMAT.md");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The bytes of a listing line: `0200  73 6c 69 | what it is`, or `0209  00 x 55 | padding`.
fn listed_bytes(line: &str, expected_offset: usize) -> Vec<u8> {
    let (offset, rest) = line.split_once("  ").unwrap_or_else(|| panic!("no offset in {line:?}"));
    assert_eq!(usize::from_str_radix(offset, 16), Ok(expected_offset), "{line:?}");
    let bytes = rest.split('|').next().unwrap().trim();
    match bytes.strip_prefix("00 x ") {
        Some(count) => vec![0; count.parse().unwrap()],
        None => bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect(),
    }
}

#[test]
fn the_listing_of_the_smallest_golden_file_is_that_file() {
    let document = document();
    let (_, listing) = document.split_once("```text\n").expect("a listing");
    let (listing, _) = listing.split_once("```").expect("the end of the listing");
    let mut bytes = Vec::new();
    for line in listing.lines() {
        let more = listed_bytes(line, bytes.len());
        bytes.extend(more);
    }
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1/minimal.animtex");
    assert!(bytes == fs::read(golden).unwrap(), "the listing in docs/FORMAT.md differs from minimal.animtex");
}

#[test]
fn every_section_kind_is_in_the_document_under_its_number() {
    let document = document();
    let (_, kinds) = document.split_once("### Section kinds").unwrap();
    let (kinds, _) = kinds.split_once("\n## ").unwrap();
    let mut rows = 0;
    for line in kinds.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| kind")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = section_kind_name(cells[1].parse().unwrap()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(name.trim_end_matches(" (reserved)"), cells[2], "{line}");
        assert_eq!(name.ends_with("(reserved)"), cells[4] == "reserved", "{line}");
        rows += 1;
    }
    assert_eq!(rows, (0..1000).filter(|kind| section_kind_name(*kind).is_some()).count());
}

#[test]
fn every_error_id_is_in_the_document() {
    let document = document();
    let source = include_str!("../src/error.rs");
    let (_, ids) = source.split_once("fn id(&self)").unwrap();
    let (ids, _) = ids.split_once("fn help(&self)").unwrap();
    let mut seen = BTreeSet::new();
    for id in ids.split('"').skip(1).step_by(2) {
        assert!(document.contains(&format!("`{id}`")), "{id} is not in docs/FORMAT.md");
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{id}");
        assert!(seen.insert(id), "{id} is used twice");
    }
    assert!(seen.len() > 40, "{seen:?}");
}
