//! Numbers that refer to nothing: each is found, all of them at once.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use std::borrow::Cow;

use anim_core::local_record::{LOCAL_ANIMATED, LOCAL_MATRIX};
use anim_format::model::*;
use anim_format::{FormatError, PROBLEMS_MAX, Version, validate, write};

mod support;

/// The ids of all problems of `character` after a change.
#[track_caller]
fn check(change: impl FnOnce(&mut AnimFile<'static>), expected: &[&str]) {
    check_file(support::character(), change, expected);
}

/// The ids of all problems of the file with local tracks after a change.
#[track_caller]
fn check_local(change: impl FnOnce(&mut AnimFile<'static>), expected: &[&str]) -> Vec<FormatError> {
    check_file(support::local::local(), change, expected)
}

#[track_caller]
fn check_file(
    mut file: AnimFile<'static>,
    change: impl FnOnce(&mut AnimFile<'static>),
    expected: &[&str],
) -> Vec<FormatError> {
    change(&mut file);
    let problems = validate(&file);
    let found: Vec<&str> = problems.iter().map(FormatError::id).collect();
    assert_eq!(found, expected, "{problems:#?}");
    assert!(problems.iter().all(|problem| !problem.to_string().is_empty()));
    assert_eq!(write(&file, Version::V1).is_err(), !expected.is_empty());
    problems
}

fn track<'f>(file: &'f mut AnimFile<'static>) -> &'f mut Track {
    &mut file.clips[0].tracks[0]
}

#[test]
fn a_good_file_has_no_problem() {
    check(|_| (), &[]);
}

#[test]
fn nodes_come_after_their_parents_in_order_of_depth() {
    check(|f| f.nodes[1].parent = Some(1), &["parent-not-before"]);
    check(|f| f.nodes[0].parent = Some(3), &["parent-not-before"]);
    check(|f| f.nodes[1].parent = Some(u32::MAX - 1), &["parent-not-before"]);
    check(|f| f.nodes[1].depth = 2, &["value-mismatch", "value-mismatch"]);
    check(|f| f.nodes.push(support::node("late root", None, 0)), &["outside-range"]);
    check(|f| f.nodes[0].rest_rotation = [0.0; 4], &["outside-range"]);
    check(|f| f.nodes[0].rest_rotation = [f32::NAN; 4], &["outside-range"]);
    check(|f| f.nodes[0].rest_scale[1] = f32::INFINITY, &["not-finite"]);
    check(|f| f.nodes[3].rest_matrix_in_pool = Some(2), &["dangling-number"]);
    check(|f| f.nodes[3].rest_matrix_in_pool = Some(u32::MAX - 1), &["dangling-number"]);
    check(|f| f.constant_pool[2][0] = f32::NAN, &["not-finite"]);
}

#[test]
fn bones_and_attachments_belong_together() {
    check(|f| f.bones[2].node = Some(4), &["dangling-number"]);
    check(|f| f.bones[0].node = None, &["repeated"]);
    check(|f| f.bones[0].bone_from_bind[2][3] = f32::NAN, &["not-finite"]);
    check(|f| f.attachments[0].bone = 0, &["bone-of-other-node"]);
    check(|f| f.attachments[0].bone = 3, &["dangling-number"]);
    check(|f| f.attachments[0].node = 9, &["dangling-number", "bone-of-other-node"]);
    check(|f| f.bones[1].bone_from_bind = [[0.0; 4]; 3], &["bone-not-invertible"]);
    check(|f| f.attachments[0].name = Cow::Borrowed(""), &["name-empty"]);
    check(|f| f.attachments.push(f.attachments[0].clone()), &["name-repeated"]);
    check(|f| f.attachments[0].node_from_attachment[0][0] = f32::NAN, &["not-finite"]);
}

#[test]
fn page_sets_have_pages_of_exactly_their_size_inside_the_limits() {
    check(|f| f.page_sets[0].encoding = Encoding::Affine16, &["page-set-mixed"]);
    check(|f| f.page_sets[0].encoding = Encoding::Local32, &["page-set-mixed"]);
    check_local(|f| f.page_sets[0].encoding = Encoding::Affine16, &["page-set-mixed"]);
    check_local(
        |f| f.page_sets[1].encoding = Encoding::Local8,
        &["page-set-mixed", "value-mismatch", "value-mismatch"],
    );
    check(|f| f.page_sets[0].pages[0].to_mut().truncate(99), &["value-mismatch"]);
    check(|f| f.page_sets[0].pages[0].to_mut().push(0), &["value-mismatch"]);
    check(|f| f.page_sets[0].width = 96, &["outside-range", "value-mismatch"]);
    check(|f| f.page_sets[0].width = 8192, &["outside-range", "value-mismatch"]);
    check(
        |f| f.page_sets[0].width = 0,
        &["outside-range", "value-mismatch", "track-outside-page", "track-outside-page"],
    );
    check(|f| f.page_sets[0].height = 16_385, &["outside-range", "value-mismatch"]);
    check(
        |f| (f.page_sets[0].width, f.page_sets[0].height) = (4096, 4096),
        &["outside-range", "value-mismatch"],
    );
    let page = support::character().page_sets[0].pages[0].clone();
    check(|f| f.page_sets[0].pages = vec![page; 256], &["outside-range"]);
    check(|f| f.page_sets[0].pages.clear(), &["outside-range", "dangling-number", "dangling-number"]);
}

#[test]
fn tracks_lie_inside_their_pages() {
    check(|f| track(f).page = 1, &["dangling-number"]);
    check(|f| track(f).page_set = 1, &["dangling-number"]);
    check(|f| track(f).first_texel = 64 * 6, &["track-outside-page"]);
    check(|f| track(f).first_texel = u32::MAX, &["track-outside-page"]);
    check(|f| track(f).intervals = 33, &["value-mismatch"]);
    check(
        |f| (track(f).frames, track(f).intervals) = (u32::MAX, u32::MAX - 1),
        &["value-mismatch", "value-mismatch"],
    );
    check(
        |f| (track(f).frames, track(f).intervals) = (0, u32::MAX),
        &["outside-range", "value-mismatch", "value-mismatch", "value-mismatch"],
    );
    check(|f| track(f).stored_frames = 36, &["value-mismatch", "track-overlap"]);
    check(|f| track(f).stored_frames = u32::MAX, &["value-mismatch", "track-outside-page", "track-overlap"]);
    check(|f| track(f).stored_frames = 34, &["value-mismatch"]);
    check(|f| track(f).first_record = Some(0), &["records-unexpected"]);
    check(|f| f.clips[1].tracks[0].first_texel = 314, &["track-overlap"]);
    check(|f| track(f).elements_per_frame = 2, &["value-mismatch"]);
    check(|f| track(f).texels_per_element = 2, &["value-mismatch"]);
    check(|f| track(f).header_texels = 1, &["value-mismatch", "track-overlap"]);
    check(|f| track(f).held_frames.push(0), &["value-mismatch"]);
    check(|f| track(f).held_frames[1] |= 1 << 3, &["value-mismatch"]);
    check(|f| track(f).held_frames.clear(), &[]);
    let twice = support::character().clips[0].tracks[0].clone();
    check(|f| f.clips[0].tracks.push(twice), &["outside-range"]);
    check(|f| f.clips[0].tracks.clear(), &["track-missing"]);
}

#[test]
fn clips_have_names_finite_times_and_bounds() {
    check(|f| f.clips[1].name = Cow::Borrowed("walk"), &["name-repeated"]);
    check(|f| f.clips[1].name = Cow::Borrowed(""), &["name-empty"]);
    check(|f| f.clips[0].duration_seconds = f32::NAN, &["outside-range"]);
    check(|f| f.clips[0].duration_seconds = -1.0, &["outside-range"]);
    check(|f| f.clips[0].duration_seconds = 0.0, &["value-mismatch"]);
    check(|f| f.clips[1].duration_seconds = 1.0, &["outside-range"]);
    check(|f| f.clips[0].start_seconds = f32::INFINITY, &["not-finite"]);
    check(|f| f.clips[0].source_rate_hz = Some(0.0), &["outside-range"]);
    check(|f| f.clips[0].loop_gap_metres = f32::NAN, &["outside-range"]);
    check(|f| f.clips[0].bounds.box_min[2] = 2.0, &["box-inverted"]);
    check(|f| f.clips[0].bounds.box_max[2] = f32::INFINITY, &["not-finite"]);
    check(|f| f.clips[0].bounds.sphere_radius = -0.5, &["outside-range"]);
    check(|f| f.extent.model_size_metres = f32::NAN, &["outside-range"]);
}

#[test]
fn parts_name_their_material_vertices_and_indices() {
    check(|f| f.parts[0].material = 2, &["dangling-number"]);
    check(|f| f.materials[0].image = Some(1), &["dangling-number"]);
    check(|f| f.materials[0].alpha = Alpha::Mask { cutoff: f32::NAN }, &["outside-range"]);
    check(|f| f.parts[1].vertex_count = 4, &["bad-range"]);
    check(|f| f.parts[1].first_vertex = u32::MAX, &["bad-range"]);
    check(|f| f.parts[1].source_vertex_count = 4, &["outside-range"]);
    check(|f| f.parts[1].lods.clear(), &["outside-range"]);
    check(|f| f.parts[0].lods[0].first_index = 6, &["bad-range"]);
    check(|f| f.parts[0].lods[0].first_index = u32::MAX, &["bad-range"]);
    check(|f| f.parts[0].lods[0].index_count = 5, &["outside-range"]);
    check(|f| f.parts[0].lods[0].index_count = 9, &["outside-range"]);
    check(|f| f.parts[0].lods[0].first_index = 3, &["index-outside"]);
    check(|f| f.hashes.push(f.hashes[0]), &["repeated"]);
}

#[test]
fn every_index_and_every_vertex_is_looked_at() {
    let mesh = |f: &mut AnimFile<'static>, change: fn(&mut Mesh<'static>)| change(f.mesh.as_mut().unwrap());
    for index in 0..9 {
        check(|f| f.mesh.as_mut().unwrap().indices.to_mut()[index * 4 + 3] = 0x80, &["index-outside"]);
    }
    for vertex in 0..7 {
        for bone in 0..4 {
            check(
                |f| f.mesh.as_mut().unwrap().vertices.to_mut()[vertex * 44 + 20 + bone * 2] = 3,
                &["vertex-bone-outside"],
            );
        }
        check(
            |f| f.mesh.as_mut().unwrap().vertices.to_mut()[vertex * 44 + 40..][..4].fill(0xff),
            &["vertex-not-finite"],
        );
    }
    check(|f| mesh(f, |m| m.attributes.truncate(3)), &["attribute-missing"]);
    check(
        |f| {
            mesh(f, |m| m.attributes[3] = VertexAttribute { semantic: VertexSemantic::Uv, ..m.attributes[3] })
        },
        &["repeated"],
    );
    check(|f| mesh(f, |m| m.attributes[3].offset_bytes = 32), &["outside-range"]);
    check(|f| mesh(f, |m| m.attributes[1].offset_bytes = 8), &["outside-range"]);
    check(
        |f| mesh(f, |m| m.attributes[1].offset_bytes = u32::MAX),
        &["outside-range", "outside-range", "outside-range"],
    );
    check(
        |f| mesh(f, |m| m.stride_bytes = 0),
        &["outside-range", "outside-range", "outside-range", "outside-range", "outside-range"],
    );
    check(|f| mesh(f, |m| m.vertices.to_mut().truncate(50)), &["value-mismatch"]);
    check(|f| mesh(f, |m| m.indices.to_mut().truncate(35)), &["value-mismatch"]);
}

/// A record of the first clip's `Local8` track.
fn record<'f>(file: &'f mut AnimFile<'static>, node: usize) -> &'f mut LocalRecord {
    let first = track(file).first_record.unwrap() as usize;
    &mut file.local_records[first + node]
}

#[test]
fn local_records_name_slots_and_constants_that_exist() {
    check_local(|_| (), &[]);
    let shape = support::local::local();
    let (walk, pool) = (&shape.clips[0].tracks[0], shape.constant_pool.len() as u32);
    assert_eq!((walk.frames, walk.stored_frames, walk.header_texels), (8, 4, 4));
    let elements = walk.elements_per_frame;
    assert_eq!(elements, 5, "two rotations, two translations, a scale");
    assert_eq!(shape.local_records.len(), 3 * 4, "walk in two encodings, and what does not move");

    let slot = |number: u32| LOCAL_ANIMATED | number;
    // Two clips share the run: the slot is outside in both.
    let problems = check_local(|f| record(f, 1).rotation = slot(elements), &["dangling-number"; 2]);
    assert_eq!(
        problems[0],
        FormatError::DanglingNumber {
            place: r#"clips[0] "walk".tracks[0].nodes[1] "arm".rotation (slot)"#.into(),
            found: elements.into(),
            count: elements.into(),
        }
    );
    check_local(|f| record(f, 0).translation = slot(u32::MAX >> 1), &["dangling-number"; 2]);
    check_local(|f| record(f, 2).scale = slot(99), &["dangling-number"; 2]);
    check_local(|f| record(f, 1).rotation = slot(LOCAL_MATRIX), &["dangling-number"; 2]);
    check_local(|f| record(f, 1).rotation = slot(0), &[]);
    // Constants.
    check_local(|f| record(f, 0).rotation = pool, &["dangling-number"]);
    check_local(|f| record(f, 1).translation = pool, &["dangling-number"]);
    check_local(|f| record(f, 1).scale = LOCAL_MATRIX, &["dangling-number"]);
    check_local(|f| record(f, 0).rotation = 1, &["outside-range"]);
    check_local(
        |f| {
            let entry = record(f, 1).translation as usize;
            f.constant_pool[entry][1] = f32::NAN;
        },
        &["not-finite"; 3],
    );
    check_local(
        |f| {
            let entry = record(f, 1).translation as usize;
            f.constant_pool[entry][1] = 2e38;
        },
        &["outside-range"; 3],
    );
    // A sheared node.
    check_local(|f| record(f, 3).rotation = LOCAL_MATRIX | (pool - 3), &[]);
    let problems = check_local(|f| record(f, 3).rotation = LOCAL_MATRIX | (pool - 2), &["dangling-number"]);
    assert_eq!(
        problems[0].to_string(),
        format!(
            r#"clips[0] "walk".tracks[0].nodes[3].rotation (matrix) + 2 is {pool}, but there are only {pool}"#
        )
    );
    check_local(|f| record(f, 3).translation = slot(0), &["value-mismatch"]);
    // Ranges.
    check_local(|f| record(f, 2).ranges = pool - 1, &["dangling-number"]);
    check_local(|f| record(f, 0).ranges = u32::MAX, &["dangling-number"]);
    check_local(|f| record(f, 1).ranges = u32::MAX, &[]);
    for extent in [-1e-9, 3e38] {
        check_local(
            |f| {
                let entry = record(f, 0).ranges as usize;
                f.constant_pool[entry][3] = extent;
            },
            &["outside-range"],
        );
    }
    check_local(
        |f| {
            let entry = record(f, 2).ranges as usize + 1;
            f.constant_pool[entry][3] = f32::INFINITY;
        },
        &["not-finite"],
    );
    check_local(
        |f| {
            let entry = record(f, 2).ranges as usize + 1;
            f.constant_pool[entry][0] = -2e38;
        },
        &["outside-range"],
    );
    // In `Local32` nothing reads them.
    let walk32 = shape.clips[0].tracks[1].first_record.unwrap() as usize;
    check_local(|f| f.local_records[walk32].ranges = u32::MAX, &[]);
}

#[test]
fn local_tracks_name_runs_of_one_record_a_node() {
    check_local(|f| track(f).first_record = None, &["records-missing"]);
    check_local(|f| track(f).first_record = Some(1), &["outside-range"]);
    check_local(|f| track(f).first_record = Some(12), &["dangling-number"]);
    check_local(|f| track(f).first_record = Some(u32::MAX - 3), &["dangling-number"]);
    check_local(|f| f.local_records.truncate(11), &["value-mismatch", "dangling-number", "dangling-number"]);
    check_local(|f| f.local_records.clear(), &["dangling-number"; 8]);
    // A file without nodes has no records, and its tracks start at 0.
    let no_nodes = || AnimFile {
        nodes: vec![],
        bones: vec![],
        attachments: vec![],
        parts: vec![],
        mesh: None,
        masks: vec![],
        local_records: vec![],
        ..support::local::local()
    };
    let at = |first: u32| {
        let mut file = no_nodes();
        file.clips.iter_mut().flat_map(|c| &mut c.tracks).for_each(|track| track.first_record = Some(first));
        file
    };
    check_file(at(0), |_| (), &[]);
    check_file(at(4), |_| (), &["outside-range"; 8]);
    check_file(at(0), |f| f.local_records.push(LocalRecord::default()), &["value-mismatch"]);
}

#[test]
fn frame_tables_name_frames_that_are_stored() {
    check_local(|f| track(f).header_texels = 3, &["value-mismatch", "track-overlap"]);
    check_local(
        |f| track(f).header_texels = u32::MAX,
        &["value-mismatch", "track-outside-page", "track-overlap"],
    );
    check_local(|f| track(f).header_texels = 0, &["value-mismatch", "track-overlap"]);
    check_local(|f| track(f).stored_frames = 0, &["outside-range", "dangling-number", "track-overlap"]);
    check_local(|f| track(f).stored_frames = 9, &["outside-range", "track-overlap"]);
    check_local(|f| track(f).texels_per_element = 2, &["value-mismatch", "track-overlap"]);
    // The table of a lone clip.
    let lone = || {
        let mut file = support::local::local();
        file.clips.truncate(1);
        file
    };
    check_file(lone(), |_| (), &[]);
    check_file(lone(), |f| track(f).stored_frames = 3, &["dangling-number"]);
    let entry = |frame: usize, byte: u8| {
        let mut file = lone();
        let at = track(&mut file).first_texel as usize * 8 + frame * 4;
        file.page_sets[0].pages[0].to_mut()[at] = byte;
        file
    };
    check_file(entry(0, 3), |_| (), &[]);
    let problems = check_file(entry(7, 4), |_| (), &["dangling-number"]);
    assert_eq!(
        problems[0],
        FormatError::DanglingNumber {
            place: r#"clips[0] "walk".tracks[0].frame_table[7]"#.into(),
            found: 4,
            count: 4
        }
    );
    check_file(lone(), |f| f.page_sets[0].pages[0].to_mut().truncate(9), &["value-mismatch"]);
    // A clip in which nothing moves owns nothing and may start anywhere in its page.
    check_local(|f| f.clips[2].tracks[0].first_texel = 3, &[]);
    check_local(|f| f.clips[2].tracks[0].first_texel = 64, &[]);
    check_local(|f| f.clips[2].tracks[0].first_texel = 65, &["track-outside-page"]);
}

#[test]
fn masks_have_names_and_a_bit_for_each_node() {
    check_local(|f| f.masks[0].name = Cow::Borrowed(""), &["name-empty"]);
    check_local(|f| f.masks[1].name = Cow::Borrowed("upper"), &["name-repeated"]);
    check_local(|f| f.masks[0].words.push(0), &["value-mismatch"]);
    check_local(|f| f.masks[0].words.clear(), &["value-mismatch"]);
    check_local(|f| f.masks[0].words[0] |= 1 << 4, &["value-mismatch"]);
    check_local(|f| f.masks[0].words[0] = 0, &[]);
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        check_local(|f| f.extent.fade_overshoot_metres = bad, &["outside-range"]);
    }
}

#[test]
fn metadata_names_records_that_exist() {
    let accuracy = |f: &mut AnimFile<'static>, change: fn(&mut Accuracy)| {
        change(&mut f.metadata.as_mut().unwrap().accuracy[0]);
    };
    check(|f| f.metadata.as_mut().unwrap().accuracy.clear(), &[]);
    check(
        |f| {
            let reports = &mut f.metadata.as_mut().unwrap().accuracy;
            reports.push(reports[0].clone());
        },
        &["value-mismatch"],
    );
    check(|f| accuracy(f, |a| a.clips.clear()), &[]);
    check(|f| accuracy(f, |a| a.clips.truncate(1)), &["value-mismatch"]);
    check(|f| accuracy(f, |a| a.playback.worst.as_mut().unwrap().clip = 2), &["dangling-number"]);
    check(|f| accuracy(f, |a| a.clips[0].worst.as_mut().unwrap().part = 7), &["dangling-number"]);
}

#[test]
fn all_problems_come_at_once_up_to_a_limit() {
    check(
        |f| {
            f.nodes[1].parent = Some(5);
            f.clips[0].duration_seconds = f32::NAN;
            f.clips[1].tracks[0].page = 3;
            f.materials[0].image = Some(2);
        },
        &["parent-not-before", "outside-range", "dangling-number", "dangling-number"],
    );
    let mut file = support::character();
    file.nodes.extend((0..1000).map(|_| support::node("", Some(9999), 3)));
    assert_eq!(validate(&file).len(), PROBLEMS_MAX);
}
