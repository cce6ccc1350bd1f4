//! One file on the GPU, and what the CPU keeps of it: durations, bounds, attachment points.

use std::sync::Arc;

use anim_core::clip_time::ClipMode;
use anim_core::culling::sphere_around;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::matrix_rows::{affine_from_rows, rows_from_affine};
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_format::playback::rest_model_poses;

use crate::attachment_local::{LocalBone, LocalFile};
use crate::attachment_tracks::{AttachmentTracks, Reach};
use crate::error::GpuError;
use crate::materials::Materials;
use crate::mesh::ModelMesh;
use crate::upload::FilePages;

/// A clip as the crowd needs it.
#[derive(Clone, Debug)]
pub(crate) struct ModelClip {
    pub(crate) name: String,
    pub(crate) mode: ClipMode,
    /// Ball around everything in every frame: centre and radius in metres, in model space.
    pub(crate) sphere: [f32; 4],
}

/// A point that other instances can be attached to.
#[derive(Clone, Debug)]
pub(crate) struct ModelAttachment {
    pub(crate) name: String,
    pub(crate) bone: u32,
    /// Where the point lies in the bind pose of its bone.
    pub(crate) bind_from_point: DAffine3,
    /// Whether the point mirrors what hangs on it.
    pub(crate) mirrors: bool,
    pub(crate) tracks: AttachmentTracks,
    /// Where it comes, by clip.
    reaches: Vec<Option<Reach>>,
}

/// The pages of a file on the GPU.
pub(crate) struct LoadedPages<'f> {
    pub(crate) pages: FilePages,
    /// The file that `pages` are a set of: the model's own, or one of rows that were made of it.
    pub(crate) pages_file: &'f AnimFile<'f>,
    pub(crate) rows: Option<FilePages>,
    pub(crate) notes: Vec<String>,
}

/// One file, loaded.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) pages: FilePages,
    /// Rows for vertex shaders, where `pages` are local tracks and instances can be beyond the palettes.
    pub(crate) rows: Option<FilePages>,
    /// What there is to say about the pages.
    pub(crate) notes: Vec<String>,
    pub(crate) mesh: ModelMesh,
    pub(crate) materials: Materials,
    pub(crate) clips: Vec<ModelClip>,
    pub(crate) durations_seconds: Vec<f32>,
    pub(crate) part_names: Vec<String>,
    pub(crate) mask_names: Vec<String>,
    pub(crate) attachments: Vec<ModelAttachment>,
    /// How far vertices leave the balls of the clips while local layers blend.
    fade_overshoot_metres: f32,
    /// Names of nodes and `model_from_node` at rest: where a child's own point is.
    nodes: Vec<(String, DAffine3)>,
}

impl Model {
    /// Uploads a file.
    pub(crate) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        file: &AnimFile<'_>,
        loaded: LoadedPages<'_>,
    ) -> Result<Self, GpuError> {
        let LoadedPages { pages, pages_file, rows, notes } = loaded;
        if file.clips.is_empty() {
            return Err(GpuError::NoClips);
        }
        let mesh = ModelMesh::upload(device, queue, file)?;
        let materials = Materials::upload(device, queue, file);
        let clips = file
            .clips
            .iter()
            .map(|clip| {
                let [x, y, z] = clip.bounds.sphere_center;
                let sphere = [x, y, z, clip.bounds.sphere_radius];
                ModelClip { name: clip.name.to_string(), mode: clip.mode, sphere }
            })
            .collect();
        let local_file = (pages.nodes() > 0 && !file.attachments.is_empty())
            .then(|| Arc::new(LocalFile::new(file, pages.set())));
        let attachments = file
            .attachments
            .iter()
            .map(|attachment| {
                let bone = &file.bones[attachment.bone as usize];
                let bind_from_bone = affine_from_rows(&bone.bone_from_bind).inverse();
                let bind_from_point = bind_from_bone * affine_from_rows(&attachment.node_from_attachment);
                let tracks = match &local_file {
                    Some(local) => AttachmentTracks::Local(LocalBone::new(local.clone(), attachment.bone)),
                    None => AttachmentTracks::of_rows(pages_file, pages.set(), attachment.bone),
                };
                ModelAttachment {
                    name: attachment.name.to_string(),
                    bone: attachment.bone,
                    bind_from_point,
                    mirrors: tracks.mirrors() != (bind_from_point.matrix3.determinant() < 0.0),
                    reaches: tracks.reaches(file.clips.len(), &bind_from_point),
                    tracks,
                }
            })
            .collect();
        let nodes = file.nodes.iter().map(|node| node.name.to_string()).zip(rest_model_poses(file)).collect();
        Ok(Self {
            pages,
            rows,
            notes,
            mesh,
            materials,
            clips,
            durations_seconds: file.clips.iter().map(|clip| clip.duration_seconds).collect(),
            part_names: file.parts.iter().map(|part| part.name.to_string()).collect(),
            mask_names: file.masks.iter().map(|mask| mask.name.to_string()).collect(),
            attachments,
            fade_overshoot_metres: file.extent.fade_overshoot_metres,
            nodes,
        })
    }

    /// What a vertex shader can read bones from.
    pub(crate) fn vertex_pages(&self) -> Option<&FilePages> {
        if self.pages.nodes() > 0 { self.rows.as_ref() } else { Some(&self.pages) }
    }

    /// Where a child of this model hangs: `point_from_child`. Its own node of the point's name is laid on the point as
    /// it is at rest; without such a node, or where it is squashed flat, its origin.
    pub(crate) fn point_from_child(&self, point_name: &str) -> DAffine3 {
        let own = self.nodes.iter().find(|(name, _)| name == point_name);
        match own {
            Some((_, model_from_node)) if model_from_node.matrix3.determinant() != 0.0 => {
                model_from_node.inverse()
            }
            _ => DAffine3::IDENTITY,
        }
    }

    /// Ball around everything that the clips show.
    pub(crate) fn sphere_of(&self, clips: impl Iterator<Item = u32>) -> [f32; 4] {
        let mut played = 0;
        let [x, y, z, radius] = clips
            .filter_map(|clip| self.clips.get(clip as usize))
            .inspect(|_| played += 1)
            .fold([0.0, 0.0, 0.0, -1.0], |sphere, clip| sphere_around(sphere, clip.sphere));
        // Local transforms that blend may leave what the clips keep to.
        let overshoot = if played > 1 && self.pages.nodes() > 0 { self.fade_overshoot_metres } else { 0.0 };
        [x, y, z, radius + overshoot]
    }

    /// Ball around what half-float palettes may make of what lies in a ball.
    ///
    /// Every number of a row is off by 2^-11 of itself. The numbers are no larger than how far a vertex is from the model's
    /// origin, in the bind pose (stretched up to twice) and now; a row takes up to four of them.
    pub(crate) fn half_palette_sphere(&self, sphere: [f32; 4]) -> [f32; 4] {
        let [x, y, z, radius] = sphere;
        if radius < 0.0 {
            return sphere;
        }
        let bind = (0..3).map(|i| {
            let (low, size) = (self.mesh.box_min[i], self.mesh.box_size[i]);
            low.abs().max((low + size).abs())
        });
        let reach = (x * x + y * y + z * z).sqrt() + radius + 4.0 * bind.sum::<f32>();
        [x, y, z, radius + reach / 1024.0]
    }

    /// Ball around what hangs on a point while clips play: `reach_metres` is how far the child reaches from the point.
    #[expect(clippy::cast_possible_truncation, reason = "bounds are f32")]
    pub(crate) fn reach_of(
        &self,
        attachment: usize,
        clips: impl Iterator<Item = u32>,
        reach_metres: f64,
    ) -> [f32; 4] {
        let Some(point) = self.attachments.get(attachment) else { return [0.0, 0.0, 0.0, -1.0] };
        let mut sphere = [0.0, 0.0, 0.0, -1.0];
        for clip in clips {
            let Some(Reach { center, radius_metres, scale }) =
                point.reaches.get(clip as usize).copied().flatten()
            else {
                continue;
            };
            // A little larger than exact, since it is rounded and the GPU computes in f32.
            let radius = (radius_metres + scale * reach_metres) * 1.0001 + center.length() * 1e-5;
            let center = center.as_vec3();
            sphere = sphere_around(sphere, [center.x, center.y, center.z, radius as f32]);
        }
        sphere
    }
}

/// How far a child's ball reaches from the point that it hangs on, in metres of the point's space.
pub(crate) fn reach_from_point(point_from_child: &DAffine3, sphere: [f32; 4]) -> f64 {
    let [x, y, z, radius] = sphere.map(f64::from);
    point_from_child.transform_point3(DVec3::new(x, y, z)).length()
        + radius.max(0.0) * largest_scale(point_from_child)
}

/// A bound of how much a matrix stretches anything.
pub(crate) fn largest_scale(matrix: &DAffine3) -> f64 {
    let m = &matrix.matrix3;
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}

/// Rows of a product, as the attachment pass gets them.
pub(crate) fn bind_from_child(bind_from_point: &DAffine3, point_from_child: &DAffine3) -> Rows {
    rows_from_affine(&(*bind_from_point * *point_from_child))
}
