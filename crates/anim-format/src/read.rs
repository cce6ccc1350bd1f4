//! Bytes to the model, in the order of checks that the format promises.

use crate::error::FormatError;
use crate::model::AnimFile;
use crate::section::{Section, check_tables, read_section_table};
use crate::validate::validate;
use crate::versions;

/// Reads a file. Names, pages, vertices, indices and images borrow `bytes`, which may be a memory map and need no
/// alignment.
///
/// Checked, in this order: magic, version, length, header and section table with their CRC, CRCs of tables and
/// metadata, structure of tables, then every number that refers to something (this looks at every vertex and index
/// once). Any bytes give a valid file or an error. The CRCs of pages, geometry and images are left to
/// [`check_all_crcs`], so that opening a file costs nothing for each page.
///
/// # Errors
///
/// The first problem of the structure, or [`FormatError::Invalid`] with all problems of references.
pub fn read(bytes: &[u8]) -> Result<AnimFile<'_>, FormatError> {
    let (header, version) = versions::read_known_header(bytes)?;
    let sections = read_section_table(bytes, &header)?;
    check_tables(&sections)?;
    let file = versions::to_model(version, &sections)?;
    let problems = validate(&file);
    if problems.is_empty() { Ok(file) } else { Err(FormatError::Invalid(problems)) }
}

/// Checks the CRCs of all sections, also of those that [`read`] leaves alone and of those that are unknown.
///
/// # Errors
///
/// The first section that is damaged, or any problem of header and section table.
pub fn check_all_crcs(bytes: &[u8]) -> Result<(), FormatError> {
    let (header, _) = versions::read_known_header(bytes)?;
    read_section_table(bytes, &header)?.iter().try_for_each(Section::check_crc)
}
