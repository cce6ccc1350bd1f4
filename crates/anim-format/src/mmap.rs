//! A file on disk as bytes, without reading it. The only `unsafe` of this crate.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::error::FormatError;
use crate::model::AnimFile;

/// A file that is mapped into memory: what is not looked at is not loaded.
///
/// While it is mapped the file must not be changed in place or made shorter by anyone; see the module's source for what
/// happens otherwise. Replacing it by renaming another file onto its name, as `anim bake` does, is safe.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
}

impl MappedFile {
    /// Maps a file.
    ///
    /// # Errors
    ///
    /// [`FormatError::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FormatError> {
        let path = path.as_ref();
        let failed = |error: std::io::Error| FormatError::Io {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        let file = File::open(path).map_err(failed)?;
        let is_file = file.metadata().map_err(failed)?.is_file();
        if !is_file {
            return Err(failed(std::io::Error::other("not a file")));
        }
        // SAFETY: the map is private to this struct, read-only, and lives as long as every slice given out, because
        // `bytes` borrows `self`. `Mmap` keeps the pages mapped without the `File`. What the type system cannot see is
        // other processes: one that writes to the file in place changes bytes behind a `&[u8]`, and one that shortens
        // it makes the system end this process (SIGBUS) at the next access. Callers are told not to let that happen,
        // and the project's own programs only ever replace files by renaming, which leaves the mapped one as it is.
        // Bytes are only read as integers and floats, for which every bit pattern is valid, and `str`s are checked
        // once and then borrowed, so they too rely on the file not being changed.
        #[expect(unsafe_code, reason = "mapping a file cannot be proved safe inside one process; see above")]
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        Ok(Self { map })
    }

    /// The bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Reads the file as [`crate::read`] does; its large parts stay on disk until they are used.
    ///
    /// # Errors
    ///
    /// As [`crate::read`].
    pub fn file(&self) -> Result<AnimFile<'_>, FormatError> {
        crate::read(self.bytes())
    }
}
