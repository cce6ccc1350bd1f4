//! Error budgets: kept, as cheap as they can be, refused where they cannot be kept; and what files of a given error weigh.
#![allow(clippy::cast_precision_loss, reason = "sizes of small files")]
#![allow(clippy::print_stdout, reason = "the table of all models, with --nocapture")]

use anim_bake::measure::measure;
use anim_bake::source::{KeyInterpolation, Property};
use anim_bake::{BakeError, BakeSettings, Baked, ErrorBudget, ErrorLimit, bake_import, ids};
use anim_format::Version;
use anim_format::model::{AnimFile, Encoding, Interpolation};
use anim_tests::gltf_builder::GltfBuilder;
use anim_tests::models;
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, Rig};
use serde_json::json;

fn budget(share: f64) -> ErrorBudget {
    ErrorBudget {
        max_error: Some(ErrorLimit::OfModelSize(share)),
        any_encoding: true,
        ..ErrorBudget::default()
    }
}

fn within(encoding: Encoding, budget: ErrorBudget) -> BakeSettings {
    BakeSettings { encodings: vec![encoding], budget: Some(budget), ..BakeSettings::default() }
}

/// The largest playback error of a bake, as a share of the model's size.
fn share(baked: &Baked) -> f64 {
    let accuracy = &baked.file.metadata.as_ref().expect("metadata").accuracy[0];
    accuracy.playback.max_metres / accuracy.model_size_metres.max(f64::MIN_POSITIVE)
}

/// All bytes that the tracks of a file take: pages, records, constants, and the tables that find them.
fn track_bytes(file: &AnimFile<'_>) -> usize {
    const RECORD: usize = 16;
    const TRACK: usize = 64;
    const PAGE_SET: usize = 32;
    let pages: usize = file.page_sets.iter().flat_map(|set| &set.pages).map(|page| page.len()).sum();
    let held: usize = file.clips.iter().flat_map(|clip| &clip.tracks).map(|t| 4 * t.held_frames.len()).sum();
    let tracks: usize = file.clips.iter().map(|clip| clip.tracks.len()).sum();
    pages
        + held
        + RECORD * (file.local_records.len() + file.constant_pool.len())
        + TRACK * tracks
        + PAGE_SET * file.page_sets.len()
}

fn every_model() -> Vec<std::path::PathBuf> {
    let mut models = models::samples();
    models.extend(models::corpus().into_iter().filter(|path| !models::is_refused(path)));
    models
}

#[test]
fn a_budget_is_kept_at_any_time_and_the_next_lower_rate_would_break_it() {
    let mut random = Random(5);
    let rig = Rig { joints: 9, clips: 3, ..Rig::default() };
    let random_rig = rigs::random_rig(&rig, &mut random).bytes();
    let nothing_beside = |uri: &str| Err(std::io::Error::other(uri.to_owned()));
    let random_rig = anim_bake::gltf::import(&random_rig, &nothing_beside, None).expect("a rig");
    let imports = models::samples().into_iter().map(|path| models::import(&path)).chain([random_rig]);
    let mut searched = 0;
    for import in imports {
        for (encoding, limit) in
            [(Encoding::Local8, 0.005), (Encoding::Local8, 0.0005), (Encoding::Affine16, 0.01)]
        {
            let baked =
                bake_import(&import, &within(encoding, budget(limit))).expect("a budget that can be met");
            assert!(share(&baked) <= limit, "{} of {limit}", share(&baked));
            let measured = &measure(&import.asset, &baked.file, true).expect("its source")[0];
            let exhaustive = measured.playback.max_metres / measured.model_size_metres;
            assert!(exhaustive <= limit * 1.02, "{encoding:?}: {exhaustive} of {limit}");
            assert_eq!(baked.choices.len(), baked.file.clips.len());
            for choice in &baked.choices {
                let metres = limit * measured.model_size_metres;
                assert!(choice.max_metres <= metres);
                let track = &baked.file.clips[choice.clip as usize].tracks[0];
                let bound = choice.bound.filter(|bound| bound.rate_hz > 0.0);
                if let Some(bound) = bound {
                    assert!(bound.metres > metres && bound.rate_hz < choice.rate_hz, "{choice:?}");
                    assert!(bound.worst.is_some(), "it says where");
                    searched += 1;
                } else {
                    // At another rate what jumps would jump at another time.
                    let jumps = track.interpolation == Interpolation::Step || !track.held_frames.is_empty();
                    assert!(
                        jumps || track.intervals <= 1 || choice.rate_hz < 2.0,
                        "{choice:?}: no lower rate"
                    );
                }
            }
        }
    }
    assert!(searched > 20, "{searched}");
}

#[test]
fn a_budget_for_normals_is_kept() {
    for path in models::samples() {
        let import = models::import(&path);
        for degrees in [5.0, 0.5] {
            let budget = ErrorBudget { max_normal_degrees: Some(degrees), ..budget(0.02) };
            let baked =
                bake_import(&import, &within(Encoding::Affine16, budget)).expect("it can be met").file;
            let figures = &baked.metadata.as_ref().expect("metadata").accuracy[0].playback;
            assert!(figures.normal_max_degrees <= degrees, "{} of {degrees}", figures.normal_max_degrees);
        }
    }
}

#[test]
fn a_budget_takes_the_cheaper_encoding_while_it_suffices() {
    let import = models::import(&models::samples()[0]);
    let encoding_at = |content, share| {
        let baked = bake_import(&import, &within(content, budget(share))).expect("it can be met");
        baked.file.page_sets[0].encoding
    };
    assert_eq!(encoding_at(Encoding::Local32, 0.01), Encoding::Local8);
    assert_eq!(encoding_at(Encoding::Affine32, 0.01), Encoding::Affine16);
    // Chosen by hand, it stays.
    let fixed = ErrorBudget { any_encoding: false, ..budget(0.01) };
    let baked = bake_import(&import, &within(Encoding::Local32, fixed)).expect("it can be met");
    assert_eq!(baked.file.page_sets[0].encoding, Encoding::Local32);
    // Rates of page sets are their own.
    let both = BakeSettings {
        encodings: vec![Encoding::Local8, Encoding::Affine16],
        budget: Some(budget(0.003)),
        ..BakeSettings::default()
    };
    let baked = bake_import(&import, &both).expect("it can be met");
    let accuracy = &baked.file.metadata.as_ref().expect("metadata").accuracy;
    assert!(accuracy.iter().all(|set| set.playback.max_metres <= 0.003 * set.model_size_metres));
    let intervals =
        |set: usize| baked.file.clips.iter().map(move |clip| clip.tracks[set].intervals).collect::<Vec<_>>();
    assert_ne!(intervals(0), intervals(1), "rows need more frames");
    let again = measure(&import.asset, &baked.file, false).expect("its source");
    assert_eq!(&again, accuracy, "a file with two rates is measured as it was baked");
}

#[test]
fn a_budget_that_cannot_be_met_says_what_can() {
    let import = models::import(&models::samples()[0]);
    let Err(BakeError::Problems(problems)) = bake_import(&import, &within(Encoding::Local8, budget(1e-12)))
    else {
        panic!("nothing is that exact")
    };
    let [problem] = &problems[..] else { panic!("one problem for the page set: {problems:?}") };
    assert_eq!(problem.id, ids::BUDGET_MISSED);
    assert!(
        problem.clip.is_some() && problem.found.contains(" Hz in local") && problem.found.contains("bytes")
    );
    for (error, degrees) in
        [(-1.0, 1.0), (0.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, 0.0), (1.0, 181.0)]
    {
        let bad = ErrorBudget {
            max_error: Some(ErrorLimit::Metres(error)),
            max_normal_degrees: Some(degrees),
            any_encoding: false,
        };
        let found = bake_import(&import, &within(Encoding::Local8, bad)).expect_err("out of range");
        assert!(found.diagnostics().iter().all(|d| d.id == ids::SETTING_OUT_OF_RANGE), "{found}");
    }
    let rate = BakeSettings { rate_hz: Some(30.0), ..within(Encoding::Local8, budget(0.01)) };
    assert!(bake_import(&import, &rate).is_err(), "a rate beside a budget");
}

#[test]
fn clips_without_a_rate_and_curves_are_within_the_default_limit_or_a_warning_says_so() {
    let mut checked = 0;
    for path in every_model() {
        let import = models::import(&path);
        let settings = BakeSettings { encodings: vec![Encoding::Local8], ..BakeSettings::default() };
        let baked = bake_import(&import, &settings).expect("a model that bakes");
        let file = &baked.file;
        let accuracy = &file.metadata.as_ref().expect("metadata").accuracy[0];
        for choice in &baked.choices {
            let clip = &file.clips[choice.clip as usize];
            let figures = &accuracy.clips[choice.clip as usize];
            let is_warned = baked.warnings.iter().any(|warning| {
                warning.id == ids::DEFAULT_LIMIT_MISSED && warning.clip.as_deref() == Some(&*clip.name)
            });
            let is_inside = figures.max_metres <= 0.001 * accuracy.model_size_metres;
            assert_ne!(is_inside, is_warned, "{} {:?}: {}", path.display(), clip.name, figures.max_metres);
            checked += 1;
        }
        let curves = import.asset.clips.iter().filter(|clip| {
            let mut moving = clip.channels.iter().filter(|channel| channel.property != Property::Weights);
            moving.any(|channel| channel.interpolation == KeyInterpolation::CubicSpline)
        });
        assert!(
            curves.count() >= baked.choices.len() || file.clips.iter().any(|c| c.source_rate_hz.is_none())
        );
    }
    if !models::corpus().is_empty() {
        assert!(checked >= 10, "{checked}");
    }
}

#[test]
fn a_search_has_one_result_whatever_the_threads() {
    let import = models::import(&models::samples()[0]);
    let settings = BakeSettings {
        encodings: vec![Encoding::Local8, Encoding::Affine16],
        budget: Some(budget(0.002)),
        ..BakeSettings::default()
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let baked = pool.install(|| bake_import(&import, &settings)).expect("it can be met");
        anim_format::write(&baked.file, Version::V1).expect("a valid file")
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn clips_of_no_duration_steps_and_jumps_keep_their_frames() {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[]);
    let node = g.node(None, json!({"name": "leaf", "mesh": mesh}));
    let times: Vec<f32> = (0u8..=8).map(|key| f32::from(key) / 8.0).collect();
    let jumps: Vec<f32> = (0u8..=8).flat_map(|key| [f32::from(key % 3), 0.0, 0.0]).collect();
    let turns: Vec<f32> = (0u8..=8).flat_map(|key| [0.0, f32::from(key) * 0.1, 0.0]).collect();
    g.clip("step", &[(node, "translation", "STEP", &times, &jumps)]);
    g.clip("still", &[(node, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0])]);
    g.clip(
        "mixed",
        &[(node, "scale", "STEP", &times, &[1.0; 27]), (node, "translation", "LINEAR", &times, &turns)],
    );
    let own = rigs::baked(&g, &BakeSettings { encodings: vec![Encoding::Local8], ..BakeSettings::default() });
    let found = rigs::baked(&g, &within(Encoding::Local8, budget(0.01)));
    let intervals =
        |file: &AnimFile<'_>| file.clips.iter().map(|clip| clip.tracks[0].intervals).collect::<Vec<_>>();
    assert_eq!(intervals(&found)[..2], intervals(&own)[..2], "steps keep their times, a moment is one frame");
    assert_eq!(intervals(&found)[2], 1, "a straight line is two frames");
}

#[test]
fn files_of_a_given_error_are_many_times_smaller_than_matrices_at_30_hz() {
    let mut ratios: [Vec<f64>; 3] = Default::default();
    println!("| model | bones | clips | matrices at 30 Hz | default | 0.1 % | 0.5 % | rows, 0.5 % |");
    for path in every_model() {
        let import = models::import(&path);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let joints = import.asset.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
        let plain =
            BakeSettings { encodings: vec![Encoding::Local8], mesh: false, ..BakeSettings::default() };
        let default = bake_import(&import, &plain).expect("a model that bakes").file;
        let seconds: f64 = default.clips.iter().map(|clip| f64::from(clip.duration_seconds)).sum();
        if joints == 0 || seconds == 0.0 {
            continue;
        }
        let matrices = 48.0 * default.bones.len() as f64 * 30.0 * seconds;
        let at = |encoding, share| {
            let settings = BakeSettings { mesh: false, ..within(encoding, budget(share)) };
            bake_import(&import, &settings).ok().map(|baked| track_bytes(&baked.file))
        };
        let found = [Some(track_bytes(&default)), at(Encoding::Local8, 0.001), at(Encoding::Local8, 0.005)];
        let rows = at(Encoding::Affine16, 0.005);
        let times = |bytes: Option<usize>| {
            bytes.map_or_else(|| "-".into(), |b| format!("{:.1} x", matrices / b as f64))
        };
        println!(
            "| {name} | {} | {} | {matrices:.0} B | {} | {} | {} | {} |",
            default.bones.len(),
            default.clips.len(),
            times(found[0]),
            times(found[1]),
            times(found[2]),
            times(rows)
        );
        if let (Some(local), Some(rows)) = (found[2], rows) {
            // A page has at least 64 texels; where those hold the rows, too, the constants are what is more.
            let smallest = 64 * 8 + 32 + 64 * default.clips.len();
            let is_tiny = rows <= smallest && local <= smallest + 256;
            assert!(local <= rows || is_tiny, "{name}: {local} bytes of local tracks, {rows} of rows");
        }
        if joints >= 10 {
            for (ratios, bytes) in ratios.iter_mut().zip(found) {
                ratios.extend(bytes.map(|bytes| matrices / bytes as f64));
            }
        }
    }
    let medians: Vec<f64> = ratios
        .iter_mut()
        .map(|ratios| {
            ratios.sort_by(f64::total_cmp);
            ratios[ratios.len() / 2]
        })
        .collect();
    println!("median of {}: {medians:.1?}", ratios[0].len());
    if !models::corpus().is_empty() {
        assert!(medians[1] >= 8.0 && medians[2] >= 10.0, "{medians:?}");
    }
}
