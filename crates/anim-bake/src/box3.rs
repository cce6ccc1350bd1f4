//! An axis-aligned box of points.

use anim_format::model::Bounds;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box3 {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Box3 {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(crate) fn add(&mut self, p: [f32; 3]) {
        self.min = std::array::from_fn(|i| self.min[i].min(p[i]));
        self.max = std::array::from_fn(|i| self.max[i].max(p[i]));
    }

    /// The box around both.
    pub(crate) fn join(self, other: &Self) -> Self {
        let mut joined = self;
        joined.add(other.min);
        joined.add(other.max);
        if other.is_empty() { self } else { joined }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.min[0] > self.max[0]
    }

    /// Moves every side outwards; nothing happens to an empty box.
    pub(crate) fn grow(&mut self, metres: f32) {
        if !self.is_empty() {
            self.min = self.min.map(|v| v - metres);
            self.max = self.max.map(|v| v + metres);
        }
    }

    pub(crate) fn center(&self) -> [f32; 3] {
        std::array::from_fn(|i| (self.min[i] + self.max[i]) * 0.5)
    }

    /// `None` for an empty box. The slack covers the rounding of the player, a few parts in 10^7.
    pub(crate) fn bounds(&self, radius: f32) -> Option<Bounds> {
        if self.is_empty() {
            return None;
        }
        let reach = self.min.iter().chain(&self.max).fold(0.0f32, |reach, v| reach.max(v.abs()));
        let slack = reach * 2e-6;
        Some(Bounds {
            box_min: self.min.map(|v| v - slack),
            box_max: self.max.map(|v| v + slack),
            sphere_center: self.center(),
            sphere_radius: radius * (1.0 + 1e-6) + slack,
        })
    }
}
