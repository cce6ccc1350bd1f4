//! Ellipsoids, boxes and feathers.

use anim_core::glam::{DQuat, DVec3};

use super::mesh_builder::{Influences, Mesh, UvRect, Vertex};
use super::pose::{cos_turns, sin_turns};

/// An ellipsoid, or the cap of one.
pub(super) struct Ellipsoid {
    pub(super) center: DVec3,
    /// Half the size along x, y and z, in metres.
    pub(super) radii: DVec3,
    /// The direction of the point that the texture's bottom edge is drawn together in.
    pub(super) pole: DVec3,
    /// How far down from the pole it goes, in turns: 0.5 is all of it, less leaves it open.
    pub(super) extent_turns: f64,
    pub(super) rings: u32,
    pub(super) segments: u32,
    pub(super) uv: UvRect,
    pub(super) influences: Influences,
}

/// A shape like a feather or a leaf: two sides that meet in a hard edge.
pub(super) struct Leaf<'a> {
    /// The edge, counter-clockwise seen against `up`; a star seen from its centre.
    pub(super) outline: &'a [DVec3],
    pub(super) up: DVec3,
    /// Metres between the sides, in the middle.
    pub(super) thickness: f64,
    pub(super) uv: UvRect,
}

impl Mesh {
    /// Adds an ellipsoid with smooth normals.
    pub(super) fn ellipsoid(&mut self, shape: &Ellipsoid) {
        // Rings lead towards the pole, so that they are counter-clockwise seen from it.
        let to_pole = shape.pole.normalize();
        let side = if to_pole.x.abs() > 0.9 { DVec3::Z } else { DVec3::X };
        let side = (side - to_pole * side.dot(to_pole)).normalize();
        let other = to_pole.cross(side);
        let whole = shape.extent_turns >= 0.5;
        let vertex = |direction: DVec3, u: f64, v: f64| Vertex {
            position: shape.center + direction * shape.radii,
            normal: DVec3::ZERO,
            uv: shape.uv.at(u, v),
            influences: shape.influences.clone(),
        };
        let mut rows = Vec::new();
        for ring in 0..shape.rings {
            let from_open = if whole { f64::from(ring + 1) } else { f64::from(ring) };
            let count = f64::from(shape.rings) + if whole { 1.0 } else { 0.0 };
            let polar_turns = shape.extent_turns * (1.0 - from_open / count);
            let column = |column: u32| {
                let turns = f64::from(column % shape.segments) / f64::from(shape.segments) + 0.25;
                let round = side * cos_turns(turns) + other * sin_turns(turns);
                let direction = round * sin_turns(polar_turns) + to_pole * cos_turns(polar_turns);
                vertex(direction, f64::from(column) / f64::from(shape.segments), from_open / count)
            };
            rows.push((0..=shape.segments).map(column).collect::<Vec<_>>());
        }
        let start = whole.then(|| vertex(-to_pole, 0.5, 0.0));
        self.lattice(&rows, start, Some(vertex(to_pole, 0.5, 1.0)), false);
    }

    /// Adds a box with hard edges. `half` is half its size in metres before it is turned.
    pub(super) fn block(&mut self, center: DVec3, half: DVec3, turned: DQuat, uv: UvRect, all: &Influences) {
        let mut shape = Self::default();
        for (axis, side) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::Z, DVec3::X)] {
            for sign in [1.0, -1.0] {
                let (normal, other) = (axis * sign, (axis * sign).cross(side));
                let first = shape.vertices.len();
                for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    shape.vertices.push(Vertex {
                        position: center + turned * ((normal + side * a + other * b) * half),
                        normal: turned * normal,
                        uv: uv.at(f64::midpoint(a, 1.0), f64::midpoint(b, 1.0)),
                        influences: all.clone(),
                    });
                }
                shape.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
        self.append(shape);
    }

    /// Adds a leaf; `influences` tells the joints of each place.
    pub(super) fn leaf(&mut self, leaf: &Leaf, influences: impl Fn(DVec3) -> Influences) {
        let count = leaf.outline.len();
        let middle = leaf.outline.iter().sum::<DVec3>() / u32::try_from(count).map_or(1.0, f64::from);
        for up in [leaf.up.normalize(), -leaf.up.normalize()] {
            let mut side = Self::default();
            for (i, &position) in
                leaf.outline.iter().chain([&(middle + up * leaf.thickness * 0.5)]).enumerate()
            {
                let u = if i == count { 0.5 } else { f64::from(u8::from(2 * i > count)) };
                let v = (position - leaf.outline[0]).length()
                    / (leaf.outline[count / 2] - leaf.outline[0]).length();
                side.vertices.push(Vertex {
                    position,
                    normal: up,
                    uv: leaf.uv.at(u, v.min(1.0)),
                    influences: influences(position),
                });
            }
            let front = up.dot(leaf.up) > 0.0;
            for i in 0..count {
                let next = (i + 1) % count;
                side.triangles.push(if front { [i, next, count] } else { [next, i, count] });
            }
            self.append(side.smooth());
        }
    }
}
