//! Files on disk, mapped into memory.
#![cfg(feature = "mmap")]

use std::fs;

use anim_format::{MappedFile, Version, write};

mod support;

#[test]
fn a_mapped_file_is_read_where_it_lies() {
    let folder = std::env::temp_dir().join(format!("animtex-mapped-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("character.animtex");
    let bytes = write(&support::character(), Version::V1).unwrap();
    fs::write(&path, &bytes).unwrap();
    let mapped = MappedFile::open(&path).unwrap();
    assert!(mapped.bytes() == bytes);
    let file = mapped.file().unwrap();
    assert_eq!(file, support::character());
    assert!(mapped.bytes().as_ptr_range().contains(&file.page_sets[0].pages[0].as_ptr()));

    // Replaced by renaming, as the project's programs do, the mapped file stays what it was.
    fs::write(folder.join("other"), b"something else").unwrap();
    fs::rename(folder.join("other"), &path).unwrap();
    assert_eq!(mapped.file().unwrap(), support::character());

    for (name, expected_id) in
        [("missing", "io"), (".", "io"), ("empty", "file-truncated"), ("character.animtex", "bad-magic")]
    {
        fs::write(folder.join("empty"), b"").unwrap();
        let error =
            MappedFile::open(folder.join(name)).and_then(|mapped| mapped.file().map(|_| ())).unwrap_err();
        assert_eq!(error.id(), expected_id, "{name}: {error}");
        assert!(!error.help().is_empty());
    }
    fs::remove_dir_all(&folder).unwrap();
}
