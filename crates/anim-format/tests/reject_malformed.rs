//! Bytes that are no valid file: each is refused with the error that says why, and nothing panics.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_format::model::{AnimFile, Clip, LocalRecord};
use anim_format::playback::{LocalPlayer, local_track};
use anim_format::{FileVersion, FormatError, Version, check_all_crcs, peek_version, read, sections, write};
use proptest::prelude::*;
use support::bytes::{RawFile, RawSection, seal, seal_header, u32_at, u64_at};

mod support;

fn minimal() -> Vec<u8> {
    write(&support::minimal(), Version::V1).unwrap()
}

fn character() -> Vec<u8> {
    write(&support::character(), Version::V1).unwrap()
}

fn local() -> Vec<u8> {
    write(&support::local::local(), Version::V1).unwrap()
}

/// `character` after a change of its sections, put together again with everything else right.
fn changed(change: impl FnOnce(&mut RawFile)) -> Vec<u8> {
    rebuilt(&character(), change)
}

/// The file with local tracks after a change of its sections.
fn changed_local(change: impl FnOnce(&mut RawFile)) -> Vec<u8> {
    rebuilt(&local(), change)
}

fn rebuilt(bytes: &[u8], change: impl FnOnce(&mut RawFile)) -> Vec<u8> {
    let mut raw = RawFile::parse(bytes);
    change(&mut raw);
    raw.build()
}

/// Reading fails with the error of this id; its message is not empty and it says what to do.
#[track_caller]
fn check(bytes: &[u8], expected_id: &str) -> FormatError {
    let error = read(bytes).expect_err("an error");
    let ids: Vec<&str> = error.problems().iter().map(FormatError::id).collect();
    assert!(ids.contains(&expected_id), "expected {expected_id}, found {ids:?}: {error}");
    assert!(!error.to_string().is_empty() && !error.help().is_empty());
    error
}

/// What a player does with any file that was read: nothing of it may panic.
fn play(bytes: &[u8]) {
    let Ok(file) = read(bytes) else { return };
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    for clip in &file.clips {
        for time in [f64::NAN, -1.0, 0.0, 0.3, f64::from(clip.duration_seconds), f64::INFINITY] {
            for track in &clip.tracks {
                anim_format::playback::palette_of_track(&file, clip, track, time, &mut palette);
            }
        }
        play_local(&file, clip);
    }
    let rest = anim_format::playback::rest_palette(&file);
    assert_eq!(rest.len(), file.bones.len());
    for attachment in 0..=file.attachments.len() {
        let matrix = anim_format::playback::attachment_matrix(&file, attachment, &rest);
        assert_eq!(matrix.is_some(), attachment < file.attachments.len());
    }
    let again = write(&file, Version::V1).expect("what was read can be written");
    // Damaged files may hold NaNs in pages and metadata, so bytes are compared.
    let again_read = read(&again).expect("what was written can be read");
    assert_eq!(write(&again_read, Version::V1).unwrap(), again);
}

/// What a game asks of local tracks. Whatever the bytes of a page are, a moving rotation is one.
fn play_local(file: &AnimFile<'_>, clip: &Clip<'_>) {
    let player = LocalPlayer::new(file);
    let Ok(pose) = player.at(clip, 0.3) else {
        assert!(local_track(file, clip).is_none());
        return;
    };
    assert!(player.at_frame(clip, local_track(file, clip).unwrap().0.frames).is_err());
    for node in 0..file.nodes.len() {
        pose.node(node as u32).unwrap();
    }
    for attachment in 0..file.attachments.len() {
        pose.attachment(attachment as u32).unwrap();
    }
    assert!(pose.node(file.nodes.len() as u32).is_err());
    assert!(pose.attachment(file.attachments.len() as u32).is_err());
}

#[test]
fn every_shorter_length_is_refused() {
    for bytes in [minimal(), character(), local()] {
        for length in 0..bytes.len() {
            let error = check(&bytes[..length], "file-truncated");
            assert!(
                matches!(error, FormatError::FileTruncated { found_bytes, .. } if found_bytes == length as u64)
            );
            assert!(sections(&bytes[..length]).is_err() && check_all_crcs(&bytes[..length]).is_err());
        }
    }
}

#[test]
fn every_flipped_byte_is_found_and_those_of_header_and_tables_on_opening() {
    for bytes in [minimal(), character(), local()] {
        let bulk = sections(&bytes).unwrap().into_iter().find(|section| section.kind >= 128).unwrap();
        let mut flips = 0;
        for at in 0..bytes.len() {
            for bit in [0x01, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[at] ^= bit;
                assert!(check_all_crcs(&flipped).is_err(), "byte {at} ^ {bit:02x}");
                if at < bulk.offset_bytes as usize {
                    assert!(read(&flipped).is_err(), "byte {at} ^ {bit:02x}");
                }
                play(&flipped);
                flips += 1;
            }
        }
        assert_eq!(flips, 3 * bytes.len());
    }
}

#[test]
fn hostile_numbers_in_any_place_never_panic() {
    let bytes = character();
    let bulk = sections(&bytes).unwrap().into_iter().find(|section| section.kind >= 192).unwrap();
    hostile_numbers(&bytes, bulk.offset_bytes);
    // Pages too: frame tables are in them.
    let bytes = local();
    hostile_numbers(&bytes, bytes.len() as u64);
}

fn hostile_numbers(bytes: &[u8], end_bytes: u64) {
    let values =
        [0, 1, 2, 3, 255, 65_536, 0x7f80_0000, 0x7fc0_0000, 0x7fff_ffff, 0x8000_0000, u32::MAX - 2, u32::MAX];
    let (mut accepted, mut refused) = (0, 0);
    for at in (0..bytes.len() - 4).step_by(4).filter(|at| *at < end_bytes as usize) {
        for value in values {
            for sealed in [seal as fn(&mut [u8]), seal_header] {
                let mut hostile = bytes.to_vec();
                hostile[at..at + 4].copy_from_slice(&value.to_le_bytes());
                // The section count itself may now be anything.
                sealed(&mut hostile);
                play(&hostile);
                match read(&hostile) {
                    Ok(_) => accepted += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(accepted > 1000 && refused > 5000, "{accepted} accepted, {refused} refused");
}

#[test]
fn extra_bytes_are_refused() {
    let mut bytes = minimal();
    let length = bytes.len() as u64;
    bytes.push(0);
    let expected = FormatError::ExtraBytes { expected_bytes: length, found_bytes: length + 1 };
    assert_eq!(read(&bytes), Err(expected));
    // A header that counts the extra byte does not help: it belongs to no section.
    bytes[8..16].copy_from_slice(&(length + 1).to_le_bytes());
    seal_header(&mut bytes);
    check(&bytes, "extra-bytes");
}

#[test]
fn wrong_magic_is_refused() {
    assert_eq!(read(b"glTF"), Err(FormatError::BadMagic { found: *b"glTF" }));
    assert_eq!(peek_version(b"{\"asset\""), Err(FormatError::BadMagic { found: *b"{\"as" }));
    check(b"", "file-truncated");
    check(b"ANTX", "file-truncated");
}

#[test]
fn unknown_major_versions_are_refused_and_named() {
    for (major, minor) in [(0, 0), (2, 7), (u16::MAX, 1)] {
        let bytes = changed(|raw| (raw.major, raw.minor) = (major, minor));
        assert_eq!(read(&bytes), Err(FormatError::UnknownVersion { major, minor, known_major: 1 }));
        assert_eq!(peek_version(&bytes), Ok(FileVersion { major, minor }));
    }
}

#[test]
fn a_newer_minor_version_is_read() {
    let bytes = changed(|raw| raw.minor = 9);
    assert_eq!(read(&bytes).unwrap(), support::character());
}

fn unknown_section(kind: u32, flags: u32) -> RawSection {
    RawSection { kind, flags, record_bytes: 0, record_count: 0, owner: 0, number: 0, bytes: vec![1, 2, 3] }
}

#[test]
fn unknown_skippable_sections_are_ignored_and_critical_ones_refused() {
    for kind in [22, 63, 65, 130, 193, 257, u32::MAX] {
        let skippable = changed(|raw| raw.insert(unknown_section(kind, 0)));
        assert_eq!(read(&skippable).unwrap(), support::character(), "kind {kind}");
        let critical = changed(|raw| raw.insert(unknown_section(kind, 1)));
        assert_eq!(read(&critical), Err(FormatError::UnknownCriticalSection { kind }));
        assert!(sections(&critical).unwrap().iter().any(|section| section.kind == kind));
    }
}

#[test]
fn what_is_reserved_needs_a_newer_reader() {
    for kind in [18, 19] {
        check(&changed(|raw| raw.insert(unknown_section(kind, 1))), "needs-newer-reader");
        assert!(read(&changed(|raw| raw.insert(unknown_section(kind, 0)))).is_ok());
    }
    // Content, encoding and texel format of the page set.
    for (at, unknown) in [(0, 4), (4, 7), (8, 4)] {
        let with = |number: u32| {
            changed(|raw| raw.section(6).bytes[at..at + 4].copy_from_slice(&number.to_le_bytes()))
        };
        check(&with(unknown), "unknown-number");
        check(&with(unknown - 1), "page-set-mixed");
    }
}

#[test]
fn reserved_fields_are_zero_unless_the_file_is_newer() {
    // Fields at the end of records of extent, clip (events), track, page set, bone, part, lod, material, image, hash.
    let fields = [
        (1, 56),
        (3, 76),
        (3, 92),
        (4, 52),
        (4, 60),
        (6, 24),
        (8, 12),
        (11, 88),
        (12, 12),
        (13, 28),
        (13, 60),
        (14, 12),
        (16, 4),
    ];
    for (kind, at) in fields {
        let with = |minor| {
            changed(|raw| {
                raw.minor = minor;
                raw.section(kind).bytes[at] = 1;
            })
        };
        check(&with(0), "reserved-not-zero");
        assert!(read(&with(1)).is_ok(), "kind {kind}, byte {at}");
    }
    let flags = changed(|raw| raw.section(11).bytes[84] |= 0x20);
    check(&flags, "reserved-not-zero");
    let header = {
        let mut bytes = minimal();
        bytes[31] = 1;
        seal_header(&mut bytes);
        bytes
    };
    check(&header, "reserved-not-zero");
    check(&changed(|raw| raw.section(3).flags = 3), "reserved-not-zero");
    check(&changed(|raw| raw.section(3).owner = 1), "reserved-not-zero");
}

/// Makes every record of a table so many bytes longer.
fn longer(table: &mut RawSection, grow: i32) {
    let old = table.record_bytes as usize;
    let new = old.checked_add_signed(grow as isize).unwrap();
    let records = table.bytes.chunks_exact(old).flat_map(|record| {
        let mut record = record.to_vec();
        record.resize(new, 0xdd);
        record
    });
    table.bytes = records.collect();
    table.record_bytes = new as u32;
}

#[test]
fn longer_records_are_read_from_newer_minor_versions_only_and_shorter_ones_never() {
    let tables = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    for kind in tables {
        let with = |minor: u16, grow: i32| {
            changed(|raw| {
                raw.minor = minor;
                longer(raw.section(kind), grow);
            })
        };
        assert_eq!(read(&with(1, 12)).unwrap(), support::character(), "kind {kind}");
        check(&with(0, 12), "record-length");
        check(&with(0, -4), "record-length");
        check(&with(1, -4), "record-length");
    }
    for kind in [17, 20, 21] {
        let with = |minor: u16, grow: i32| {
            changed_local(|raw| {
                raw.minor = minor;
                longer(raw.section(kind), grow);
            })
        };
        assert_eq!(read(&with(1, 12)).unwrap(), support::local::local(), "kind {kind}");
        check(&with(0, 12), "record-length");
        check(&with(1, -4), "record-length");
    }
    let zero = changed(|raw| (raw.section(7).record_bytes, raw.section(7).record_count) = (0, 0));
    check(&zero, "record-length");
}

/// `minimal` with a change of one entry of its section table: (entry, change of its 48 bytes).
fn with_entry(entry: usize, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = minimal();
    change(&mut bytes[32 + entry * 48..][..48]);
    seal_header(&mut bytes);
    bytes
}

#[test]
fn sections_that_overlap_leave_gaps_or_leave_the_file_are_refused() {
    let bytes = minimal();
    let offset_of = |entry: usize| u64_at(&bytes, 32 + entry * 48 + 8);
    let set = |entry: usize, at: usize, value: u64| {
        with_entry(entry, |bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()))
    };
    check(&set(2, 8, offset_of(1)), "section-overlap");
    check(&set(1, 8, 0), "section-overlap");
    check(&set(2, 8, offset_of(2) + 64), "section-gap");
    check(&set(2, 8, offset_of(2) + 8), "section-misaligned");
    check(&set(1, 8, 1 << 40), "section-outside-file");
    check(&set(1, 8, u64::MAX - 63), "section-outside-file");
    check(&set(1, 16, u64::MAX), "section-outside-file");
    check(&set(1, 16, bytes.len() as u64), "section-outside-file");
    check(&set(1, 16, 1 << 63), "section-outside-file");
    check(&set(0, 16, u64::MAX), "section-length");
    // The length of the whole file.
    for total in [0, 31, bytes.len() as u64 - 1, u64::MAX] {
        let mut hostile = bytes.clone();
        hostile[8..16].copy_from_slice(&total.to_le_bytes());
        seal_header(&mut hostile);
        check(&hostile, if total > bytes.len() as u64 { "file-truncated" } else { "extra-bytes" });
    }
}

#[test]
fn padding_that_is_not_zero_is_refused() {
    let mut bytes = minimal();
    let names_end = (u64_at(&bytes, 32 + 48 + 8) + u64_at(&bytes, 32 + 48 + 16)) as usize;
    assert_eq!(bytes[names_end], 0);
    bytes[names_end] = 7;
    assert_eq!(read(&bytes), Err(FormatError::PaddingNotZero { offset_bytes: names_end as u64, found: 7 }));
}

#[test]
fn sections_out_of_order_or_twice_or_missing_are_refused() {
    check(&changed(|raw| raw.sections.swap(2, 3)), "section-order");
    check(&changed(|raw| raw.insert(raw.sections[6].clone())), "section-repeated");
    let without = |kind| changed(|raw| raw.sections.retain(|section| section.kind != kind));
    check(&without(1), "section-missing");
    check(&without(2), "bad-range");
    check(&without(4), "bad-range");
    check(&without(5), "bad-range");
    check(&without(6), "section-unexpected");
    check(&without(12), "bad-range");
    check(&without(14), "value-mismatch");
    check(&without(128), "section-unexpected");
    check(&without(129), "section-missing");
    check(&without(192), "bad-range");
    check(&without(256), "section-missing");
    let second_page = RawSection { number: 1, ..RawFile::parse(&character()).section(256).clone() };
    check(&changed(|raw| raw.insert(second_page)), "section-unexpected");
}

#[test]
fn local_records_and_masks_belong_to_something() {
    let without = |kind| changed_local(|raw| raw.sections.retain(|section| section.kind != kind));
    check(&without(17), "dangling-number");
    check(&without(20), "value-mismatch");
    check(&without(21), "bad-range");
    check(&without(9), "dangling-number");
    // Both tables of masks at once, and the names in them: what a program does that knows no masks.
    let none = changed_local(|raw| {
        raw.sections.retain(|section| !(20..=21).contains(&section.kind));
        let names = &mut raw.section(2).bytes;
        names.truncate(names.len() - "upperall".len());
    });
    assert_eq!(read(&none).unwrap(), AnimFile { masks: vec![], ..support::local::local() });
    // In tracks of rows the two numbers are 0.
    check(&changed(|raw| raw.section(4).bytes[44] = 1), "records-unexpected");
    check(&changed(|raw| raw.section(4).bytes[48] = 1), "value-mismatch");
    // And without a frame table the number of stored frames is.
    let whole = changed_local(|raw| raw.section(4).bytes[2 * 64 + 48] = 2);
    check(&whole, "value-mismatch");
}

/// Frame tables and records that many tracks share are looked at once: this takes no time, and would take minutes.
#[test]
fn checking_is_linear_however_much_is_shared() {
    let mut file = support::local::local();
    file.clips.iter_mut().for_each(|clip| clip.tracks.truncate(1));
    file.page_sets.truncate(1);
    let (clips, frames) = (20_000, 60_000u32);
    file.page_sets[0].height = 1000;
    let page = file.page_sets[0].pages[0].to_mut();
    *page = vec![0; 64 * 1000 * 8];
    let (mut walk, node) = (file.clips[0].clone(), file.nodes[3].clone());
    walk.tracks[0].held_frames.clear();
    walk.tracks[0].first_texel = 0;
    walk.tracks[0].header_texels = frames / 2;
    (walk.tracks[0].frames, walk.tracks[0].intervals) = (frames, frames - 1);
    file.clips = (0..clips).map(|number| Clip { name: number.to_string().into(), ..walk.clone() }).collect();
    // Sixty thousand nodes.
    let first = walk.tracks[0].first_record.unwrap() as usize;
    file.local_records = file.local_records[first..first + 4].to_vec();
    file.local_records.resize(60_000, LocalRecord::matrix(1));
    file.nodes.resize(60_000, node);
    file.clips.iter_mut().for_each(|clip| clip.tracks[0].first_record = Some(0));
    file.masks.clear();
    let started = std::time::Instant::now();
    let bytes = write(&file, Version::V1).unwrap();
    assert_eq!(read(&bytes).unwrap().clips.len(), clips);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn counts_of_four_billion_allocate_nothing() {
    let mut bytes = minimal();
    bytes[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    seal_header(&mut bytes);
    check(&bytes, "file-truncated");
    for entry in 0..u32_at(&minimal(), 16) as usize {
        let hostile = with_entry(entry, |bytes| bytes[28..32].fill(0xff));
        check(&hostile, "section-length");
    }
    // A page set of four billion pages, clips with four billion tracks, names of four gigabytes.
    let number = |kind: u32, at: usize| {
        changed(|raw| raw.section(kind).bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes()))
    };
    check(&number(6, 20), "section-missing");
    check(&number(3, 72), "bad-range");
    check(&number(3, 4), "bad-range");
    check(&number(7, 0), "bad-range");
    check(&number(4, 40), "bad-range");
    check(&number(11, 16), "bad-range");
}

#[test]
fn names_that_are_not_utf8_are_refused() {
    let error = check(&changed(|raw| raw.section(2).bytes[3] = 0xff), "not-utf8");
    assert_eq!(error, FormatError::NotUtf8 { offset_bytes: 3 });
    // A name that ends inside a character.
    let names = RawFile::parse(&character()).section(2).bytes.clone();
    let umlaut = names.windows(2).position(|pair| pair == "ä".as_bytes()).unwrap();
    let split = changed(|raw| {
        let stahl = &mut raw.section(13).bytes[64..72];
        let first = u32_at(stahl, 0) as usize;
        stahl[4..8].copy_from_slice(&((umlaut + 1 - first) as u32).to_le_bytes());
    });
    check(&split, "bad-range");
}

#[test]
fn damaged_metadata_is_an_error_and_missing_metadata_is_none() {
    let without = changed(|raw| raw.sections.retain(|section| section.kind != 64));
    assert_eq!(read(&without).unwrap().metadata, None);
    check(&changed(|raw| raw.section(64).bytes.push(0)), "bad-metadata");
    check(&changed(|raw| raw.section(64).bytes[0..8].fill(0xff)), "bad-metadata");
    check(&changed(|raw| raw.section(64).bytes.clear()), "bad-metadata");
    for length in 0..RawFile::parse(&character()).section(64).bytes.len() {
        check(&changed(|raw| raw.section(64).bytes.truncate(length)), "bad-metadata");
    }
}

#[test]
fn damaged_tables_are_found_by_their_checksums() {
    let mut bytes = character();
    let clips = u64_at(&bytes, 32 + 2 * 48 + 8) as usize;
    bytes[clips + 8] ^= 1;
    let error = check(&bytes, "bad-checksum");
    assert!(error.to_string().starts_with("the section \"clips\" is damaged"), "{error}");
    let mut bytes = character();
    bytes[40] ^= 1;
    let error = check(&bytes, "bad-checksum");
    assert!(error.to_string().starts_with("the header with the section table is damaged"), "{error}");
    let mut bytes = character();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(read(&bytes).is_ok(), "pages are not looked at on opening");
    assert_eq!(check_all_crcs(&bytes).unwrap_err().id(), "bad-checksum");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        play(&bytes);
        let mut with_magic = b"ANTX\x01\x00\x00\x00".to_vec();
        with_magic.extend_from_slice(&bytes);
        play(&with_magic);
    }

    #[test]
    fn arbitrary_changes_of_sections_never_panic(
        is_local: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u32>(), 0..7u8), 1..4),
    ) {
        let bytes = rebuilt(&if is_local { local() } else { character() }, |raw| {
            let section_count = raw.sections.len();
            for (section, at, value, what) in changes {
                let section = &mut raw.sections[section.index(section_count)];
                let small = value % 300;
                match what {
                    0 => section.bytes.truncate(small as usize),
                    1 => section.bytes.resize(section.bytes.len() + small as usize, 0),
                    2 => section.record_count = small,
                    3 => section.record_bytes = small,
                    4 => section.bytes.iter_mut().for_each(|byte| *byte = value as u8),
                    _ if section.bytes.len() >= 4 => {
                        let at = at.index(section.bytes.len() - 3);
                        section.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                    }
                    _ => section.kind = small,
                }
            }
        });
        play(&bytes);
    }
}
