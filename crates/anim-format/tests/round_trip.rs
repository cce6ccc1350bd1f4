//! Writing, reading and writing again.

use anim_format::{Version, check_all_crcs, read, write};

mod support;

#[test]
fn what_was_written_is_read_and_written_again_the_same() {
    for (name, file) in support::golden_models() {
        let bytes = write(&file, Version::V1).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_all_crcs(&bytes).unwrap();
        assert_eq!(again, file, "{name}");
        assert_eq!(write(&again, Version::V1).unwrap(), bytes, "{name}");
        assert_eq!(again.into_owned(), file, "{name}");
    }
}
