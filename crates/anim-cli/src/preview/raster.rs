//! A small software rasteriser: triangles, dots and lines with a depth buffer, in linear light.

use super::texture::Texture;

/// A vertex on the canvas.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScreenVertex {
    /// Pixels from the left edge.
    pub(super) x: f32,
    /// Pixels from the upper edge.
    pub(super) y: f32,
    /// Distance along the camera's axis, above 0.
    pub(super) depth: f32,
    /// Unit normal in model space.
    pub(super) normal: [f32; 3],
    /// Texture coordinate.
    pub(super) uv: [f32; 2],
}

/// How a triangle looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface<'t> {
    /// Base colour, linear, with alpha.
    pub(super) color: [f32; 4],
    /// What it is multiplied with.
    pub(super) texture: Option<&'t Texture>,
    /// Below this alpha nothing is drawn.
    pub(super) cutoff: Option<f32>,
    /// Seen from both sides.
    pub(super) double_sided: bool,
}

/// Towards the sun, in model space (unit length).
pub(super) const SUN: [f32; 3] = [0.192_450_1, 0.769_800_4, 0.608_580_6];

/// A picture in progress.
#[derive(Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    color: Vec<[f32; 3]>,
    depth: Vec<f32>,
}

impl Canvas {
    /// A square canvas with a background that is lighter at the top.
    pub(super) fn new(side: usize, top: [f32; 3], bottom: [f32; 3]) -> Self {
        let mut color = Vec::with_capacity(side * side);
        for y in 0..side {
            let share = fraction(y, side);
            let row: [f32; 3] = std::array::from_fn(|i| top[i] * (1.0 - share) + bottom[i] * share);
            color.extend(std::iter::repeat_n(row, side));
        }
        Self { width: side, height: side, color, depth: vec![f32::INFINITY; side * side] }
    }

    /// Draws a triangle, counter-clockwise in front. Corners must be in front of the camera.
    pub(super) fn triangle(&mut self, corners: &[ScreenVertex; 3], surface: &Surface<'_>) {
        let [a, b, c] = corners;
        // y points down, so a front face has a negative area.
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        let front = area < 0.0;
        if !(area.is_finite() && area != 0.0) || !(front || surface.double_sided) {
            return;
        }
        let level = surface.texture.map_or(0.0, |texture| texture.level_of_triangle(corners, area));
        let (x_range, y_range) = (span(&[a.x, b.x, c.x], self.width), span(&[a.y, b.y, c.y], self.height));
        let inverse_depth = [1.0 / a.depth, 1.0 / b.depth, 1.0 / c.depth];
        for y in y_range {
            let py = center(y);
            for x in x_range.clone() {
                let px = center(x);
                let wa = ((b.x - px) * (c.y - py) - (c.x - px) * (b.y - py)) / area;
                let wb = ((c.x - px) * (a.y - py) - (a.x - px) * (c.y - py)) / area;
                let wc = 1.0 - wa - wb;
                if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                    continue;
                }
                let shares = [wa * inverse_depth[0], wb * inverse_depth[1], wc * inverse_depth[2]];
                let depth = 1.0 / (shares[0] + shares[1] + shares[2]);
                let pixel = y * self.width + x;
                if !(depth < self.depth[pixel]) {
                    continue;
                }
                let weights = shares.map(|share| share * depth);
                let mut rgba = surface.color;
                if let Some(texture) = surface.texture {
                    let uv = mix(weights, corners.each_ref().map(|corner| corner.uv));
                    let texel = texture.sample(uv, level);
                    rgba = std::array::from_fn(|i| rgba[i] * texel[i]);
                }
                if surface.cutoff.is_some_and(|cutoff| rgba[3] < cutoff) {
                    continue;
                }
                let normal = mix(weights, corners.each_ref().map(|corner| corner.normal));
                let light = light(normal, front);
                self.depth[pixel] = depth;
                self.color[pixel] = [rgba[0] * light, rgba[1] * light, rgba[2] * light];
            }
        }
    }

    /// Draws a square dot.
    pub(super) fn dot(&mut self, at: &ScreenVertex, size: f32, color: [f32; 3]) {
        let half = size * 0.5;
        for y in span(&[at.y - half, at.y + half - 1.0], self.height) {
            for x in span(&[at.x - half, at.x + half - 1.0], self.width) {
                self.plot(x, y, at.depth, color, 1.0);
            }
        }
    }

    /// Draws a line of two pixels' width. `opacity` mixes it with what is behind.
    pub(super) fn line(&mut self, from: &ScreenVertex, to: &ScreenVertex, color: [f32; 3], opacity: f32) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = dx.abs().max(dy.abs());
        if !(length.is_finite() && length < 1e5) {
            return;
        }
        let steep = dy.abs() > dx.abs();
        let steps = length.ceil().max(1.0);
        let mut step = 0.0;
        while step <= steps {
            let t = step / steps;
            let depth = 1.0 / ((1.0 - t) / from.depth + t / to.depth);
            let (x, y) = (from.x + dx * t, from.y + dy * t);
            for side in [-0.5, 0.5] {
                let (x, y) = if steep { (x + side, y) } else { (x, y + side) };
                if let (Some(x), Some(y)) = (cell(x, self.width), cell(y, self.height)) {
                    self.plot(x, y, depth, color, opacity);
                }
            }
            step += 1.0;
        }
    }

    /// The finished picture at half the size (each pixel is the mean of four), as sRGB bytes.
    pub(super) fn resolve(&self) -> image::RgbImage {
        let (width, height) = (self.width / 2, self.height / 2);
        let mut bytes = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let corner = 2 * y * self.width + 2 * x;
                let four = [corner, corner + 1, corner + self.width, corner + self.width + 1];
                for channel in 0..3 {
                    let sum: f32 = four.iter().map(|pixel| self.color[*pixel][channel]).sum();
                    bytes.push(super::texture::to_srgb(sum * 0.25));
                }
            }
        }
        let side = |n: usize| u32::try_from(n).expect("a cell of at most 1024 pixels");
        image::RgbImage::from_raw(side(width), side(height), bytes).expect("three bytes a pixel")
    }

    fn plot(&mut self, x: usize, y: usize, depth: f32, color: [f32; 3], opacity: f32) {
        let pixel = y * self.width + x;
        if depth < self.depth[pixel] {
            let behind = self.color[pixel];
            self.color[pixel] = std::array::from_fn(|i| behind[i] * (1.0 - opacity) + color[i] * opacity);
        }
    }
}

/// One sun and a sky that is brighter than the ground.
fn light(normal: [f32; 3], front: bool) -> f32 {
    let length = libm::sqrtf(normal.iter().map(|n| n * n).sum());
    let sign = if front { 1.0 } else { -1.0 };
    let unit = normal.map(|n| if length > 0.0 { n * sign / length } else { 0.0 });
    let sun = unit[0] * SUN[0] + unit[1] * SUN[1] + unit[2] * SUN[2];
    // At most 0.95, so that white is not washed out.
    0.25 + 0.08 * unit[1] + 0.64 * sun.max(0.0)
}

fn mix<const N: usize>(weights: [f32; 3], values: [[f32; N]; 3]) -> [f32; N] {
    std::array::from_fn(|i| values[0][i] * weights[0] + values[1][i] * weights[1] + values[2][i] * weights[2])
}

/// Pixels whose centres may lie between the smallest and the largest of some coordinates.
fn span(coordinates: &[f32], size: usize) -> std::ops::Range<usize> {
    let low = coordinates.iter().copied().fold(f32::INFINITY, f32::min);
    let high = coordinates.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    clamped(low.floor(), size)..clamped(high.floor() + 1.0, size)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped"
)]
fn clamped(coordinate: f32, size: usize) -> usize {
    // What is not a number becomes 0.
    coordinate.clamp(0.0, size as f32) as usize
}

fn cell(coordinate: f32, size: usize) -> Option<usize> {
    let inside = coordinate >= 0.0 && clamped(coordinate, size) < size;
    inside.then(|| clamped(coordinate, size))
}

#[expect(clippy::cast_precision_loss, reason = "a pixel number is small")]
fn center(pixel: usize) -> f32 {
    pixel as f32 + 0.5
}

#[expect(clippy::cast_precision_loss, reason = "a pixel number is small")]
fn fraction(part: usize, whole: usize) -> f32 {
    part as f32 / whole as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: [f32; 3] = [0.0; 3];

    fn at(x: f32, y: f32, depth: f32) -> ScreenVertex {
        ScreenVertex { x, y, depth, normal: SUN, uv: [0.0; 2] }
    }

    fn surface(red: f32, double_sided: bool) -> Surface<'static> {
        Surface { color: [red, 0.0, 0.0, 0.4], texture: None, cutoff: None, double_sided }
    }

    fn red_pixels(canvas: &Canvas) -> usize {
        canvas.color.iter().filter(|color| color[0] > 0.0).count()
    }

    #[test]
    fn a_front_face_covers_its_half_and_a_back_face_nothing() {
        // Counter-clockwise as seen: lower left, lower right, upper left.
        let front = [at(0.0, 8.0, 1.0), at(8.0, 8.0, 1.0), at(0.0, 0.0, 1.0)];
        let back = [front[0], front[2], front[1]];
        for (corners, double_sided, expected) in
            [(front, false, 36), (back, false, 0), (back, true, 36), (front, true, 36)]
        {
            let mut canvas = Canvas::new(8, BLACK, BLACK);
            canvas.triangle(&corners, &surface(1.0, double_sided));
            assert_eq!(red_pixels(&canvas), expected);
        }
    }

    #[test]
    fn the_nearer_triangle_wins_in_any_order() {
        let square = |depth| [at(-8.0, 16.0, depth), at(16.0, 16.0, depth), at(-8.0, -8.0, depth)];
        for order in [[1.0, 2.0], [2.0, 1.0]] {
            let mut canvas = Canvas::new(8, BLACK, BLACK);
            for depth in order {
                canvas.triangle(&square(depth), &surface(depth, false));
            }
            let expected = light(SUN, true);
            assert!((canvas.color[4 * 8 + 1][0] - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn masked_and_impossible_triangles_draw_nothing() {
        let mut canvas = Canvas::new(8, BLACK, BLACK);
        let corners = [at(0.0, 8.0, 1.0), at(8.0, 8.0, 1.0), at(0.0, 0.0, 1.0)];
        canvas.triangle(&corners, &Surface { cutoff: Some(0.5), ..surface(1.0, true) });
        for wild in [f32::NAN, f32::INFINITY, 0.0] {
            canvas.triangle(&[at(wild, 8.0, 1.0), at(0.0, 8.0, 1.0), at(0.0, 8.0, 1.0)], &surface(1.0, true));
            canvas.line(&at(wild, f32::NAN, 1.0), &at(4.0, 4.0, 1.0), [1.0; 3], 1.0);
        }
        assert_eq!(red_pixels(&canvas), 0);
        canvas.triangle(&corners, &Surface { cutoff: Some(0.4), ..surface(1.0, true) });
        assert_eq!(red_pixels(&canvas), 36);
    }
}
