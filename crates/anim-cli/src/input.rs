//! Reading inputs: a file's bytes, what kind of file they are, and the external files that a glTF names.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use anim_bake::gltf::{Import, import};
use anim_bake::{BakeSettings, Baked, bake_with_warnings};
use anim_format::AnimFile;

use crate::diagnostics::{Failure, Problem};

/// What kind of file an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A glTF, text or binary.
    Gltf,
    /// An `.animtex` file.
    Animtex,
}

/// An input file in memory.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: Kind,
}

/// An `.animtex` file, read or just baked, and what the bake had to say.
#[derive(Debug)]
pub(crate) struct Playable<'a> {
    pub(crate) file: AnimFile<'a>,
    pub(crate) warnings: Vec<Problem>,
}

impl Input {
    /// Reads a file and looks at what it is: its first bytes decide, and where they say nothing its name.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_regular_file(path).map_err(|error| unreadable(path, &error))?;
        let has_extension = |wanted: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(wanted));
        if bytes.starts_with(b"Kaydara FBX Binary") || has_extension("fbx") {
            let problem = Problem::error("fbx-input", path.display().to_string(), "this is an FBX file");
            let help =
                "convert it to glTF first: open it in Blender and export glTF 2.0 (.glb), or use FBX2glTF";
            return Err(problem.expected_found("a .glb, .gltf or .animtex file", "FBX").help(help).into());
        }
        let animtex = bytes.starts_with(&anim_format::MAGIC) || has_extension("animtex");
        let kind = if animtex { Kind::Animtex } else { Kind::Gltf };
        Ok(Self { path: path.to_owned(), bytes, kind })
    }

    /// The path as the user gave it.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The file name alone, without folders.
    pub(crate) fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads the bytes as an `.animtex` file.
    pub(crate) fn animtex(&self) -> Result<AnimFile<'_>, Failure> {
        anim_format::read(&self.bytes).map_err(|error| Failure::of_format(&self.path, &error))
    }

    /// Reads the bytes as a glTF.
    pub(crate) fn gltf(&self, scene: Option<&str>) -> Result<Import, Failure> {
        import(&self.bytes, &resolver(&self.path), scene).map_err(|e| Failure::of_bake(&self.path, &e))
    }

    /// Bakes the bytes.
    pub(crate) fn bake(&self, settings: &BakeSettings) -> Result<Baked, Failure> {
        let settings = BakeSettings { source_name: self.file_name(), ..settings.clone() };
        bake_with_warnings(&self.bytes, &resolver(&self.path), &settings)
            .map_err(|e| Failure::of_bake(&self.path, &e))
    }

    /// Something that can be played: the `.animtex` file itself, or a bake of the glTF with default settings.
    pub(crate) fn playable(&self) -> Result<Playable<'_>, Failure> {
        match self.kind {
            Kind::Animtex => Ok(Playable { file: self.animtex()?, warnings: Vec::new() }),
            Kind::Gltf => {
                let baked = self.bake(&BakeSettings::default())?;
                let warnings = baked.warnings.iter().map(|w| Problem::of_bake(&self.path, w)).collect();
                Ok(Playable { file: baked.file, warnings })
            }
        }
    }
}

/// A clip as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipChoice {
    /// A clip of the file, by number.
    Clip(usize),
    /// No clip: the rest pose.
    Rest,
}

/// Finds a clip: `none` is the rest pose, else a name, else a number. Without a choice: the first clip if there is one.
pub(crate) fn choose_clip(
    file: &str,
    names: &[Option<&str>],
    wanted: Option<&str>,
) -> Result<(ClipChoice, Option<Problem>), Failure> {
    let Some(wanted) = wanted else {
        return Ok((if names.is_empty() { ClipChoice::Rest } else { ClipChoice::Clip(0) }, None));
    };
    if wanted == "none" {
        return Ok((ClipChoice::Rest, None));
    }
    let mut named = (0..names.len()).filter(|&clip| names[clip] == Some(wanted));
    if let Some(first) = named.next() {
        let others: Vec<String> = named.map(|clip| clip.to_string()).collect();
        let ambiguous = || {
            let what = format!("several clips are named {wanted:?}: the first, number {first}, is taken");
            let help = format!("choose another by its number: {}", others.join(", "));
            Problem::warning("clip-name-repeated", file, what).help(help)
        };
        return Ok((ClipChoice::Clip(first), (!others.is_empty()).then(ambiguous)));
    }
    match wanted.parse::<usize>() {
        Ok(number) if number < names.len() => Ok((ClipChoice::Clip(number), None)),
        _ => Err(no_such_clip(file, names, wanted).into()),
    }
}

fn no_such_clip(file: &str, names: &[Option<&str>], wanted: &str) -> Problem {
    const SHOWN: usize = 12;
    let mut list: Vec<String> = names
        .iter()
        .enumerate()
        .take(SHOWN)
        .map(|(number, name)| match name {
            Some(name) => format!("{number} {name:?}"),
            None => number.to_string(),
        })
        .collect();
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    let expected = if list.is_empty() { "none (the file has no clips)".into() } else { list.join(", ") };
    Problem::error("no-such-clip", file, format!("there is no clip {wanted:?}"))
        .expected_found(expected, format!("{wanted:?}"))
        .help("give a name or a number of this list, or none for the rest pose")
}

/// Reads external files of a model: regular files, by paths relative to the model's folder.
pub(crate) fn resolver(model: &Path) -> impl Fn(&str) -> io::Result<Vec<u8>> + Sync + use<> {
    let folder = model.parent().unwrap_or(Path::new("")).to_owned();
    move |relative: &str| {
        let path = Path::new(relative);
        let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir);
        if relative.is_empty() || !path.components().all(stays) {
            let reason = "only paths relative to the model's folder are read";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        read_regular_file(&folder.join(path))
    }
}

/// Devices and pipes have no end that could be trusted, and folders no bytes: only regular files are read.
fn read_regular_file(path: &Path) -> io::Result<Vec<u8>> {
    // Looked at before it is opened, since opening a pipe without a writer waits for one.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = path.display().to_string();
    if path.is_dir() {
        return Problem::error("input-is-a-folder", name.clone(), "this is a folder")
            .expected_found("a file", "a folder")
            .help(format!("give the files in it, for example {}/*.glb", name.trim_end_matches('/')))
            .into();
    }
    Problem::error("input-not-readable", name, format!("cannot be read: {error}"))
        .help("check the path and its permissions")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_wins_over_a_number() {
        let names = [Some("walk"), Some("0"), None, Some("walk")];
        let check = |wanted: Option<&str>, expected: Option<ClipChoice>| {
            assert_eq!(
                choose_clip("f", &names, wanted).ok().map(|(choice, _)| choice),
                expected,
                "{wanted:?}"
            );
        };
        check(None, Some(ClipChoice::Clip(0)));
        check(Some("none"), Some(ClipChoice::Rest));
        check(Some("walk"), Some(ClipChoice::Clip(0)));
        check(Some("0"), Some(ClipChoice::Clip(1)));
        check(Some("2"), Some(ClipChoice::Clip(2)));
        check(Some("3"), Some(ClipChoice::Clip(3)));
        check(Some("4"), None);
        check(Some("run"), None);
        check(Some(""), None);
        assert!(choose_clip("f", &names, Some("walk")).unwrap().1.is_some());
        assert_eq!(choose_clip("f", &[], None).unwrap().0, ClipChoice::Rest);
    }

    #[test]
    fn external_files_are_regular_and_relative() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("a.bin"), b"abc").unwrap();
        let read = resolver(&folder.path().join("sub/model.gltf"));
        assert_eq!(read("../a.bin").unwrap(), b"abc");
        assert_eq!(read("./../a.bin").unwrap(), b"abc");
        let absolute = folder.path().join("a.bin").display().to_string();
        for refused in ["", "a.bin", "..", &absolute, "/dev/zero"] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
