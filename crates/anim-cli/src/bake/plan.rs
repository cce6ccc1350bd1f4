//! Which model goes where: decided and checked before anything is read or written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::BakeArgs;
use crate::diagnostics::{Exit, Failure, Problem};
use crate::output::is_same_file;

/// A model and the file that it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) model: PathBuf,
    pub(super) output: PathBuf,
}

/// What to do: the jobs in the order of the arguments, and a folder that may have to be created first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) jobs: Vec<Job>,
    pub(super) folder: Option<PathBuf>,
}

/// Plans a bake, or says every reason why it cannot be meant.
pub(super) fn plan(args: &BakeArgs) -> Result<Plan, Failure> {
    let folder = match &args.output {
        Some(output) if args.models.len() > 1 || is_folder(output) => Some(output.clone()),
        _ => None,
    };
    let mut jobs = Vec::with_capacity(args.models.len());
    for model in &args.models {
        let output = match (&args.output, &folder) {
            (_, Some(folder)) => folder.join(output_name(model)),
            (Some(file), None) => file.clone(),
            (None, None) => output_name(model),
        };
        jobs.push(Job { model: model.clone(), output });
    }
    let mut problems = Vec::new();
    let mut model_of: BTreeMap<&Path, &Path> = BTreeMap::new();
    for Job { model, output } in &jobs {
        if let Some(other) = model_of.insert(output, model) {
            let what = format!("{} and {} would both become this file", other.display(), model.display());
            let problem = Problem::error("output-name-repeated", output.display().to_string(), what);
            problems.push(problem.help("rename one of them, or bake them into different folders"));
        }
        if is_same_file(model, output) {
            let problem = Problem::error(
                "output-is-the-model",
                output.display().to_string(),
                "the bake would replace the model itself",
            );
            problems.push(problem.help("give another name with -o"));
        }
    }
    if problems.is_empty() { Ok(Plan { jobs, folder }) } else { Err(Failure { exit: Exit::Usage, problems }) }
}

/// `models/fox.glb` becomes `fox.animtex`.
fn output_name(model: &Path) -> PathBuf {
    let mut name = model.file_stem().unwrap_or_default().to_owned();
    name.push(".animtex");
    PathBuf::from(name)
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn plan_of(args: &[&str]) -> Result<Plan, Failure> {
        let args = ["anim", "bake"].iter().chain(args);
        match Cli::try_parse_from(args).unwrap().command {
            Command::Bake(args) => plan(&args),
            _ => unreachable!("the second argument is bake"),
        }
    }

    #[test]
    fn outputs_go_where_the_user_means() {
        let check = |args: &[&str], expected: &[&str], folder: Option<&str>| {
            let plan = plan_of(args).unwrap();
            let outputs: Vec<_> = plan.jobs.iter().map(|job| job.output.to_str().unwrap()).collect();
            assert_eq!(outputs, expected, "{args:?}");
            assert_eq!(plan.folder.as_deref(), folder.map(Path::new), "{args:?}");
        };
        check(&["a/fox.glb"], &["fox.animtex"], None);
        check(&["fox.v2.glb"], &["fox.v2.animtex"], None);
        check(&["fox.glb", "-o", "x.bin"], &["x.bin"], None);
        check(&["fox.glb", "-o", "new/"], &["new/fox.animtex"], Some("new/"));
        check(&["a.glb", "b.glb"], &["a.animtex", "b.animtex"], None);
        check(&["a.glb", "b.glb", "-o", "new"], &["new/a.animtex", "new/b.animtex"], Some("new"));
    }

    #[test]
    fn one_output_cannot_come_from_two_models() {
        for args in [["a/fox.glb", "b/fox.gltf"], ["fox.glb", "fox.glb"]] {
            let failure = plan_of(&args).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage);
            assert_eq!(failure.problems[0].id(), "output-name-repeated");
        }
    }

    #[test]
    fn a_model_is_never_its_own_output() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("fox.glb");
        std::fs::write(&model, b"").unwrap();
        let model = model.to_str().unwrap();
        let failure = plan_of(&[model, "--force", "-o", model]).unwrap_err();
        assert_eq!(failure.problems[0].id(), "output-is-the-model");
    }
}
