//! Skeletons, poses, and the two-bone solver that puts feet where they belong.

use anim_core::glam::{DMat3, DQuat, DVec3};

/// One joint. In the rest pose every joint is unrotated, so its place is all there is to say.
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// Metres from the origin of the model, in the rest pose.
    pub(super) model_position: DVec3,
}

/// The joints of a model, parents first; joint 0 is the root.
pub(super) struct Skeleton {
    pub(super) joints: Vec<Joint>,
}

impl Skeleton {
    /// Builds a skeleton from rows of (name, parent's name or "", place in metres), parents first.
    ///
    /// A name that ends in `_l` also makes its mirror image `_r`, with x negated.
    pub(super) fn new(rows: &[(&str, &str, [f64; 3])]) -> Self {
        let mut skeleton = Self { joints: Vec::new() };
        for &(name, parent, place) in rows {
            skeleton.push(name, parent, DVec3::from_array(place));
        }
        for &(name, parent, [x, y, z]) in rows {
            if let Some(stem) = name.strip_suffix("_l") {
                let parent = match parent.strip_suffix("_l") {
                    Some(parent_stem) => format!("{parent_stem}_r"),
                    None => parent.to_owned(),
                };
                skeleton.push(&format!("{stem}_r"), &parent, DVec3::new(-x, y, z));
            }
        }
        skeleton
    }

    /// The number of the joint called `name`. Panics where there is none: names are written in this crate.
    pub(super) fn index(&self, name: &str) -> usize {
        let found = self.joints.iter().position(|joint| joint.name == name);
        found.unwrap_or_else(|| panic!("no joint is called {name}"))
    }

    /// Metres from the parent to the joint, in the rest pose; from the origin for the root.
    pub(super) fn offset_from_parent(&self, joint: usize) -> DVec3 {
        let parent = self.joints[joint].parent.map_or(DVec3::ZERO, |p| self.joints[p].model_position);
        self.joints[joint].model_position - parent
    }

    fn push(&mut self, name: &str, parent: &str, model_position: DVec3) {
        let parent = if parent.is_empty() { None } else { Some(self.index(parent)) };
        self.joints.push(Joint { name: name.to_owned(), parent, model_position });
    }
}

/// A rotation of every joint relative to its parent, and a shift of the root.
#[derive(Clone)]
pub(super) struct Pose<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) rotations: Vec<DQuat>,
    /// Metres from the root's place in the rest pose.
    pub(super) root_shift: DVec3,
}

impl<'a> Pose<'a> {
    pub(super) fn rest(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, rotations: vec![DQuat::IDENTITY; skeleton.joints.len()], root_shift: DVec3::ZERO }
    }

    /// Sets the rotation of a joint relative to its parent.
    pub(super) fn set(&mut self, name: &str, parent_from_joint: DQuat) {
        let joint = self.skeleton.index(name);
        self.rotations[joint] = parent_from_joint.normalize();
    }

    /// Sets the rotation of a joint relative to the model, whatever its ancestors do.
    pub(super) fn set_in_model(&mut self, name: &str, model_from_joint: DQuat) {
        let joint = self.skeleton.index(name);
        let parent = self.skeleton.joints[joint].parent;
        let model_from_parent = parent.map_or(DQuat::IDENTITY, |p| self.model_rotation(p));
        self.rotations[joint] = (model_from_parent.conjugate() * model_from_joint).normalize();
    }

    /// The place of a joint in the model, in metres.
    pub(super) fn place(&self, name: &str) -> DVec3 {
        self.model_position(self.skeleton.index(name))
    }

    /// Bends the chain `upper` -> `lower` -> `end` so that `end` comes to `target`, the middle joint towards `pole`.
    ///
    /// A target out of reach is approached with the chain straight. Returns how far `end` is from `target` in metres.
    pub(super) fn reach(&mut self, upper: &str, lower: &str, end: &str, target: DVec3, pole: DVec3) -> f64 {
        let place = |name: &str| self.skeleton.joints[self.skeleton.index(name)].model_position;
        let first = place(lower) - place(upper);
        let second = place(end) - place(lower);
        let (model_from_upper, model_from_lower) = two_bones(first, second, target - self.place(upper), pole);
        self.set_in_model(upper, model_from_upper);
        self.set_in_model(lower, model_from_lower);
        (self.place(end) - target).length()
    }

    fn model_rotation(&self, joint: usize) -> DQuat {
        match self.skeleton.joints[joint].parent {
            Some(parent) => self.model_rotation(parent) * self.rotations[joint],
            None => self.rotations[joint],
        }
    }

    fn model_position(&self, joint: usize) -> DVec3 {
        let offset = self.skeleton.offset_from_parent(joint);
        match self.skeleton.joints[joint].parent {
            Some(parent) => self.model_position(parent) + self.model_rotation(parent) * offset,
            None => offset + self.root_shift,
        }
    }
}

/// Turns two bones, `first` and `second` in the rest pose, so that they lead from the origin to `target`.
///
/// The knee between them points towards `pole`, in the rest pose towards +Z.
pub(super) fn two_bones(first: DVec3, second: DVec3, target: DVec3, pole: DVec3) -> (DQuat, DQuat) {
    let (a, b) = (first.length(), second.length());
    let distance = target.length().clamp((a - b).abs() * 1.02 + 1e-6, (a + b) * 0.9985);
    let along = target.normalize();
    let across = (pole - along * pole.dot(along)).normalize();
    let knee_along = (a * a - b * b + distance * distance) / (2.0 * distance);
    let knee_across = (a * a - knee_along * knee_along).max(0.0).sqrt();
    let knee = along * knee_along + across * knee_across;
    let rotation = |rest: DVec3, now: DVec3| {
        DQuat::from_mat3(&(frame(now, pole) * frame(rest, DVec3::Z).transpose())).normalize()
    };
    (rotation(first, knee), rotation(second, along * distance - knee))
}

/// Rotation about the x axis, in degrees: positive turns +Z towards -Y (nods).
pub(super) fn pitch(degrees: f64) -> DQuat {
    let (sin, cos) = half_angle(degrees);
    DQuat::from_xyzw(sin, 0.0, 0.0, cos)
}

/// Rotation about the y axis, in degrees: positive turns +Z towards +X (to the left).
pub(super) fn yaw(degrees: f64) -> DQuat {
    let (sin, cos) = half_angle(degrees);
    DQuat::from_xyzw(0.0, sin, 0.0, cos)
}

/// Rotation about the z axis, in degrees: positive turns +X towards +Y (lifts the left side).
pub(super) fn roll(degrees: f64) -> DQuat {
    let (sin, cos) = half_angle(degrees);
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

/// Sine of a number of whole turns.
pub(super) fn sin_turns(turns: f64) -> f64 {
    libm::sin(turns * core::f64::consts::TAU)
}

/// Cosine of a number of whole turns.
pub(super) fn cos_turns(turns: f64) -> f64 {
    libm::cos(turns * core::f64::consts::TAU)
}

fn half_angle(degrees: f64) -> (f64, f64) {
    let half_radians = degrees.to_radians() * 0.5;
    (libm::sin(half_radians), libm::cos(half_radians))
}

/// A right-handed frame: x along `direction`, y across the plane of `direction` and `pole`.
fn frame(direction: DVec3, pole: DVec3) -> DMat3 {
    let x = direction.normalize();
    let y = x.cross(pole).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}
