//! Every sample and every corpus model: bounds hold, the stated error is a bound, the bytes are always the same.

use anim_bake::measure::measure;
use anim_bake::{BakeSettings, Baked, bake_import};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::model::{AnimFile, Encoding};
use anim_format::playback::{palette_of_track, posed_vertices};
use anim_tests::models;

/// Rows, and both contents in one file.
const CONTENTS: [&[Encoding]; 2] = [&[Encoding::Affine16], &[Encoding::Affine32, Encoding::Local8]];

/// Models of all kinds, imported and baked with default settings but for what the file holds.
fn for_every_model(mut check: impl FnMut(&str, &anim_bake::gltf::Import, &BakeSettings, &Baked)) {
    let mut models = models::samples();
    models.extend(models::corpus().into_iter().filter(|path| !models::is_refused(path)));
    let mut checked = 0;
    for path in models {
        let import = models::import(&path);
        for encodings in CONTENTS {
            let settings = BakeSettings { encodings: encodings.to_vec(), ..BakeSettings::default() };
            let baked =
                bake_import(&import, &settings).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            check(&format!("{} {encodings:?}", path.display()), &import, &settings, &baked);
        }
        checked += 1;
    }
    assert!(checked >= 3);
}

#[test]
fn bounds_hold_every_vertex_at_and_between_all_frames() {
    for_every_model(|name, _, _, Baked { file, .. }| {
        let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
        for (clip, track) in
            file.clips.iter().flat_map(|clip| clip.tracks.iter().map(move |track| (clip, track)))
        {
            let intervals = track.intervals;
            let steps = (4 * intervals).clamp(1, 60);
            for step in 0..=steps {
                let time = f64::from(clip.duration_seconds) * f64::from(step) / f64::from(steps);
                palette_of_track(file, clip, track, time, &mut palette);
                for part in &file.parts {
                    let stride = (part.vertex_count / 300).max(1) as usize;
                    for vertex in posed_vertices(file, part, &palette, (0..part.vertex_count).step_by(stride))
                    {
                        for bounds in [&clip.bounds, &part.bounds] {
                            for (i, v) in vertex.position.into_iter().enumerate() {
                                assert!(
                                    bounds.box_min[i] <= v && v <= bounds.box_max[i],
                                    "{name} {} at {time}: {:?} outside {bounds:?}",
                                    clip.name,
                                    vertex.position
                                );
                            }
                            let from_center: f32 = (0..3)
                                .map(|i| (vertex.position[i] - bounds.sphere_center[i]).powi(2))
                                .sum::<f32>()
                                .sqrt();
                            assert!(from_center <= bounds.sphere_radius, "{name} {}", clip.name);
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn the_stated_error_is_a_bound_in_practice() {
    let mut problems = Vec::new();
    for_every_model(|name, import, _, Baked { file, .. }| {
        // The exhaustive measurement of the largest files takes minutes; every kind of model is among the others.
        let work: u64 = file.clips.iter().map(|clip| u64::from(clip.tracks[0].frames)).sum::<u64>()
            * file.parts.iter().map(|part| u64::from(part.vertex_count)).sum::<u64>();
        if work > 2_000_000 {
            return;
        }
        let stated = &file.metadata.as_ref().expect("metadata").accuracy;
        let exhaustive = measure(&import.asset, file, true).expect("its own source");
        assert_eq!((stated.len(), exhaustive.len()), (file.page_sets.len(), file.page_sets.len()), "{name}");
        for (exhaustive, stated) in exhaustive.iter().zip(stated) {
            let (found, stated) = (exhaustive.playback.max_metres, stated.playback.max_metres);
            if found > stated * 1.02 + 1e-7 * f64::from(file.extent.model_size_metres) {
                problems.push(format!("{name}: {found} m found, {stated} m stated"));
            }
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_file_survives_writing_and_reading_and_gives_the_same_bytes_again() {
    for_every_model(|name, import, settings, Baked { file, .. }| {
        let bytes = anim_format::write(file, anim_format::Version::V1).expect("a valid file");
        let read: AnimFile<'_> = anim_format::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(&read, file, "{name}");
        assert_eq!(anim_format::write(&read, anim_format::Version::V1).expect("valid"), bytes, "{name}");
        anim_format::check_all_crcs(&bytes).expect("fresh checksums");
        let again = bake_import(import, settings).expect("it baked before");
        assert_eq!(again.file, *file, "{name}: a second bake differs");
    });
}

#[test]
fn thread_count_does_not_change_a_byte() {
    for path in models::samples() {
        let import = models::import(&path);
        let bake = |threads: usize| {
            let encodings = vec![Encoding::Local8, Encoding::Affine16];
            let settings = BakeSettings { encodings, ..BakeSettings::default() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let baked = pool.install(|| bake_import(&import, &settings).expect("a sample"));
            anim_format::write(&baked.file, anim_format::Version::V1).expect("valid")
        };
        let one = bake(1);
        for threads in [2, 8] {
            assert_eq!(bake(threads), one, "{}: {threads} threads", path.display());
        }
    }
}
