//! Writing, reading and writing again.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_format::{FormatError, Version, check_all_crcs, read, sections, validate, write};
use proptest::prelude::*;

mod support;

#[test]
fn what_was_written_is_read_and_written_again_the_same() {
    for (name, file) in support::golden_models() {
        let bytes = write(&file, Version::V1).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_all_crcs(&bytes).unwrap();
        assert_eq!(again, file, "{name}");
        assert_eq!(write(&again, Version::V1).unwrap(), bytes, "{name}");
        assert_eq!(again.into_owned(), file, "{name}");
    }
}

#[test]
fn local_tracks_records_and_masks_are_read_and_written_again_the_same() {
    use anim_format::model::Encoding;
    let small = [Encoding::Local8, Encoding::Local32].map(support::local::small_local);
    for file in small.into_iter().chain([support::local::local()]) {
        let bytes = write(&file, Version::V1).unwrap_or_else(|error| panic!("{error}"));
        let again = read(&bytes).unwrap();
        assert_eq!(again, file);
        assert_eq!(write(&again, Version::V1).unwrap(), bytes);
        assert_eq!(again.into_owned(), file);
    }
    let bytes = write(&support::local::local(), Version::V1).unwrap();
    let sections = sections(&bytes).unwrap();
    let skippable: Vec<&str> = sections.iter().filter(|s| !s.critical).map(|s| s.kind_name).collect();
    assert_eq!(skippable, ["hashes", "masks", "mask words"]);
    let records = sections.iter().find(|section| section.kind_name == "local records").unwrap();
    assert_eq!((records.critical, records.record_bytes, records.record_count), (true, 16, 12));
}

#[test]
fn a_file_with_nothing_in_it_is_a_file() {
    let bytes = write(&support::empty(), Version::V1).unwrap();
    assert_eq!(read(&bytes).unwrap(), support::empty());
}

#[test]
fn pages_geometry_images_and_names_are_borrowed_at_any_alignment() {
    let bytes = write(&support::character(), Version::V1).unwrap();
    for shift in 0..9 {
        let mut shifted = vec![0xee; shift];
        shifted.extend_from_slice(&bytes);
        let file = read(&shifted[shift..]).unwrap();
        let inside = |part: &[u8]| shifted.as_ptr_range().contains(&part.as_ptr());
        assert!(file.page_sets.iter().flat_map(|set| &set.pages).all(|page| inside(page)));
        let mesh = file.mesh.as_ref().unwrap();
        assert!(inside(&mesh.vertices) && inside(&mesh.indices) && inside(&file.images[0].bytes));
        assert!(inside(file.clips[0].name.as_bytes()));
    }
}

#[test]
fn sections_are_in_the_promised_order() {
    let bytes = write(&support::character(), Version::V1).unwrap();
    let sections = sections(&bytes).unwrap();
    let names: Vec<&str> = sections.iter().map(|section| section.kind_name).collect();
    assert_eq!(
        names,
        [
            "extent",
            "strings",
            "clips",
            "tracks",
            "held frames",
            "page sets",
            "nodes",
            "bones",
            "constant pool",
            "attachments",
            "parts",
            "lods",
            "materials",
            "images",
            "vertex attributes",
            "hashes",
            "metadata",
            "vertices",
            "indices",
            "image bytes",
            "page",
        ]
    );
    assert!(sections.iter().all(|section| section.offset_bytes % 64 == 0));
    let skippable: Vec<&str> = sections.iter().filter(|s| !s.critical).map(|s| s.kind_name).collect();
    assert_eq!(skippable, ["hashes", "metadata"]);
}

#[test]
fn a_file_that_is_not_valid_is_not_written() {
    let mut file = support::character();
    file.clips[1].tracks[0].page = 9;
    file.parts[0].material = 2;
    let problems = validate(&file);
    assert_eq!(write(&file, Version::V1), Err(FormatError::Invalid(problems.clone())));
    assert_eq!(
        problems,
        [
            FormatError::DanglingNumber {
                place: r#"clips[1] "pose".tracks[0].page"#.into(),
                found: 9,
                count: 1
            },
            FormatError::DanglingNumber { place: r#"parts[0] "body".material"#.into(), found: 2, count: 2 },
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_valid_file_is_read_and_written_again_the_same(file in support::arbitrary::anim_file()) {
        let bytes = write(&file, Version::V1).map_err(|error| TestCaseError::fail(format!("{error}")))?;
        let again = read(&bytes).map_err(|error| TestCaseError::fail(format!("{error}")))?;
        prop_assert_eq!(&again, &file);
        prop_assert_eq!(write(&again, Version::V1).unwrap(), bytes);
    }
}
