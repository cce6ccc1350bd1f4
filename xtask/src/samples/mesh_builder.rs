//! Triangle meshes with normals, texture coordinates and joint weights, put together from rings of vertices.

use std::collections::BTreeMap;

use anim_core::glam::{DVec2, DVec3};

use super::pose::{cos_turns, sin_turns};

/// How strongly which joints move a vertex. The weights are divided by their sum when the file is written.
pub(super) type Influences = Vec<(usize, f64)>;

/// One corner.
#[derive(Clone)]
pub(super) struct Vertex {
    /// Metres, in the space of the model.
    pub(super) position: DVec3,
    /// Of unit length.
    pub(super) normal: DVec3,
    pub(super) uv: DVec2,
    /// Empty in a rigid mesh.
    pub(super) influences: Influences,
}

/// A rectangle of the texture: least and greatest uv.
#[derive(Clone, Copy)]
pub(super) struct UvRect {
    pub(super) min: DVec2,
    pub(super) max: DVec2,
}

impl UvRect {
    /// A place in the rectangle, both parts 0 to 1.
    pub(super) fn at(self, u: f64, v: f64) -> DVec2 {
        self.min + (self.max - self.min) * DVec2::new(u, v)
    }
}

/// A cross-section of a tube: an ellipse.
#[derive(Clone)]
pub(super) struct Ring {
    pub(super) center: DVec3,
    /// Metres from the centre along the tube's side.
    pub(super) half_side: f64,
    /// Metres from the centre across the side.
    pub(super) half_other: f64,
    pub(super) influences: Influences,
}

/// What closes an end of a tube.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Cap {
    Open,
    /// A smooth point this many metres beyond the last ring.
    Point(f64),
    /// A flat lid with a hard edge.
    Flat,
}

/// How a tube runs through its rings.
#[derive(Clone, Copy)]
pub(super) struct Tube {
    /// The direction that `Ring::half_side` is measured in.
    pub(super) side: DVec3,
    /// The direction that all rings look in; where there is none, each looks along the line of centres.
    pub(super) axis: Option<DVec3>,
    pub(super) segments: u32,
    /// Where the texture's left and right edges meet, in turns from the side.
    pub(super) seam_turns: f64,
    /// Narrows the half of each ring that lies towards `axis x side` by this share, and widens the other half.
    pub(super) pear: f64,
    pub(super) start: Cap,
    pub(super) end: Cap,
    /// Every face flat, with hard edges.
    pub(super) faceted: bool,
    /// u runs round the tube, v along it.
    pub(super) uv: UvRect,
}

/// A mesh that grows shape by shape.
#[derive(Default)]
pub(super) struct Mesh {
    pub(super) vertices: Vec<Vertex>,
    /// Counter-clockwise seen from outside.
    pub(super) triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// Adds a tube through at least two rings.
    pub(super) fn tube(&mut self, rings: &[Ring], tube: &Tube) {
        let axes = ring_axes(rings, tube.axis);
        let lengths = lengths_along(rings);
        let total = lengths[lengths.len() - 1].max(1e-9);
        let mut rows: Vec<Vec<Vertex>> = Vec::new();
        for ((ring, &axis), length) in rings.iter().zip(&axes).zip(&lengths) {
            let side = (tube.side - axis * tube.side.dot(axis)).normalize();
            let other = axis.cross(side);
            let vertex = |column: u32| {
                // The seam's second column has the very numbers of the first, so that they are found to be one place.
                let turns = f64::from(column % tube.segments) / f64::from(tube.segments) + tube.seam_turns;
                let (sin, cos) = (sin_turns(turns), cos_turns(turns));
                Vertex {
                    position: ring.center
                        + side * (ring.half_side * cos * (1.0 - tube.pear * sin))
                        + other * (ring.half_other * sin),
                    normal: DVec3::ZERO,
                    uv: tube.uv.at(f64::from(column) / f64::from(tube.segments), length / total),
                    influences: ring.influences.clone(),
                }
            };
            rows.push((0..=tube.segments).map(vertex).collect());
        }
        let pole = |cap: Cap, ring: &Ring, outwards: DVec3, v: f64| match cap {
            Cap::Point(beyond) => Some(Vertex {
                position: ring.center + outwards * beyond,
                normal: DVec3::ZERO,
                uv: tube.uv.at(0.5, v),
                influences: ring.influences.clone(),
            }),
            Cap::Open | Cap::Flat => None,
        };
        let last = rings.len() - 1;
        let start = pole(tube.start, &rings[0], -axes[0], 0.0);
        let end = pole(tube.end, &rings[last], axes[last], 1.0);
        let lids = [
            (tube.start == Cap::Flat).then(|| (rows[0].iter().rev().cloned().collect(), -axes[0])),
            (tube.end == Cap::Flat).then(|| (rows[last].clone(), axes[last])),
        ];
        self.lattice(&rows, start, end, tube.faceted);
        for (outline, normal) in lids.into_iter().flatten() {
            self.lid(outline, normal);
        }
    }

    /// Adds rows of vertices, each row a closed loop (its last vertex repeats its first), and a point at either end.
    ///
    /// Rows run counter-clockwise seen from the end that they lead to.
    pub(super) fn lattice(
        &mut self,
        rows: &[Vec<Vertex>],
        start: Option<Vertex>,
        end: Option<Vertex>,
        faceted: bool,
    ) {
        let mut shape = Self::default();
        let columns = rows[0].len();
        shape.vertices.extend(rows.iter().flatten().cloned());
        for row in 1..rows.len() {
            for column in 1..columns {
                let (a, b) = ((row - 1) * columns + column - 1, row * columns + column - 1);
                shape.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
            }
        }
        for (pole, row) in [(start, 0), (end, rows.len() - 1)] {
            let Some(pole) = pole else { continue };
            let tip = shape.vertices.len();
            shape.vertices.push(pole);
            for column in 1..columns {
                let a = row * columns + column - 1;
                shape.triangles.push(if row == 0 { [a + 1, a, tip] } else { [a, a + 1, tip] });
            }
        }
        self.append(if faceted { shape.faceted() } else { shape.smooth() });
    }

    /// Adds the triangles of another mesh, with the normals that it has.
    pub(super) fn append(&mut self, other: Self) {
        let first = self.vertices.len();
        self.vertices.extend(other.vertices);
        self.triangles
            .extend(other.triangles.into_iter().map(|corners| corners.map(|corner| corner + first)));
    }

    /// Normals that are the same wherever places are the same.
    pub(super) fn smooth(mut self) -> Self {
        let mut sums: BTreeMap<[u64; 3], DVec3> = BTreeMap::new();
        for corners in &self.triangles {
            let area = self.area(*corners);
            for &corner in corners {
                *sums.entry(place_key(self.vertices[corner].position)).or_insert(DVec3::ZERO) += area;
            }
        }
        for vertex in &mut self.vertices {
            let sum = sums.get(&place_key(vertex.position)).copied().unwrap_or(DVec3::Y);
            vertex.normal = sum.normalize_or(DVec3::Y);
        }
        self
    }

    /// One normal for each face; corners of one flat face share their vertices.
    pub(super) fn faceted(self) -> Self {
        let mut hard = Self::default();
        let mut made: BTreeMap<(usize, [i64; 3]), usize> = BTreeMap::new();
        for corners in &self.triangles {
            let normal = self.area(*corners).normalize_or(DVec3::Y);
            let new_corners = corners.map(|corner| {
                *made.entry((corner, direction_key(normal))).or_insert_with(|| {
                    hard.vertices.push(Vertex { normal, ..self.vertices[corner].clone() });
                    hard.vertices.len() - 1
                })
            });
            hard.triangles.push(new_corners);
        }
        hard
    }

    /// A flat lid over a closed loop whose last vertex repeats its first.
    fn lid(&mut self, mut outline: Vec<Vertex>, normal: DVec3) {
        outline.pop();
        let first = self.vertices.len();
        self.triangles.extend((2..outline.len()).map(|i| [first, first + i - 1, first + i]));
        self.vertices.extend(outline.into_iter().map(|vertex| Vertex { normal, ..vertex }));
    }

    /// Twice the area of a triangle, along its normal.
    fn area(&self, [a, b, c]: [usize; 3]) -> DVec3 {
        let place = |corner: usize| self.vertices[corner].position;
        (place(b) - place(a)).cross(place(c) - place(a))
    }
}

/// The direction that each ring looks in.
fn ring_axes(rings: &[Ring], fixed: Option<DVec3>) -> Vec<DVec3> {
    let last = rings.len() - 1;
    let axis = |i: usize| {
        let along = rings[(i + 1).min(last)].center - rings[i.saturating_sub(1)].center;
        fixed.unwrap_or(along).normalize()
    };
    (0..rings.len()).map(axis).collect()
}

/// Metres from the first ring's centre to each ring's centre, along the line of centres.
fn lengths_along(rings: &[Ring]) -> Vec<f64> {
    let mut length = 0.0;
    let step = |i: usize| {
        if i > 0 {
            length += (rings[i].center - rings[i - 1].center).length();
        }
        length
    };
    (0..rings.len()).map(step).collect()
}

fn place_key(place: DVec3) -> [u64; 3] {
    // Adding zero turns -0 into +0.
    place.to_array().map(|x| (x + 0.0).to_bits())
}

#[allow(clippy::cast_possible_truncation, reason = "a unit vector's parts times a thousand fit")]
fn direction_key(direction: DVec3) -> [i64; 3] {
    direction.to_array().map(|x| (x * 1000.0).round() as i64)
}
