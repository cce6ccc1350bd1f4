//! `anim pose`: vertex positions and normals at given times, from the source or from a bake of it.

use std::io::{self, Write};

use anim_bake::evaluate::{ClipCurves, mesh_instances, posed_vertices};
use anim_bake::gltf::Import;
use anim_format::AnimFile;
use anim_format::playback;
use serde::Serialize;

use crate::args::PoseArgs;
use crate::console::{Console, stdout_failure};
use crate::diagnostics::{Exit, Failure, Problem};
use crate::input::{ClipChoice, Input, Kind, choose_clip};
use crate::text::{Rows, heading, printable};
use crate::values::VertexChoice;

/// Vertices of one primitive that the text shows without `-v`.
const SHOWN: usize = 8;

/// The clip in the report.
#[derive(Debug, Serialize)]
struct ClipReport<'a> {
    index: Option<usize>,
    name: Option<&'a str>,
    duration_seconds: f64,
}

/// One time in the report.
#[derive(Debug, Serialize)]
struct Sample<T> {
    time_seconds: f64,
    primitives: Vec<PosedPrimitive<T>>,
}

/// One mesh node and primitive in the report, with numbers of the glTF file. Arrays are flat: x, y, z, x, and so on.
#[derive(Debug, Serialize)]
struct PosedPrimitive<T> {
    node: usize,
    mesh: usize,
    primitive: usize,
    vertices: Vec<u32>,
    positions: Vec<T>,
    normals: Option<Vec<T>>,
}

/// Runs `anim pose`.
pub(crate) fn run(args: &PoseArgs, console: &Console) -> Result<Exit, Failure> {
    let input = Input::read(&args.file)?;
    match input.kind {
        Kind::Gltf => {
            let import = input.gltf(None)?;
            console.problems(
                &import.warnings.iter().map(|w| Problem::of_bake(&input.path, w)).collect::<Vec<_>>(),
            );
            pose_source(args, *console, &input, &import)
        }
        Kind::Animtex => pose_bake(args, *console, &input, &input.animtex()?),
    }
}

fn pose_source(args: &PoseArgs, console: Console, input: &Input, import: &Import) -> Result<Exit, Failure> {
    let asset = &import.asset;
    let names: Vec<Option<&str>> = asset.clips.iter().map(|clip| clip.name.as_deref()).collect();
    let (choice, warning) = choose_clip(&input.name(), &names, args.clip.as_deref())?;
    console.problems(warning.as_slice());
    let (clip, report) = match choice {
        ClipChoice::Clip(index) => {
            let clip = &asset.clips[index];
            let duration_seconds = f64::from(clip.end_seconds());
            (Some(clip), ClipReport { index: Some(index), name: names[index], duration_seconds })
        }
        ClipChoice::Rest => (None, ClipReport { index: None, name: None, duration_seconds: 0.0 }),
    };
    let curves = ClipCurves::new(asset, clip);
    let instances = mesh_instances(asset);
    print(args, console, input, "gltf", &report, |seconds| {
        let model_from_node = curves.model_poses(seconds);
        let pose = |instance: &anim_bake::evaluate::MeshInstance| {
            let source = &asset.meshes[instance.mesh].primitives[instance.primitive];
            let vertices = choose(&args.vertices, source.positions.len());
            let weights = curves.morph_weights(instance.node, seconds);
            let posed = posed_vertices(asset, *instance, &model_from_node, &weights, Some(&vertices));
            PosedPrimitive {
                node: instance.node,
                mesh: instance.mesh,
                primitive: instance.primitive,
                vertices,
                positions: posed.positions.into_flattened(),
                normals: posed.normals.map(Vec::into_flattened),
            }
        };
        instances.iter().map(pose).collect()
    })
}

fn pose_bake(args: &PoseArgs, console: Console, input: &Input, file: &AnimFile<'_>) -> Result<Exit, Failure> {
    if file.mesh.is_none() {
        return Err(Problem::error("no-mesh", input.name(), "the file was baked without its mesh")
            .help("bake it again without --no-mesh, or pose the glTF itself")
            .into());
    }
    let names: Vec<Option<&str>> = file.clips.iter().map(|clip| Some(&*clip.name)).collect();
    let (choice, _) = choose_clip(&input.name(), &names, args.clip.as_deref())?;
    let (clip, report) = match choice {
        ClipChoice::Clip(index) => {
            let clip = &file.clips[index];
            let duration_seconds = f64::from(clip.duration_seconds);
            (Some(clip), ClipReport { index: Some(index), name: names[index], duration_seconds })
        }
        ClipChoice::Rest => (None, ClipReport { index: None, name: None, duration_seconds: 0.0 }),
    };
    let mut palette = playback::rest_palette(file);
    print(args, console, input, "animtex", &report, |seconds| {
        let of_vertices = clip.filter(|clip| !playback::has_palette(file, clip));
        if let Some(clip) = clip.filter(|_| of_vertices.is_none()) {
            playback::palette_at(file, clip, seconds, &mut palette);
        }
        let pose = |(number, part): (usize, &anim_format::model::Part<'_>)| {
            let vertices = choose(&args.vertices, part.source_vertex_count as usize);
            let chosen = vertices.iter().copied();
            let posed = match of_vertices {
                Some(clip) => playback::vertices_at(file, clip, number, seconds, chosen)
                    .expect("a clip of a valid file that makes no matrices has vertices"),
                None => playback::posed_vertices(file, part, &palette, chosen),
            };
            let normals = || posed.iter().flat_map(|vertex| vertex.normal).collect();
            PosedPrimitive {
                node: part.source_node as usize,
                mesh: part.source_mesh as usize,
                primitive: part.source_primitive as usize,
                positions: posed.iter().flat_map(|vertex| vertex.position).collect(),
                normals: (!part.flags.normals_computed).then(normals),
                vertices,
            }
        };
        file.parts.iter().enumerate().map(pose).collect()
    })
}

fn choose(choice: &VertexChoice, vertex_count: usize) -> Vec<u32> {
    choice.of(u32::try_from(vertex_count).unwrap_or(u32::MAX))
}

/// Prints the report, one time after the other, so that it need not fit into memory.
fn print<T: Serialize + std::fmt::Display>(
    args: &PoseArgs,
    console: Console,
    input: &Input,
    kind: &str,
    clip: &ClipReport<'_>,
    mut pose: impl FnMut(f64) -> Vec<PosedPrimitive<T>>,
) -> Result<Exit, Failure> {
    let times = if args.time.is_empty() { &[0.0][..] } else { &args.time };
    let samples = times.iter().map(|seconds| {
        // Not negative zero either.
        let time_seconds = seconds.clamp(0.0, clip.duration_seconds) + 0.0;
        Sample { time_seconds, primitives: pose(time_seconds) }
    });
    let mut out = console.stdout();
    let printed = if console.json {
        print_json(&mut out, &input.name(), kind, clip, samples)
    } else {
        print_text(&mut out, console, &input.name(), clip, samples)
    };
    printed.and_then(|()| out.flush()).map_err(|error| stdout_failure(&error))?;
    Ok(Exit::Done)
}

fn print_json<T: Serialize>(
    out: &mut impl Write,
    file: &str,
    kind: &str,
    clip: &ClipReport<'_>,
    samples: impl Iterator<Item = Sample<T>>,
) -> io::Result<()> {
    write!(out, r#"{{"schema":"anim-pose/1","file":"#)?;
    serde_json::to_writer(&mut *out, file)?;
    write!(out, r#","input":"{kind}","clip":"#)?;
    serde_json::to_writer(&mut *out, clip)?;
    write!(out, r#","samples":["#)?;
    for (number, sample) in samples.enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        serde_json::to_writer(&mut *out, &sample)?;
    }
    out.write_all(b"]}\n")
}

fn print_text<T: std::fmt::Display>(
    out: &mut impl Write,
    console: Console,
    file: &str,
    clip: &ClipReport<'_>,
    samples: impl Iterator<Item = Sample<T>>,
) -> io::Result<()> {
    let name = match (clip.index, clip.name) {
        (None, _) => "rest pose".into(),
        (Some(index), None) => format!("clip {index}, {} s", clip.duration_seconds),
        (Some(index), Some(name)) => {
            format!("clip {index} {:?}, {} s", printable(name), clip.duration_seconds)
        }
    };
    out.write_all(heading(&format!("{}: {name}", printable(file))).as_bytes())?;
    for sample in samples {
        writeln!(out, "\nat {} s", sample.time_seconds)?;
        for posed in &sample.primitives {
            let PosedPrimitive { node, mesh, primitive, .. } = posed;
            writeln!(
                out,
                " node {node}, mesh {mesh}, primitive {primitive}, vertices: {}",
                posed.vertices.len()
            )?;
            let columns = ["vertex", "x", "y", "z", "normal x", "normal y", "normal z"];
            let columns = if posed.normals.is_some() { &columns[..] } else { &columns[..4] };
            let mut rows = Rows::new(columns, console.verbose, SHOWN);
            for (i, vertex) in posed.vertices.iter().enumerate() {
                let numbers = |values: &[T]| -> Vec<String> {
                    values[3 * i..3 * i + 3].iter().map(|value| format!("{value:.6}")).collect()
                };
                let normal = posed.normals.as_deref().map(numbers).unwrap_or_default();
                rows.add(std::iter::once(vertex.to_string()).chain(numbers(&posed.positions)).chain(normal));
            }
            if !posed.vertices.is_empty() {
                out.write_all(rows.to_text().as_bytes())?;
            }
        }
        if sample.primitives.is_empty() {
            writeln!(out, " no mesh nodes")?;
        }
    }
    Ok(())
}
