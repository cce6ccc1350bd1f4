//! One pose of a file on a canvas: its parts, or its bones if it has no mesh, and the ground.

use anim_core::matrix_rows::affine_from_rows;
use anim_format::model::{Alpha, AnimFile, Bounds, Part, Rows};
use anim_format::playback::{PosedVertex, posed_vertices};
use anim_format::vertices::VertexReader;

use super::camera::Camera;
use super::raster::{Canvas, ScreenVertex, Surface};
use super::texture::Texture;

/// Linear colours.
pub(super) const SKY: [f32; 3] = [0.56, 0.62, 0.68];
pub(super) const HAZE: [f32; 3] = [0.40, 0.42, 0.44];
pub(super) const GRID: [f32; 3] = [0.12, 0.14, 0.17];
const BONE: [f32; 3] = [0.05, 0.10, 0.35];
const RIM: [f32; 3] = [0.02, 0.02, 0.03];
const JOINT: [f32; 3] = [0.80, 0.20, 0.05];

/// How much of what is behind them grid lines cover.
pub(super) const GRID_OPACITY: f32 = 0.25;

/// Grid lines on each side of the middle one.
const GRID_LINES: i16 = 10;

/// What is the same in all pictures of a file.
#[derive(Debug)]
pub(super) struct Scene<'f, 'a> {
    file: &'f AnimFile<'a>,
    /// One for each material; `None` where it has no image or one that cannot be decoded.
    textures: Vec<Option<Texture>>,
}

impl<'f, 'a> Scene<'f, 'a> {
    /// Decodes the images. Those that cannot be are listed in `notes`.
    pub(super) fn new(file: &'f AnimFile<'a>, notes: &mut Vec<String>) -> Self {
        let mut textures = Vec::new();
        for material in &file.materials {
            let decode = |image: u32| {
                let image = &file.images[image as usize];
                Texture::decode(image, material.sampler).map_err(|error| {
                    format!("image {:?} cannot be decoded, and is left out: {error}", image.name)
                })
            };
            textures.push(match material.image.map(decode) {
                Some(Ok(texture)) => Some(texture),
                Some(Err(note)) => {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                    None
                }
                None => None,
            });
        }
        Self { file, textures }
    }

    /// Draws one pose, framed by a box.
    pub(super) fn draw(&self, side: u32, bounds: &Bounds, palette: &[Rows]) -> image::RgbImage {
        // Drawn at twice the size, so that edges are smooth.
        let pixels = side as usize * 2;
        #[expect(clippy::cast_precision_loss, reason = "at most 2048")]
        let camera = Camera::framing(bounds, pixels as f32);
        let mut canvas = Canvas::new(pixels, SKY, HAZE);
        if has_vertices(self.file) {
            for part in &self.file.parts {
                self.draw_part(&mut canvas, &camera, part, palette);
            }
        } else {
            self.draw_bones(&mut canvas, &camera, palette);
        }
        draw_grid(&mut canvas, &camera, bounds);
        canvas.resolve()
    }

    fn draw_part(&self, canvas: &mut Canvas, camera: &Camera, part: &Part<'_>, palette: &[Rows]) {
        let Some(mesh) = &self.file.mesh else { return };
        let reader = VertexReader::new(mesh);
        let posed = posed_vertices(self.file, part, palette, 0..part.vertex_count);
        let on_screen: Vec<Option<ScreenVertex>> = (part.first_vertex as usize..)
            .zip(&posed)
            .map(|(vertex, PosedVertex { position, normal })| {
                camera.project(*position, *normal, reader.uv(vertex))
            })
            .collect();
        let material = &self.file.materials[part.material as usize];
        let surface = Surface {
            color: material.base_color,
            texture: self.textures[part.material as usize].as_ref(),
            cutoff: match material.alpha {
                Alpha::Mask { cutoff } => Some(cutoff),
                Alpha::Opaque | Alpha::Blend => None,
            },
            double_sided: material.double_sided || part.flags.double_sided,
        };
        if part.flags.not_triangles {
            // With a dark rim, so that no colour is lost against the background.
            let [red, green, blue, _] = material.base_color;
            for vertex in on_screen.iter().flatten() {
                canvas.dot(vertex, 9.0, RIM);
                canvas.dot(vertex, 5.0, [red, green, blue]);
            }
        }
        let Some(finest) = part.lods.first() else { return };
        let corner = |index: u32| on_screen[(reader.index(index as usize) - part.first_vertex) as usize];
        for first in (finest.first_index..finest.first_index + finest.index_count).step_by(3) {
            if let (Some(a), Some(b), Some(c)) = (corner(first), corner(first + 1), corner(first + 2)) {
                canvas.triangle(&[a, b, c], &surface);
            }
        }
    }

    /// Lines from each bone to the next bone above it, for files without a mesh.
    fn draw_bones(&self, canvas: &mut Canvas, camera: &Camera, palette: &[Rows]) {
        let mut origins: Vec<Option<[f32; 3]>> = vec![None; self.file.nodes.len()];
        for (bone, rows) in self.file.bones.iter().zip(palette) {
            let bone_from_bind = affine_from_rows(&bone.bone_from_bind);
            if let Some(node) = bone.node
                && bone_from_bind.matrix3.determinant() != 0.0
            {
                let model_from_node = affine_from_rows(rows) * bone_from_bind.inverse();
                origins[node as usize] = Some(model_from_node.translation.as_vec3().to_array());
            }
        }
        let on_screen =
            |node: usize| origins[node].and_then(|origin| camera.project(origin, [0.0; 3], [0.0; 2]));
        for (node, record) in self.file.nodes.iter().enumerate() {
            let Some(here) = on_screen(node) else { continue };
            let mut above = record.parent;
            while let Some(parent) = above.filter(|parent| origins[*parent as usize].is_none()) {
                above = self.file.nodes[parent as usize].parent;
            }
            if let Some(there) = above.and_then(|parent| on_screen(parent as usize)) {
                canvas.line(&here, &there, BONE, 1.0);
            }
        }
        for node in 0..origins.len() {
            if let Some(here) = on_screen(node) {
                canvas.dot(&here, 5.0, JOINT);
            }
        }
    }
}

/// A box as large as the model at rest around where the model is in a pose: for clips that go so far that a box
/// around all of their poses would leave nothing to see.
pub(super) fn bounds_of_pose(file: &AnimFile<'_>, palette: &[Rows]) -> Bounds {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for part in &file.parts {
        for vertex in posed_vertices(file, part, palette, 0..part.vertex_count) {
            low = std::array::from_fn(|i| low[i].min(vertex.position[i]));
            high = std::array::from_fn(|i| high[i].max(vertex.position[i]));
        }
    }
    let reach = file.extent.model_size_metres * 0.5;
    let center: [f32; 3] = std::array::from_fn(|i| low[i] * 0.5 + high[i] * 0.5);
    Bounds {
        box_min: std::array::from_fn(|i| if i == 1 { low[1] } else { low[i].min(center[i] - reach) }),
        box_max: std::array::from_fn(|i| if i == 1 { high[1] } else { high[i].max(center[i] + reach) }),
        ..Bounds::default()
    }
}

/// Whether a file has anything but bones to draw.
pub(super) fn has_vertices(file: &AnimFile<'_>) -> bool {
    file.mesh.is_some() && file.parts.iter().any(|part| part.vertex_count > 0)
}

/// The distance between grid lines under a box: 1, 2 or 5 times a power of ten, about a fifth of its longest side.
pub(super) fn grid_spacing(bounds: &Bounds) -> f32 {
    let longest = (0..3).map(|i| bounds.box_max[i] - bounds.box_min[i]).fold(0.0f32, f32::max);
    if !(longest > 1e-30 && longest.is_finite()) {
        return 1.0;
    }
    let wanted = longest / 5.0;
    let power = libm::powf(10.0, libm::floorf(libm::log10f(wanted)));
    let ratio = |step: f32| libm::logf(step / wanted).abs();
    let steps = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power);
    steps.into_iter().min_by(|a, b| ratio(*a).total_cmp(&ratio(*b))).unwrap_or(1.0)
}

/// The lines of the grid under a box, each from one end to the other.
pub(super) fn grid_lines(bounds: &Bounds) -> Vec<[[f32; 3]; 2]> {
    let spacing = grid_spacing(bounds);
    let floor = bounds.box_min[1];
    // On multiples of the spacing, so that the origin is on a crossing and root motion can be followed.
    let middle = [0, 2].map(|axis| {
        let center = bounds.box_min[axis] * 0.5 + bounds.box_max[axis] * 0.5;
        libm::roundf(center / spacing) * spacing
    });
    let reach = f32::from(GRID_LINES) * spacing;
    let at = |x: f32, z: f32| [middle[0] + x, floor, middle[1] + z];
    let mut lines = Vec::new();
    for number in -GRID_LINES..=GRID_LINES {
        let offset = f32::from(number) * spacing;
        lines.push([at(offset, -reach), at(offset, reach)]);
        lines.push([at(-reach, offset), at(reach, offset)]);
    }
    lines
}

fn draw_grid(canvas: &mut Canvas, camera: &Camera, bounds: &Bounds) {
    for line in grid_lines(bounds) {
        if let [Some(from), Some(to)] = line.map(|point| camera.project(point, [0.0; 3], [0.0; 2])) {
            canvas.line(&from, &to, GRID, GRID_OPACITY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_round_numbers() {
        for (size, expected) in [(1.8, 0.5), (175.0, 50.0), (0.01, 0.002), (1.0, 0.2), (0.0, 1.0)] {
            let bounds = Bounds { box_max: [size, 0.0, 0.0], ..Bounds::default() };
            assert!(
                (grid_spacing(&bounds) / expected - 1.0).abs() < 1e-5,
                "{size}: {}",
                grid_spacing(&bounds)
            );
        }
    }
}
