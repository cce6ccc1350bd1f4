//! Parts, materials, images and hashes.

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{Alpha, AnimFile, HashOf, Material, Part};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    for (number, part) in file.parts.iter().enumerate() {
        check_part(file, part, Place { table: "parts", number, name: &part.name }, problems);
    }
    for (number, material) in file.materials.iter().enumerate() {
        let place = Place { table: "materials", number, name: &material.name };
        check_material(file, material, place, problems);
    }
    for of in [HashOf::Source, HashOf::Settings, HashOf::Topology] {
        let count = file.hashes.iter().filter(|hash| hash.of == of).count();
        problems.expect(count <= 1, || FormatError::Repeated { place: alloc::format!("the hash of {of:?}") });
    }
}

fn check_part(file: &AnimFile<'_>, part: &Part<'_>, place: Place<'_>, problems: &mut Problems) {
    problems.number(format_args!("{place}.material"), part.material.into(), file.materials.len());
    problems.bounds(place, &part.bounds);
    problems.in_range(
        format_args!("{place}.source_vertex_count"),
        part.source_vertex_count <= part.vertex_count,
        part.source_vertex_count.into(),
        "at most the part's vertex_count",
    );
    problems.in_range(format_args!("{place}.lods"), !part.lods.is_empty(), 0.0, "at least one");
    for (number, lod) in part.lods.iter().enumerate() {
        problems.finite(format_args!("{place}.lods[{number}].threshold"), &[lod.threshold]);
        problems.in_range(
            format_args!("{place}.lods[{number}].index_count"),
            lod.index_count.is_multiple_of(3),
            lod.index_count.into(),
            "a multiple of 3",
        );
    }
}

fn check_material(file: &AnimFile<'_>, material: &Material<'_>, place: Place<'_>, problems: &mut Problems) {
    problems.finite(format_args!("{place}.base_color"), &material.base_color);
    if let Some(image) = material.image {
        problems.number(format_args!("{place}.image"), image.into(), file.images.len());
    }
    if let Alpha::Mask { cutoff } = material.alpha {
        problems.not_negative(format_args!("{place}.alpha cutoff"), cutoff);
    }
}
