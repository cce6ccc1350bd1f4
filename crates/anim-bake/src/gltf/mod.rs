//! A glTF document to a [`SourceAsset`]: the only place that knows glTF.

mod accessor;
mod animations;
mod attributes;
mod buffers;
mod container;
mod data_checks;
mod document;
mod elements;
mod extensions;
mod images;
mod layout;
mod links;
mod materials;
mod meshes;
mod nodes;
mod problems;
mod scenes;
mod skins;
mod triangles;
mod uri;
mod usage;

use sha2::{Digest, Sha256};

use self::accessor::Reader;
use self::buffers::Buffers;
use self::problems::Problems;
use crate::diagnostics::{BakeError, Diagnostic};
use crate::source::SourceAsset;

/// Reads an external file that a glTF names: given its relative path (percent-decoded), its bytes.
pub type Resolver<'a> = dyn Fn(&str) -> std::io::Result<Vec<u8>> + Sync + 'a;

/// A model that was read, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Import {
    /// The model.
    pub asset: SourceAsset,
    /// Warnings, in file order.
    pub warnings: Vec<Diagnostic>,
    /// SHA-256 of the model's bytes followed by its external buffers in order of first use.
    pub source_sha256: [u8; 32],
}

/// Reads a `.glb` or `.gltf` from memory.
///
/// `scene` chooses a scene by number or name; `None` takes the file's default scene, else its first, else all root
/// nodes. `resolver` is asked for external buffers and for base-colour images, in no guaranteed order; a missing image
/// is a warning.
///
/// Memory is bounded by the input: at most 64 MiB and 16 times the size of all files beyond what the tables of the
/// document themselves take.
///
/// # Errors
///
/// Every problem of the file at once, up to a thousand errors and a thousand warnings.
pub fn import(bytes: &[u8], resolver: &Resolver<'_>, scene: Option<&str>) -> Result<Import, BakeError> {
    let mut problems = Problems::default();
    let opened = container::open(bytes, &mut problems)
        .and_then(|container| Ok((document::read(container.json, &mut problems)?, container.binary)));
    let Ok((document, binary)) = opened else { return Err(BakeError::Problems(problems.finish().0)) };
    document.check_version(&mut problems);
    extensions::check_required(&document, &mut problems);
    // What an unknown version or extension means is unknown: anything said about the rest would be a guess.
    if problems.any_error() {
        return Err(BakeError::Problems(problems.finish().0));
    }

    let buffers = Buffers::read(&document, binary, resolver, &mut problems);
    let external_bytes: u64 = buffers.external().iter().map(|buffer| buffer.len() as u64).sum();
    let mut reader = Reader::new(&document, &buffers, bytes.len() as u64 + external_bytes, &mut problems);
    let mut nodes = nodes::read(&document, &mut problems);
    scenes::choose(&document, scene, &mut nodes, &mut problems);
    let skins = skins::read(&document, &mut reader, &mut problems);
    let (materials, uv_choices) = materials::read(&document, &mut problems);
    let images = images::read(&document, &materials, &buffers, &mut reader, resolver, &mut problems);
    let mut meshes = meshes::read(&document, &uv_choices, &mut reader, &mut problems);
    links::morph_weights(&mut nodes, &meshes, &mut reader, &mut problems);
    links::skins(&mut nodes, &mut meshes, &skins, &mut reader, &mut problems);
    let targets = animations::targets(&nodes, &meshes);
    let clips = animations::read(&document, &targets, &mut reader, &mut problems);

    let (diagnostics, failed) = problems.finish();
    if failed {
        return Err(BakeError::Problems(diagnostics));
    }
    let mut sha256 = Sha256::new();
    sha256.update(bytes);
    for buffer in buffers.external() {
        sha256.update(buffer);
    }
    let asset = SourceAsset {
        nodes: nodes.nodes,
        topological_order: nodes.order,
        skins,
        meshes: meshes.into_iter().map(|mesh| mesh.mesh).collect(),
        clips,
        materials,
        images,
    };
    Ok(Import { asset, warnings: diagnostics, source_sha256: sha256.finalize().into() })
}
