//! What a frame of the direct path draws, worked out on the CPU: which instances each view sees, in which order their
//! attributes lie in the vertex buffer, and which draws read them.

use std::ops::Range;

use crate::crowd::whole;
use anim_core::layers::{GpuLayer, LAYER_ACTIVE, LAYER_MASK_SHIFT, LAYERS_MAX};

use crate::direct_instance::DirectInstance;
use crate::instances::Instances;
use crate::scene::{DECISION_MIRRORED, DECISION_VIEWS, Planes, Scene};

/// One instanced draw: a part of a model in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DirectDraw {
    pub(crate) model: usize,
    pub(crate) part: usize,
    pub(crate) mirrored: bool,
    pub(crate) view: usize,
    /// Where its instances lie in [`DirectFrame::instances`].
    pub(crate) run: Range<usize>,
}

/// A frame. Its memory is kept from one to the next.
#[derive(Debug, Default)]
pub(crate) struct DirectFrame {
    /// What each view draws of each instance, by instance number: see [`Scene::decide`].
    decisions: Vec<u32>,
    /// Numbers of the instances that some view sees, by model, in ascending order; the first of each model, and the
    /// end.
    visible: Vec<u32>,
    starts: Vec<usize>,
    /// Attributes of `visible`.
    states: Vec<DirectInstance>,
    /// Attributes in the order in which draws read them: a run for each view, model and list of parts.
    pub(crate) instances: Vec<DirectInstance>,
    pub(crate) draws: Vec<DirectDraw>,
    view_starts: Vec<usize>,
}

impl DirectFrame {
    /// Works out a frame of views with these planes.
    pub(crate) fn fill(&mut self, scene: &Scene<'_>, views: &[Planes]) {
        self.decisions.clear();
        self.decisions.extend((0..scene.instances.numbers()).map(|number| scene.decide(number, views)));
        self.sort_by_model(scene);
        self.states.clear();
        self.states.extend(self.visible.iter().map(|&number| state_of(scene, number)));
        self.instances.clear();
        self.draws.clear();
        self.view_starts.clear();
        for view in 0..views.len() {
            self.view_starts.push(self.draws.len());
            for model in 0..scene.models.len() {
                for mirrored in [false, true] {
                    self.add_draws(scene, view, model, mirrored);
                }
            }
        }
        self.view_starts.push(self.draws.len());
    }

    /// Leaves nothing to draw.
    pub(crate) fn clear_draws(&mut self) {
        self.view_starts.clear();
    }

    /// Draws of a view.
    pub(crate) fn draws_of(&self, view: u32) -> &[DirectDraw] {
        let view = view as usize;
        match (self.view_starts.get(view), self.view_starts.get(view + 1)) {
            (Some(&first), Some(&end)) => &self.draws[first..end],
            _ => &[],
        }
    }

    /// Whether some view sees an instance; `None` before the first frame that has it.
    pub(crate) fn is_visible(&self, index: usize) -> Option<bool> {
        self.decisions.get(index).map(|decision| decision & DECISION_VIEWS != 0)
    }

    /// Instances of a model that some view sees; `None` before the first frame.
    pub(crate) fn count(&self, model: usize) -> Option<u32> {
        let (first, end) = (self.starts.get(model)?, self.starts.get(model + 1)?);
        u32::try_from(end - first).ok()
    }

    /// Of these, those that play a masked clip above another one.
    pub(crate) fn masked(&self, model: usize, instances: &Instances) -> u32 {
        let (Some(&first), Some(&end)) = (self.starts.get(model), self.starts.get(model + 1)) else {
            return 0;
        };
        let visible = self.visible[first..end].iter();
        let masked = visible.filter(|number| {
            let stack = instances.stacks.get(**number as usize);
            stack.is_some_and(|stack| is_masked(stack.gpu_layers()))
        });
        u32::try_from(masked.count()).unwrap_or(u32::MAX)
    }

    /// Fills `visible` and `starts`: counts, offsets, places.
    #[expect(clippy::cast_possible_truncation, reason = "numbers are u32")]
    fn sort_by_model(&mut self, scene: &Scene<'_>) {
        let models = scene.models.len();
        let seen = |decision: &u32| decision & DECISION_VIEWS != 0;
        // Shifted by one model, so that after the last pass each entry is a model's start.
        self.starts.clear();
        self.starts.resize(models + 2, 0);
        for (index, _) in self.decisions.iter().enumerate().filter(|(_, decision)| seen(decision)) {
            self.starts[scene.instances.model_of(index) + 2] += 1;
        }
        for model in 1..self.starts.len() {
            self.starts[model] += self.starts[model - 1];
        }
        self.visible.clear();
        self.visible.resize(self.starts[models + 1], 0);
        for (index, _) in self.decisions.iter().enumerate().filter(|(_, decision)| seen(decision)) {
            let place = &mut self.starts[scene.instances.model_of(index) + 1];
            self.visible[*place] = index as u32;
            *place += 1;
        }
        self.starts.pop();
    }

    /// The draws of a model in a view. Parts that every instance shows share a run; a part that some instance hides has
    /// its own.
    fn add_draws(&mut self, scene: &Scene<'_>, view: usize, model: usize, mirrored: bool) {
        if self.starts[model] == self.starts[model + 1] {
            return;
        }
        let of = &scene.models[model];
        let mut shared = None;
        for (part, mesh_part) in of.model.mesh.parts.iter().enumerate() {
            if mesh_part.index_count == 0 {
                continue;
            }
            let run = if of.is_hidden_by_some(part) {
                self.add_run(scene, view, model, mirrored, Some(part))
            } else {
                shared.get_or_insert_with(|| self.add_run(scene, view, model, mirrored, None)).clone()
            };
            if !run.is_empty() {
                self.draws.push(DirectDraw { model, part, mirrored, view, run });
            }
        }
    }

    /// Appends the instances of a model that a view sees, of those that show a part.
    fn add_run(
        &mut self,
        scene: &Scene<'_>,
        view: usize,
        model: usize,
        mirrored: bool,
        part: Option<usize>,
    ) -> Range<usize> {
        let first = self.instances.len();
        let wanted = 1 << view | if mirrored { DECISION_MIRRORED } else { 0 };
        let members = self.starts[model]..self.starts[model + 1];
        let (decisions, states) = (&self.decisions, &self.states[members.clone()]);
        let shown = self.visible[members].iter().zip(states).filter(|(number, _)| {
            let number = **number as usize;
            decisions[number] & (1 << view | DECISION_MIRRORED) == wanted
                && part.is_none_or(|part| whole(scene.instances.traits[number].part_mask) >> part & 1 == 1)
        });
        self.instances.extend(shown.map(|(_, state)| *state));
        first..self.instances.len()
    }
}

/// Whether a layer above the lowest in use has a mask.
fn is_masked(layers: &[GpuLayer; LAYERS_MAX]) -> bool {
    let active = layers.iter().filter(|layer| layer.clip_and_flags & LAYER_ACTIVE != 0);
    active.skip(1).any(|layer| layer.clip_and_flags >> LAYER_MASK_SHIFT & 0xff != 0)
}

/// What the vertex shader gets for an instance.
fn state_of(scene: &Scene<'_>, number: u32) -> DirectInstance {
    let index = number as usize;
    let pages = &scene.models[scene.instances.model_of(index)].model.pages;
    let traits = &scene.instances.traits[index];
    DirectInstance {
        world_from_model: scene.world_rows(number),
        layers: pages.direct_layers(scene.instances.stacks[index].gpu_layers(), scene.now_tick),
        color: traits.color.map(|channel| f32::from(channel) / 255.0),
        user_data: [traits.user_data, number, 0, 0],
    }
}
