//! What all cases share: the model, where its instances stand and what they play, and the two views.

use anim_core::culling::sphere_is_outside;
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_format::playback::palette_at_frame;
use anim_wgpu::{Instance, View, pack_vertices};

use crate::gpu::Gpu;
use crate::gpu::scatter::share;
use crate::gpu::target::OffScreen;

/// Size of the picture that is drawn.
pub(crate) const WIDTH: u32 = 1280;
/// Height of the picture that is drawn.
pub(crate) const HEIGHT: u32 = 720;

/// Whole angle of the cameras.
const VERTICAL_ANGLE: f32 = 0.8;

/// Where the triangles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Triangles {
    /// In the picture, all of them.
    Visible,
    /// All beside the picture: vertex shaders run, and the rasteriser throws every triangle away.
    Culled,
}

impl Triangles {
    /// As in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Culled => "culled",
        }
    }
}

/// A mesh as everything draws it: the packed vertices of anim-wgpu and the triangles of the finest levels.
#[derive(Clone, Debug)]
pub(crate) struct BenchMesh {
    pub(crate) pose: Vec<u32>,
    pub(crate) wide: bool,
    pub(crate) box_min: [f32; 3],
    pub(crate) box_size: [f32; 3],
    pub(crate) indices: Vec<u32>,
    pub(crate) vertex_count: u32,
}

/// Matrices of a clip among all matrices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipMatrices {
    /// Number of bone 0 in frame 0.
    pub(crate) first: u32,
    pub(crate) intervals: u32,
    pub(crate) duration_seconds: f32,
}

/// A file as rivals read it, with every matrix decoded.
#[derive(Debug)]
pub(crate) struct BenchModel<'f> {
    pub(crate) file: &'f AnimFile<'f>,
    pub(crate) mesh: BenchMesh,
    pub(crate) bones: u32,
    pub(crate) matrices: Vec<Rows>,
    pub(crate) clips: Vec<ClipMatrices>,
}

impl<'f> BenchModel<'f> {
    /// Plays all frames of the clips: of local tracks, if the file has them, else of rows.
    #[expect(clippy::cast_possible_truncation, reason = "a file holds fewer texels than 2^32")]
    pub(crate) fn new(file: &'f AnimFile<'f>) -> Result<Self, String> {
        let bones = file.bones.len() as u32;
        let mut matrices = Vec::new();
        let mut clips = Vec::new();
        for clip in &file.clips {
            let track = clip.tracks.iter().find(|track| track.page_set == 0);
            let Some(track) = track else {
                return Err(format!("clip {:?} is not in the first page set", clip.name));
            };
            if !file.page_sets[0].content.makes_matrices() {
                return Err("the first page set holds vertices, which are not played yet".into());
            }
            clips.push(ClipMatrices {
                first: matrices.len() as u32,
                intervals: track.intervals,
                duration_seconds: clip.duration_seconds,
            });
            let mut palette = vec![[[0.0; 4]; 3]; bones as usize];
            for frame in 0..track.frames {
                palette_at_frame(file, clip, frame, &mut palette);
                matrices.extend_from_slice(&palette);
            }
        }
        let mesh = mesh_of(file);
        if clips.is_empty() || mesh.indices.is_empty() {
            return Err("the file has no clips or no triangles".into());
        }
        Ok(Self { file, mesh, bones, matrices, clips })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a file holds at most 2^22 vertices")]
fn mesh_of(file: &AnimFile<'_>) -> BenchMesh {
    let streams = pack_vertices(file);
    let parts = file.parts.iter().filter(|part| !part.flags.not_triangles);
    let finest = parts.filter_map(|part| part.lods.first());
    let ranges = finest.map(|lod| lod.first_index as usize..(lod.first_index + lod.index_count) as usize);
    let indices: Vec<u32> =
        ranges.filter_map(|range| streams.indices.get(range)).flatten().copied().collect();
    BenchMesh {
        vertex_count: streams.surface.len() as u32,
        pose: streams.pose,
        wide: streams.wide,
        box_min: streams.box_min,
        box_size: streams.box_size,
        indices,
    }
}

/// A crowd of one size.
#[derive(Debug)]
pub(crate) struct Stage<'s> {
    pub(crate) gpu: &'s Gpu,
    pub(crate) model: &'s BenchModel<'s>,
    pub(crate) target: &'s OffScreen,
    /// Instances.
    pub(crate) count: u32,
    /// Instances of a row of the grid.
    pub(crate) columns: u32,
    /// Metres between neighbours.
    pub(crate) spacing: f32,
    pub(crate) transforms: Vec<Rows>,
}

impl<'s> Stage<'s> {
    /// A square grid of instances, each turned in its own way.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a grid of at most a few thousand a side"
    )]
    pub(crate) fn new(gpu: &'s Gpu, model: &'s BenchModel<'s>, target: &'s OffScreen, count: u32) -> Self {
        let columns = f64::from(count.max(1)).sqrt().ceil() as u32;
        let spacing = model.file.extent.model_size_metres.max(1e-3) * 0.75;
        let transforms = (0..count)
            .map(|i| {
                let angle = share(i, 1) * std::f32::consts::TAU;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                let (x, z) = ((i % columns) as f32 * spacing, (i / columns) as f32 * spacing);
                [[c, 0.0, s, x], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, z]]
            })
            .collect();
        Self { gpu, model, target, count, columns, spacing, transforms }
    }

    /// Clip that an instance plays.
    pub(crate) fn clip(&self, instance: u32) -> u32 {
        instance % self.clip_count()
    }

    /// Share of the clip that has passed at second 0.
    pub(crate) fn phase(&self, instance: u32) -> f32 {
        share(instance, 2)
    }

    /// Clips of the model.
    #[expect(clippy::cast_possible_truncation, reason = "a file has few clips")]
    pub(crate) fn clip_count(&self) -> u32 {
        self.model.clips.len() as u32
    }

    /// An instance as the crowd adds it.
    pub(crate) fn instance(&self, number: u32) -> Instance {
        Instance {
            world_from_model: self.transforms[number as usize],
            clip: self.clip(number),
            phase: self.phase(number),
            mode: Some(anim_wgpu::ClipMode::Loop),
            color: [
                0.5 + share(number, 3) * 0.5,
                0.5 + share(number, 4) * 0.5,
                0.5 + share(number, 5) * 0.5,
                1.0,
            ],
            ..Instance::default()
        }
    }

    /// The view that sees every instance, its triangles in the picture or all beside it.
    pub(crate) fn view(&self, triangles: Triangles) -> View {
        let size = self.model.file.extent.model_size_metres;
        #[expect(clippy::cast_precision_loss, reason = "a grid of at most a few thousand a side")]
        let side = self.columns.saturating_sub(1) as f32 * self.spacing;
        let center = [side * 0.5, size * 0.3, side * 0.5];
        let radius = side * std::f32::consts::FRAC_1_SQRT_2 + size * 1.5;
        let distance = radius / libm::sinf(VERTICAL_ANGLE * 0.5);
        let back = [0.3, 0.6, 0.741_62];
        let eye = std::array::from_fn(|i| center[i] + back[i] * distance);
        let (near, far) = ((distance - radius) * 0.5, distance + radius);
        let mut view = View::look_at(eye, center, VERTICAL_ANGLE, WIDTH as f32 / HEIGHT as f32, near, far);
        if triangles == Triangles::Culled {
            // Beside the picture: x of clip space is moved by four times w, so it is above w everywhere.
            for column in &mut view.clip_from_world {
                column[0] += 4.0 * column[3];
            }
            view.culls = false;
        }
        view
    }

    /// A view from inside the crowd that sees a few of many.
    pub(crate) fn close_view(&self) -> View {
        #[expect(clippy::cast_precision_loss, reason = "a grid of at most a few thousand a side")]
        let middle = (self.columns / 2) as f32 * self.spacing;
        let size = self.model.file.extent.model_size_metres;
        let eye = [middle + self.spacing * 0.5, size, middle + self.spacing * 0.5];
        let target = [eye[0] + 10.0 * size, 0.3 * size, eye[2] + 2.0 * size];
        let far = self.spacing * 25.0;
        View::look_at(eye, target, VERTICAL_ANGLE, WIDTH as f32 / HEIGHT as f32, size * 0.05, far)
    }

    /// Instances that a view keeps, by the CPU twin of the culling pass.
    pub(crate) fn visible(&self, view: &View) -> u64 {
        let planes = view.planes();
        let spheres: Vec<[f32; 4]> = self
            .model
            .file
            .clips
            .iter()
            .map(|clip| {
                let [x, y, z] = clip.bounds.sphere_center;
                [x, y, z, clip.bounds.sphere_radius]
            })
            .collect();
        let is_seen = |(number, rows): &(u32, &Rows)| {
            !sphere_is_outside(&planes, rows, spheres[self.clip(*number) as usize])
        };
        (0..).zip(&self.transforms).filter(is_seen).count() as u64
    }
}
