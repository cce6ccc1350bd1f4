//! Error over time, by node, and against size: what the figures of accuracy are made of.

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anim_bake::gltf::{Import, import};
use anim_bake::measure::{Profiles, TradeRate, trade_off};
use anim_bake::{BakeSettings, bake_import};
use anim_format::model::{AnimFile, Encoding};
use support::Gltf;

const ENCODINGS: [Encoding; 2] = [Encoding::Local8, Encoding::Affine16];

fn sample(name: &str) -> (Import, AnimFile<'static>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    let bytes = std::fs::read(path).expect("a sample");
    baked(import(&bytes, &|_| Err(std::io::Error::other("none")), None).expect("a model"))
}

fn baked(import: Import) -> (Import, AnimFile<'static>) {
    let settings = BakeSettings { encodings: ENCODINGS.to_vec(), ..BakeSettings::default() };
    let file = bake_import(&import, &settings).expect("it bakes").file;
    (import, file)
}

#[test]
fn a_profile_reaches_what_the_file_states_and_no_more() {
    let (import, file) = sample("bird.glb");
    let profiles = Profiles::new(&import.asset, &file).unwrap();
    let accuracy = &file.metadata.as_ref().unwrap().accuracy;
    for (set, report) in accuracy.iter().enumerate() {
        for (clip, figures) in report.clips.iter().enumerate() {
            let profile = profiles.profile(set, clip, figures.worst.as_ref());
            let largest = profile.moments.iter().filter_map(|moment| moment.max_metres).fold(0.0, f64::max);
            let share = largest / figures.max_metres;
            assert!((0.999_999..1.05).contains(&share), "set {set}, clip {clip}: {share}");
            let of_nodes = profile.by_node.iter().flatten().copied().fold(0.0, f64::max);
            assert_eq!(of_nodes, largest, "set {set}, clip {clip}");
            assert!(profile.moments.len() <= 401);
            assert!(profile.moments.is_sorted_by(|a, b| a.seconds < b.seconds));
            assert_eq!(profile.moments.last().unwrap().seconds, f64::from(file.clips[clip].duration_seconds));
        }
    }
}

#[test]
fn matrices_at_thirty_hertz_are_what_rows_at_thirty_hertz_are() {
    let (import, _) = sample("bird.glb");
    let rows =
        BakeSettings { encodings: vec![Encoding::Affine32], rate_hz: Some(30.0), ..BakeSettings::default() };
    let file = bake_import(&import, &rows).unwrap().file;
    let profiles = Profiles::new(&import.asset, &file).unwrap();
    for clip in 0..file.clips.len() {
        for moment in profiles.profile(0, clip, None).moments {
            let (played, matrices) = (moment.max_metres.unwrap(), moment.matrices_metres.unwrap());
            assert!((played - matrices).abs() < 1e-6, "clip {clip}: {moment:?}, {played} and {matrices}");
        }
    }
}

#[test]
fn what_is_not_there_has_an_empty_profile() {
    let (import, file) = baked(Gltf::skinned_triangle().import().unwrap());
    let profiles = Profiles::new(&import.asset, &file).unwrap();
    assert_eq!(profiles.profile(0, 9, None).moments, []);
    assert_eq!(profiles.profile(9, 0, None).moments, []);
    let (other, _) = sample("bird.glb");
    assert!(Profiles::new(&other.asset, &file).is_err());
    assert!(trade_off(&other.asset, &file, &|_, _| ()).is_err());
}

#[test]
fn fewer_frames_are_smaller_and_a_file_is_one_of_the_points() {
    let (import, file) = sample("bird.glb");
    let done = AtomicUsize::new(0);
    let found = trade_off(&import.asset, &file, &|_, total| {
        assert!(done.fetch_add(1, Ordering::Relaxed) < total);
    })
    .unwrap();
    assert_eq!(found, trade_off(&import.asset, &file, &|_, _| ()).unwrap(), "the order of threads shows");
    assert!(!found.rates_left_out);

    let of = |encoding, rate| {
        let mut points = found.points.iter().filter(|p| p.encoding == encoding && p.rate == rate);
        *points.next().unwrap_or_else(|| panic!("{encoding:?} at {rate:?}"))
    };
    for encoding in [Encoding::Local8, Encoding::Local32, Encoding::Affine16, Encoding::Affine32] {
        let (own, half) = (of(encoding, TradeRate::Own(1.0)), of(encoding, TradeRate::Own(0.5)));
        assert!(half.bytes < own.bytes && half.frames < own.frames, "{encoding:?}");
    }
    let rows = (of(Encoding::Affine16, TradeRate::Own(1.0)), of(Encoding::Affine32, TradeRate::Own(1.0)));
    assert!(rows.0.bytes < rows.1.bytes);

    let accuracy = &file.metadata.as_ref().unwrap().accuracy;
    assert_eq!(found.chosen.len(), ENCODINGS.len());
    for ((chosen, encoding), stated) in found.chosen.iter().zip(ENCODINGS).zip(accuracy) {
        let own = of(encoding, TradeRate::Own(1.0));
        assert_eq!((chosen.bytes, chosen.rate), (own.bytes, TradeRate::OfFile));
        assert!((chosen.max_metres / stated.playback.max_metres - 1.0).abs() < 1e-3, "{encoding:?}");
    }
    let matrices = found.matrices.unwrap();
    assert_eq!(matrices.bytes, 48 * file.bones.len() as u64 * matrices.frames);
}
