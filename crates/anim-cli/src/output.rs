//! Writing outputs: whole or not at all. The only file that creates, renames or removes files.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::diagnostics::Problem;

/// Files and folders under temporary names. Whoever holds the lock may create, rename or remove one.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Which existing files may be replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replace {
    /// The first bytes of files that may be.
    pub(crate) magic: &'static [u8],
    /// What such files are called in messages.
    pub(crate) what: &'static str,
    /// Any file may be.
    pub(crate) force: bool,
}

/// Removes temporary files when the program is interrupted or asked to end, and ends it with code 130.
///
/// A program that is killed outright (SIGKILL) leaves its temporary file behind; the old output is intact in any case.
pub(crate) fn remove_unfinished_files_when_interrupted() {
    // An error means that a handler is there already: this is not the first run in this process.
    let _ = ctrlc::set_handler(|| {
        // The lock is kept to the end, so that nothing is created after this.
        let unfinished = unfinished();
        for path in unfinished.iter() {
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
        std::process::exit(130);
    });
}

/// Checks, without changing anything, that a file may be written at `path`.
pub(crate) fn check_file(path: &Path, replace: Replace) -> Result<(), Problem> {
    let name = path.display().to_string();
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return check_parent(path),
        Err(error) => return Err(not_writable(path, &error)),
    };
    if found.is_dir() {
        return Err(Problem::error("output-is-a-folder", name, "the output is a folder")
            .expected_found("a file name", "a folder")
            .help("give the name of a file in it"));
    }
    if !found.is_file() {
        return Err(Problem::error("output-not-a-file", name, "the output is a device or a pipe")
            .expected_found("a regular file", "something else")
            .help("outputs are written beside their place and renamed: give a path in a folder"));
    }
    if replace.force {
        return Ok(());
    }
    let mut start = vec![0; replace.magic.len()];
    let starts_with_magic = File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| start == replace.magic);
    if starts_with_magic {
        return Ok(());
    }
    Err(Problem::error("output-exists", name, "the output exists, and this program did not write it")
        .expected_found(format!("no file, or {}", replace.what), "another file")
        .help("choose another name, or replace it with --force"))
}

/// Writes a file: to a temporary name in its folder, synced and renamed. On any error the old file is still there.
///
/// A symbolic link is followed: the file that it names is replaced.
pub(crate) fn write_file(path: &Path, bytes: &[u8], replace: Replace) -> Result<(), Problem> {
    check_file(path, replace)?;
    replace_file(path, bytes).map_err(|error| not_writable(path, &error))
}

/// Whether two paths name one existing file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// What happens to a folder that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldFolder {
    /// It is replaced as a whole.
    Replaced,
    /// The new files go into it, over files of the same names; all others stay.
    Kept,
}

/// Writes a folder of files; a new folder, or one that is replaced, whole or not at all.
pub(crate) fn write_folder(path: &Path, files: &[(String, &[u8])], old: OldFolder) -> Result<(), Problem> {
    put_folder(path, files, old).map_err(|error| not_writable(path, &error))
}

/// Creates a folder and those above it, unless it is there.
pub(crate) fn create_folder(path: &Path) -> Result<(), Problem> {
    if path.exists() && !path.is_dir() {
        let what = "the output is a file, and has to be a folder";
        return Err(Problem::error("output-not-a-folder", path.display().to_string(), what)
            .expected_found("a folder, or nothing yet", "a file")
            .help("several models go into a folder: give another path with -o"));
    }
    fs::create_dir_all(path).map_err(|error| {
        Problem::error(
            "output-not-writable",
            path.display().to_string(),
            format!("cannot be created: {error}"),
        )
        .help("check the path and its permissions")
    })
}

fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".anim-").suffix(".tmp");
    let old_permissions = fs::metadata(&target).ok().map(|old| old.permissions());
    #[cfg(unix)]
    {
        // What any new file gets: the user's umask takes away from it.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = {
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(folder)?;
        unfinished.insert(file.path().to_owned());
        file
    };
    let temporary = file.path().to_owned();
    let written = (|| {
        file.write_all(bytes)?;
        if let Some(permissions) = old_permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()
    })();
    let mut unfinished = unfinished();
    // Dropping the file without renaming it removes it.
    let renamed = written.and_then(|()| file.persist(&target).map_err(|error| error.error));
    unfinished.remove(&temporary);
    drop(unfinished);
    sync_folder(folder);
    renamed.map(drop)
}

fn put_folder(path: &Path, files: &[(String, &[u8])], old: OldFolder) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let parent = match old {
        OldFolder::Replaced => folder_of(&target),
        OldFolder::Kept => &target,
    };
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".anim-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let folder = {
        let mut unfinished = unfinished();
        let folder = builder.tempdir_in(parent)?;
        unfinished.insert(folder.path().to_owned());
        folder
    };
    let temporary = folder.path().to_owned();
    let written = (|| {
        for (name, bytes) in files {
            let mut file = File::create_new(temporary.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        Ok(())
    })();
    let mut unfinished = unfinished();
    let renamed = written.and_then(|()| match old {
        OldFolder::Replaced => swap_folders(&temporary, &target, parent, &builder),
        // The first file describes the others, so it comes last.
        OldFolder::Kept => {
            files.iter().rev().try_for_each(|(name, _)| fs::rename(temporary.join(name), target.join(name)))
        }
    });
    // Dropping the folder without renaming it removes it with all that is in it.
    drop(folder);
    unfinished.remove(&temporary);
    drop(unfinished);
    sync_folder(parent);
    renamed
}

/// Puts a finished folder in its place. A folder cannot be renamed over one that is not empty: the old one steps aside.
fn swap_folders(
    new: &Path,
    target: &Path,
    parent: &Path,
    builder: &tempfile::Builder<'_, '_>,
) -> io::Result<()> {
    if !target.exists() {
        return fs::rename(new, target);
    }
    let old = builder.tempdir_in(parent)?;
    let aside = old.path().join("old");
    fs::rename(target, &aside)?;
    fs::rename(new, target).inspect_err(|_| {
        let _ = fs::rename(&aside, target);
    })
}

fn check_parent(path: &Path) -> Result<(), Problem> {
    let folder = folder_of(path);
    if folder.is_dir() {
        return Ok(());
    }
    let what = format!("there is no folder {}", folder.display());
    Err(Problem::error("output-not-writable", path.display().to_string(), what)
        .help("create the folder first"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the new name itself safe against a power loss, where the system can.
fn sync_folder(folder: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

fn not_writable(path: &Path, error: &io::Error) -> Problem {
    Problem::error(
        "output-not-writable",
        path.display().to_string(),
        format!("cannot be written: {}", short(error)),
    )
    .help("check the path, its permissions and the space on its disk; what was there before is unchanged")
}

/// The error without the temporary path that `tempfile` adds, which nobody asked for.
fn short(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" at path ").next().unwrap_or(&text).to_owned()
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTX: Replace = Replace { magic: b"ANTX", what: "an .animtex file", force: false };

    #[test]
    fn only_files_of_our_own_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.animtex");
        write_file(&path, b"ANTX1", ANTX).unwrap();
        write_file(&path, b"ANTX2", ANTX).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ANTX2");
        for foreign in [&b"AN"[..], b"", b"glTF...."] {
            fs::write(&path, foreign).unwrap();
            assert_eq!(write_file(&path, b"ANTX3", ANTX).unwrap_err().id(), "output-exists");
            assert_eq!(fs::read(&path).unwrap(), foreign);
        }
        write_file(&path, b"ANTX3", Replace { force: true, ..ANTX }).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ANTX3");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
    }

    #[test]
    fn folders_devices_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let force = Replace { force: true, ..ANTX };
        assert_eq!(write_file(folder.path(), b"ANTX", force).unwrap_err().id(), "output-is-a-folder");
        let below = folder.path().join("missing/a.animtex");
        assert_eq!(write_file(&below, b"ANTX", force).unwrap_err().id(), "output-not-writable");
        #[cfg(unix)]
        assert_eq!(write_file(Path::new("/dev/null"), b"ANTX", force).unwrap_err().id(), "output-not-a-file");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_survive_a_replacement() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.animtex");
        write_file(&path, b"ANTX1", ANTX).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_ne!(mode(&path) & 0o044, 0, "others cannot read it");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.animtex");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_file(&link, b"ANTX2", ANTX).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ANTX2");
        assert_eq!(mode(&path), 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/out");
        write_folder(&path, &[("a".into(), b"1"), ("b".into(), b"2")], OldFolder::Replaced).unwrap();
        write_folder(&path, &[("a".into(), b"3")], OldFolder::Replaced).unwrap();
        assert_eq!(fs::read(path.join("a")).unwrap(), b"3");
        assert!(!path.join("b").exists());
        assert_eq!(fs::read_dir(root.path().join("new")).unwrap().count(), 1);
        let invalid = [("x".into(), &b"4"[..]), ("no/such/folder".into(), b"5")];
        let invalid = write_folder(&path, &invalid, OldFolder::Replaced);
        assert_eq!(invalid.unwrap_err().id(), "output-not-writable");
        assert_eq!(fs::read(path.join("a")).unwrap(), b"3", "the old folder is gone");
        assert_eq!(fs::read_dir(root.path().join("new")).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_kept_loses_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("sub")).unwrap();
        for (name, text) in [("a", "old"), ("mine", "mine"), ("sub/mine", "mine")] {
            fs::write(root.path().join(name), text).unwrap();
        }
        write_folder(root.path(), &[("a".into(), b"1"), ("b".into(), b"2")], OldFolder::Kept).unwrap();
        for (name, text) in [("a", "1"), ("b", "2"), ("mine", "mine"), ("sub/mine", "mine")] {
            assert_eq!(fs::read_to_string(root.path().join(name)).unwrap(), text, "{name}");
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 4, "a temporary folder is left");
    }
}
