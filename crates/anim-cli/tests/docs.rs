//! `docs/CLI.md` is what the program's own help says.

use std::path::Path;

#[test]
fn docs_cli_md_is_the_help_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/CLI.md");
    let expected = anim_cli::help::document();
    if std::env::var_os("ANIM_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).expect("docs/CLI.md");
    assert!(found == expected, "docs/CLI.md is out of date: run cargo xtask bless");
}
