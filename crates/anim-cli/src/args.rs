//! Options and help of the command line. `docs/CLI.md` is made from it.

use std::path::PathBuf;

use anim_bake::{ErrorLimit, MaskSetting};
use anim_core::limits::{INFLUENCES_MAX, TEXTURE_SIZE_DEFAULT, TEXTURE_SIZE_RANGE};
use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::values::{
    PictureSize, VertexChoice, parse_count, parse_degrees, parse_error_budget, parse_mask, parse_max_error,
    parse_rate, parse_size, parse_time, parse_vertices,
};

/// Bakes animated glTF characters into compact .animtex files that a GPU plays back directly.
#[derive(Debug, Parser)]
#[command(name = "anim", version, max_term_width = 100, after_help = GENERAL_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

const GENERAL_HELP: &str = "\
Exit codes:
  0  done
  1  a check failed (`anim verify`), or an error budget cannot be met (`anim bake --max-error`)
  2  wrong usage: an option or a value that no file could make right
  3  an input or an output could not be used

Examples:
  anim bake fox.glb                          write fox.animtex
  anim bake models/*.glb -o baked/           bake many models, each into baked/NAME.animtex
  anim preview fox.animtex -o fox.png        draw a contact sheet of all clips
  anim inspect fox.animtex                   say what the file holds
  anim verify fox.animtex --source fox.glb   measure how exact it is

Colours and progress are shown on a terminal only; the environment variable NO_COLOR turns colours off.";

/// Options of every command.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Global {
    /// Print the report as JSON with a versioned schema, errors included
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,
    /// Say nothing but errors and what was asked for: no warnings, no progress, no hints
    #[arg(short, long, global = true, help_heading = "Output", conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show long tables and lists whole
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
    /// Do not say what to do next; for programs that say it themselves
    #[arg(long, global = true, hide = true)]
    pub no_hints: bool,
}

/// One command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bake glTF models into .animtex files
    Bake(Box<BakeArgs>),
    /// Say what a file holds: an .animtex, or what a bake of a glTF would hold and every problem in it
    Inspect(InspectArgs),
    /// Check an .animtex file, and compare it with the model that it was made from
    Verify(VerifyArgs),
    /// Print vertex positions and normals at given times, from a glTF or from an .animtex
    Pose(PoseArgs),
    /// Draw a contact sheet (PNG) of the clips, or a crowd; a GPU is needed for crowds only
    Preview(PreviewArgs),
    /// Write everything that a file holds as plain JSON and binary files, for loaders of one's own
    Export(ExportArgs),
    /// Measure what crowds cost on this machine's GPU, next to other ways to draw them
    Bench(BenchArgs),
}

/// Options of `anim bake`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anim bake fox.glb
  anim bake fox.glb -o assets/fox.animtex --rate 60 --encoding affine32
  anim bake fox.glb --max-error 0.5%
  anim bake fox.glb --content local,rows --encoding local8,affine32
  anim bake models/*.glb -o baked/ --threads 4
  anim bake knight.glb --clip 'Walk*' --once Death --attach hand_r
  anim bake knight.glb --content local --mask upper=spine,-head --mask legs='{thigh,shin}_*'

An output is written beside its place under a temporary name (.anim-*.tmp), synced and renamed: \
on a full disk, or when the bake is interrupted, the old file is still there. A temporary file stays behind only if the \
program is killed outright (SIGKILL, power loss); it may be deleted.")]
pub struct BakeArgs {
    /// Models to bake: .glb or .gltf files
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,
    /// Where to write: a file, or a folder (an existing one, a path that ends with a slash, or any path if there are
    /// several models; it is created if it is missing) [default: NAME.animtex in the current folder]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Frames a second, above 0 and at most 1000 [default: each clip's own rate, else 30]
    #[arg(long, value_name = "HZ", value_parser = parse_rate, allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// Give each clip the lowest rate, and each content the cheapest encoding, whose playback is nowhere further from the
    /// source than this: a share of the model's size (`0.5%`) or a length (`2mm`, `1cm`, `0.01m`). It is an error if
    /// none is [default: each clip's own rate; local tracks of clips without one, or with moving CUBICSPLINE keys, are
    /// within 0.1% where that can be had]
    #[arg(long, value_name = "E", value_parser = parse_error_budget, allow_hyphen_values = true, conflicts_with = "rate")]
    pub max_error: Option<ErrorLimit>,
    /// The same for the angle between played-back and true normals, above 0 and at most 180 degrees
    #[arg(long, value_name = "DEG", value_parser = parse_degrees, allow_hyphen_values = true, conflicts_with = "rate")]
    pub max_normal_error: Option<f64>,
    /// Keep each clip's own rate and store in 32-bit floating point: local32, and affine32 if --content has rows. Clips
    /// without a rate, or with CUBICSPLINE keys, are sampled to within 0.1% of model size
    #[arg(long, conflicts_with_all = ["rate", "max_error", "max_normal_error", "encoding"])]
    pub lossless: bool,
    /// What to store of every clip; a list stores several things beside each other [default: local, or what --encoding is
    /// one of]
    #[arg(long, value_enum, value_name = "CONTENT", value_delimiter = ',')]
    pub content: Vec<ContentArg>,
    /// How it is stored; a list has at most one for each content [default: local8 for local, affine16 for rows]
    #[arg(long, value_enum, value_name = "ENCODING", value_delimiter = ',')]
    pub encoding: Vec<EncodingArg>,
    /// Largest page side in texels, 64 to 16384
    #[arg(long, value_name = "TEXELS", default_value_t = TEXTURE_SIZE_DEFAULT,
          value_parser = clap::value_parser!(u32).range(texture_sizes()), allow_negative_numbers = true)]
    pub max_texture_size: u32,
    /// Bake only the clips with this name or pattern; may be repeated
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub clip: Vec<String>,
    /// Make the nodes with this name or pattern attachment points; may be repeated. Nodes whose names start with
    /// `socket_` or `attach_` always are
    #[arg(long, value_name = "NODE", value_parser = NonEmptyStringValueParser::new())]
    pub attach: Vec<String>,
    /// A mask: a part of the skeleton in which a clip of local tracks can be played alone. It holds the nodes with these
    /// names or patterns and all that hangs on them, without those after a `-`; may be repeated
    #[arg(long, value_name = "NAME=NODE[,-NODE..]", value_parser = parse_mask)]
    pub mask: Vec<MaskSetting>,
    /// Clips that loop (the default); may be repeated
    #[arg(long = "loop", value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub loop_clips: Vec<String>,
    /// Clips that play once and hold their end; may be repeated
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub once: Vec<String>,
    /// Clips that run to and fro; may be repeated
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub ping_pong: Vec<String>,
    /// Bone influences that a vertex keeps, 1 to 4
    #[arg(long, value_name = "N", default_value_t = INFLUENCES_MAX, allow_negative_numbers = true,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=INFLUENCES_MAX as u64))]
    pub max_influences: usize,
    /// Scene to bake, by number or name [default: the file's default scene]
    #[arg(long, value_name = "SCENE", value_parser = NonEmptyStringValueParser::new(), allow_negative_numbers = true)]
    pub scene: Option<String>,
    /// Start each clip at its first key instead of at time 0
    #[arg(long)]
    pub trim: bool,
    /// Leave out vertices, indices and images
    #[arg(long)]
    pub no_mesh: bool,
    /// Which images to store
    #[arg(long, value_enum, default_value_t = ImagesArg::Base)]
    pub images: ImagesArg,
    /// Threads to use, 1 to 1024 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024),
          allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Replace existing files even if `anim` did not write them
    #[arg(long)]
    pub force: bool,
}

/// `--content`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ContentArg {
    /// Rotation, translation and scale of every node: what moves, as exact as the source, many times smaller
    Local,
    /// Finished bone matrices, readable by any vertex shader
    Rows,
}

/// `--encoding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    /// Local tracks: 8 bytes for a rotation, translation or scale that moves, and frame
    Local8,
    /// Local tracks in 32-bit floating point: 16 bytes
    Local32,
    /// Rows: three rgba32float texels a bone and frame: 48 bytes
    Affine32,
    /// Rows: three rgba16float texels a bone and frame: 24 bytes, rounded to about 0.02 % of model size
    Affine16,
}

/// `--images`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImagesArg {
    /// Base-colour images, in their original bytes
    Base,
    /// No images
    None,
}

/// Options of `anim inspect`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anim inspect fox.animtex
  anim inspect -v fox.animtex              the long tables whole
  anim inspect fox.glb                     what a bake would hold, and every problem
  anim inspect --json fox.animtex | jq '.clips[].name'
  anim inspect fox.animtex --html fox.html")]
pub struct InspectArgs {
    /// An .animtex, .glb or .gltf file
    pub file: PathBuf,
    /// Write the figures of accuracy as a web page, too, with charts by clip; an earlier page is replaced
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Replace an existing file even if it is no page of this program
    #[arg(long, requires = "html")]
    pub force: bool,
}

/// Options of `anim verify`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit code 1 means that a check failed: the file is damaged, stale, or less exact than asked for.

Examples:
  anim verify fox.animtex
  anim verify fox.animtex --max-error 0.5%
  anim verify fox.animtex --source fox.glb --max-error 2mm --exhaustive
  anim verify fox.animtex --source fox.glb --html fox.html")]
pub struct VerifyArgs {
    /// An .animtex file
    pub file: PathBuf,
    /// The model that the file was made from: say whether the file is stale, and measure its accuracy again
    #[arg(long, value_name = "MODEL")]
    pub source: Option<PathBuf>,
    /// Largest playback error allowed: a share of the model's size (`0.5%`) or a length (`2mm`, `1cm`, `0.01m`).
    /// Without a source, the error that the file states counts
    #[arg(long, value_name = "E", value_parser = parse_max_error, allow_hyphen_values = true)]
    pub max_error: Option<ErrorLimit>,
    /// Measure every vertex at 16 times an interval instead of a sample; needs --source
    #[arg(long, requires = "source")]
    pub exhaustive: bool,
    /// Write a web page, too: the checks and the figures of accuracy, and with --source plots of the error over time, by
    /// node, and against size at other rates and in other encodings, which take longer to measure. It is written whatever
    /// the checks say, unless the file cannot be read; an earlier page is replaced
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Replace an existing file even if it is no page of this program
    #[arg(long, requires = "html")]
    pub force: bool,
}

/// Options of `anim pose`.
#[derive(Args, Debug)]
#[command(after_help = "\
A glTF is evaluated directly, in f64, with its morph targets; an .animtex is played back by the CPU twin of the \
shaders, in f32. Positions are in model space (the scene space of the glTF), one entry for each mesh node and primitive. \
A clip that the file does not have is exit code 3.

Examples:
  anim pose fox.glb --clip Run --time 0.25 --vertices 0,1,2
  anim pose fox.animtex --clip 1 --time 0 --time 0.5 --vertices every:100 --json
  anim pose fox.glb --clip none              the rest pose")]
pub struct PoseArgs {
    /// An .animtex, .glb or .gltf file
    pub file: PathBuf,
    /// Clip by name or number, or `none` for the rest pose. A name wins over a number [default: the first clip, or the
    /// rest pose of a file without clips]
    #[arg(long, value_name = "NAME|INDEX|none", allow_negative_numbers = true)]
    pub clip: Option<String>,
    /// Time in the clip in seconds, clamped to the clip whatever its mode; may be repeated [default: 0]
    #[arg(long, value_name = "S", value_parser = parse_time, allow_negative_numbers = true)]
    pub time: Vec<f64>,
    /// Which vertices of each primitive; a list leaves out what a primitive lacks
    #[arg(long, value_name = "all|every:N|i,j,k", default_value = "all", value_parser = parse_vertices,
          allow_hyphen_values = true)]
    pub vertices: VertexChoice,
}

/// Options of `anim preview`.
#[derive(Args, Debug)]
#[command(after_help = "\
A glTF is baked in memory first, with the default settings. All poses of a clip are seen by one camera, framed by the \
baked bounds of the clip. With --gpu the same pictures are drawn by the GPU, as a program would draw them; a crowd always \
is. No window is opened.

Examples:
  anim preview fox.animtex -o fox.png
  anim preview fox.glb --clip Run --frames 12 --cell 256 -o run.png
  anim preview fox.animtex --gpu -o fox-gpu.png
  anim preview fox.animtex --gpu --crowd 10000 --size 1920x1080 -o crowd.png")]
pub struct PreviewArgs {
    /// An .animtex, .glb or .gltf file
    pub file: PathBuf,
    /// The PNG file to write; an existing PNG file is replaced
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Draw only this clip, by name or number, or `none` for the rest pose; may be repeated [default: all clips]
    #[arg(long, value_name = "NAME|INDEX|none", allow_negative_numbers = true)]
    pub clip: Vec<String>,
    /// Poses of each clip, 1 to 64 [default: 6, fewer if there are many clips]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Side of a picture in pixels, 64 to 1024 [default: 192, less if there are many clips]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(64..=1024),
          allow_negative_numbers = true)]
    pub cell: Option<u32>,
    /// Draw on the GPU
    #[arg(long)]
    pub gpu: bool,
    /// Draw one picture of a crowd with sun and shadows, 1 to 1m instances, instead of a sheet
    #[arg(long, value_name = "N", value_parser = parse_count, requires = "gpu", allow_negative_numbers = true,
          conflicts_with_all = ["frames", "cell"])]
    pub crowd: Option<u32>,
    /// Width and height of the crowd's picture in pixels, 16 to 8192 each
    #[arg(long, value_name = "WxH", value_parser = parse_size, requires = "crowd", default_value = "1280x720",
          allow_negative_numbers = true)]
    pub size: PictureSize,
    /// GPU to use, by a part of its name [default: the best one]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), requires = "gpu")]
    pub adapter: Option<String>,
    /// Replace an existing file even if it is no PNG
    #[arg(long)]
    pub force: bool,
}

/// Options of `anim export`.
#[derive(Args, Debug)]
#[command(after_help = "\
The folder holds tables.json (every table, schema anim-tables/1), one page_setS_pageP.bin for each page (raw texels), \
vertices.bin and indices.bin (raw, as tables.json describes them), and the images in their original format. \
It appears whole or not at all, in place of an earlier export. A folder that holds anything else is left alone; with \
--force the files are written into it, and nothing in it is removed.

Examples:
  anim export fox.animtex --to raw -o fox-raw")]
pub struct ExportArgs {
    /// An .animtex file (a glTF is baked in memory first, with the default settings)
    pub file: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Raw)]
    pub to: ExportFormat,
    /// The folder to write
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Write into a folder that holds something else; of that, only files of the same names are replaced
    #[arg(long)]
    pub force: bool,
}

/// `--to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Tables as JSON, pages, vertices and indices as .bin
    Raw,
}

/// Options of `anim bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Draws to a picture of 1280 x 720 without a window. Each case is measured twice: with its triangles in the picture, and \
with all of them beside it, so that vertex shaders run and nothing is filled. Frames of the cases that ratios are made \
of are drawn in turn. Times are medians. docs/BENCHMARKS.md says what each row means.

Examples:
  anim bench                                       a synthetic character, 1k to 1m instances
  anim bench fox.animtex --instances 10k --json
  anim bench --only untouched,rigid,texture16 --instances 100k,1m --csv bench.csv")]
pub struct BenchArgs {
    /// An .animtex, .glb or .gltf file [default: a synthetic tube of 1,890 vertices and 60 bones]
    pub file: Option<PathBuf>,
    /// Numbers of instances, 1 to 1m, with commas between them; k is a thousand, m a million [default:
    /// 1k,10k,100k,1m, or 100,1k on a software adapter]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_count, allow_negative_numbers = true)]
    pub instances: Vec<u32>,
    /// Frames of each case that are measured, 1 to 10000 [default: 60, or 5 on a software adapter]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000),
          allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Seconds after which cases that are drawn in turn end early, once they have three frames, 1 to 3600
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=3600),
          allow_negative_numbers = true)]
    pub seconds: u32,
    /// How the poses of the synthetic tube are stored; local tracks have affine32 rows beside them
    #[arg(long, value_enum, default_value_t = EncodingArg::Affine32, conflicts_with = "file")]
    pub encoding: EncodingArg,
    /// Measure only these cases, with commas between them
    #[arg(long, value_enum, value_name = "CASE,..", value_delimiter = ',')]
    pub only: Vec<CaseArg>,
    /// GPU to use, by a part of its name [default: the best one]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub adapter: Option<String>,
    /// Limits that the device is asked for
    #[arg(long, value_enum, default_value_t = LimitsArg::Adapter)]
    pub limits: LimitsArg,
    /// Write the rows to a CSV file too; an earlier one is replaced
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    /// Replace an existing file even if it is no CSV file of this program
    #[arg(long)]
    pub force: bool,
}

/// A case of `--only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CaseArg {
    /// Our crowd: everyone plays a clip, nobody is touched
    Untouched,
    /// Our crowd, everyone in a fade between two clips
    Fading,
    /// Our crowd, everyone in two fades at once
    ThreeLayers,
    /// Untouched from the rows of a file that has local tracks, too
    Rows,
    /// The same, everyone in a fade between two clips
    RowsFading,
    /// The same, everyone in two fades at once
    RowsThreeLayers,
    /// Our crowd, every transform set by the CPU every frame
    MovedCpu,
    /// Our crowd, every transform written by a compute pass every frame
    MovedGpu,
    /// Our crowd, of which the camera sees a few
    CullOnly,
    /// Our crowd with palettes of half floats
    Half,
    /// Our crowd, depth alone, by the ready pipeline
    DepthOnly,
    /// Our crowd, colour by the ready pipeline
    Ready,
    /// Our crowd on the path for devices without compute, untouched
    Direct,
    /// The same, everyone in a fade between two clips
    DirectFading,
    /// The floor: the mesh without animation, one draw
    Rigid,
    /// Every vertex reads its matrices from an rgba16float texture
    Texture16,
    /// The same, everyone in a fade between two clips
    #[value(name = "texture16-fading")]
    Texture16Fading,
    /// Every vertex reads its matrices from an rgba32float texture
    Texture32,
    /// The same, everyone in a fade between two clips
    #[value(name = "texture32-fading")]
    Texture32Fading,
    /// Palettes computed on all CPU cores and uploaded every frame
    CpuPalettes,
    /// Our palettes, and one draw call a character
    DrawEach,
}

/// `--limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LimitsArg {
    /// The adapter's own for buffers, bindings and textures
    Adapter,
    /// WebGPU's defaults, which every desktop device has
    Default,
}

impl Command {
    /// The schema of the command's JSON report.
    #[must_use]
    pub const fn schema(&self) -> &'static str {
        match self {
            Self::Bake(_) => "anim-bake/1",
            Self::Inspect(_) => "anim-inspect/2",
            Self::Verify(_) => "anim-verify/2",
            Self::Pose(_) => "anim-pose/1",
            Self::Preview(_) => "anim-preview/1",
            Self::Export(_) => "anim-export/1",
            Self::Bench(_) => "anim-bench/1",
        }
    }
}

const fn texture_sizes() -> std::ops::RangeInclusive<i64> {
    *TEXTURE_SIZE_RANGE.start() as i64..=*TEXTURE_SIZE_RANGE.end() as i64
}
