//! Animations: channels to curves.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::gltf::json;
use ::gltf::json::validation::Checked;
use serde_json::Value;
use serde_json::value::RawValue;

use super::accessor::Reader;
use super::document::{Document, borrowed, entry, in_table, typed, value};
use super::meshes::Mesh;
use super::nodes::Nodes;
use super::problems::{Problems, Reported};
use super::usage::Use;
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{Channel, KeyInterpolation, Property, SourceClip, SourceNode};

/// What animations have to know about nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'n> {
    /// The node's name.
    name: Option<&'n str>,
    /// Morph targets of the node's mesh; 0 without a mesh.
    morph_count: usize,
    /// The node's transform is a matrix.
    has_matrix: bool,
    /// The transform is a translation, rotation and scale.
    has_rest: bool,
}

/// One entry for each node.
pub(super) fn targets<'n>(nodes: &'n Nodes, meshes: &[Mesh]) -> Vec<Target<'n>> {
    let target = |(node, has_matrix): (&'n SourceNode, &bool)| Target {
        name: node.name.as_deref(),
        morph_count: node.mesh.and_then(|mesh| meshes.get(mesh)).map_or(0, |mesh| mesh.target_count),
        has_matrix: *has_matrix,
        has_rest: node.rest.is_some(),
    };
    nodes.nodes.iter().zip(&nodes.has_matrix).map(target).collect()
}

#[derive(Debug, serde::Deserialize)]
struct Animation<'a> {
    name: Option<String>,
    #[serde(borrow, default)]
    channels: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    samplers: Vec<&'a RawValue>,
}

#[derive(Clone, Debug)]
struct Sampler {
    input: usize,
    output: usize,
    interpolation: KeyInterpolation,
}

/// Reads every animation; a broken one is a placeholder.
pub(super) fn read(
    document: &Document<'_>,
    targets: &[Target<'_>],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Vec<SourceClip> {
    let mut clips = Vec::new();
    for (number, raw) in document.animations.iter().enumerate() {
        let path = format!("animations[{number}]");
        clips.push(match borrowed::<Animation<'_>>(raw, &path, problems) {
            Ok(animation) => Clip { path, targets, reader, problems }.read(animation),
            Err(Reported) => SourceClip { name: None, channels: Vec::new() },
        });
    }
    clips
}

/// Times and values of keys.
type Curve = (KeyInterpolation, Arc<[f32]>, Arc<[f32]>);

struct Clip<'r, 'a> {
    path: String,
    targets: &'r [Target<'r>],
    reader: &'r mut Reader<'a>,
    problems: &'r mut Problems,
}

impl Clip<'_, '_> {
    fn read(mut self, animation: Animation<'_>) -> SourceClip {
        self.problems.clip.clone_from(&animation.name);
        let samplers: Vec<Option<Sampler>> = animation
            .samplers
            .iter()
            .enumerate()
            .map(|(number, raw)| self.sampler(number, raw).ok())
            .collect();
        let mut channels: Vec<Channel> = Vec::new();
        let mut driven = BTreeSet::new();
        for (number, raw) in animation.channels.iter().enumerate() {
            let path = format!("{}.channels[{number}]", self.path);
            let Ok(Some(channel)) = self.channel(raw, &path, &samplers) else { continue };
            if driven.insert((channel.node, channel.property)) {
                channels.push(channel);
                continue;
            }
            // Engines disagree on which of the two counts, and the text forbids it (glTF 2.0 section 3.11).
            self.problems.push(
                Diagnostic::error(
                    ids::CHANNEL_DUPLICATE_TARGET,
                    format!("{path}.target"),
                    format!("two channels drive the {} of nodes[{}]", word(channel.property), channel.node),
                )
                .expected_found("one channel for each property of a node", "two")
                .help("delete one of them in the program that made the file"),
            );
        }
        self.problems.clip = None;
        self.problems.bone = None;
        SourceClip { name: animation.name, channels }
    }

    fn sampler(&mut self, number: usize, raw: &RawValue) -> Result<Sampler, Reported> {
        let path = format!("{}.samplers[{number}]", self.path);
        let sampler = entry::<json::animation::Sampler>(raw, &path, self.problems)?;
        let interpolation = match sampler.interpolation {
            Checked::Valid(json::animation::Interpolation::Linear) => KeyInterpolation::Linear,
            Checked::Valid(json::animation::Interpolation::Step) => KeyInterpolation::Step,
            Checked::Valid(json::animation::Interpolation::CubicSpline) => KeyInterpolation::CubicSpline,
            Checked::Invalid => {
                return Err(self.problems.push(
                    Diagnostic::error(
                        ids::SAMPLER_INTERPOLATION,
                        format!("{path}.interpolation"),
                        "an interpolation that glTF does not have",
                    )
                    .expected_found("LINEAR, STEP or CUBICSPLINE", "another word"),
                ));
            }
        };
        Ok(Sampler { input: sampler.input.value(), output: sampler.output.value(), interpolation })
    }

    /// `None` for a channel that the text, or we, ignore.
    fn channel(
        &mut self,
        raw: &RawValue,
        path: &str,
        samplers: &[Option<Sampler>],
    ) -> Result<Option<Channel>, Reported> {
        self.problems.bone = None;
        let value = value(raw, path, self.problems)?;
        let target = value.get("target");
        let target_path =
            target.and_then(|target| target.get("path")).and_then(Value::as_str).unwrap_or_default();
        if !matches!(target_path, "translation" | "rotation" | "scale" | "weights") && !target_path.is_empty()
        {
            self.problems.push(
                Diagnostic::warning(
                    ids::CHANNEL_IGNORED,
                    format!("{path}.target.path"),
                    "the channel animates something that is not baked; it is ignored",
                )
                .expected_found("translation, rotation, scale or weights", target_path),
            );
            return Ok(None);
        }
        // A channel without a node is to be ignored (glTF 2.0 section 3.11); the crate wants one.
        if target.is_some_and(|target| target.get("node").is_none_or(Value::is_null)) {
            return Ok(None);
        }
        let channel = typed::<json::animation::Channel>(value, path, self.problems)?;
        let property = match channel.target.path {
            Checked::Valid(json::animation::Property::Translation) => Property::Translation,
            Checked::Valid(json::animation::Property::Rotation) => Property::Rotation,
            Checked::Valid(json::animation::Property::Scale) => Property::Scale,
            Checked::Valid(json::animation::Property::MorphTargetWeights) => Property::Weights,
            Checked::Invalid => {
                let path = format!("{path}.target.path");
                return Err(self.problems.error(
                    ids::JSON_INVALID,
                    path,
                    "the channel does not say what it animates",
                ));
            }
        };
        let node = channel.target.node.value();
        let node_path = || format!("{path}.target.node");
        let node = in_table(node, self.targets.len(), "nodes", node_path, self.problems);
        let sampler = channel.sampler.value();
        let sampler_path = || format!("{path}.sampler");
        let listed = in_table(
            sampler,
            samplers.len(),
            &format!("{}.samplers", self.path),
            sampler_path,
            self.problems,
        );
        let (node, sampler) = (node?, listed?);
        let target = *self.targets.get(node).ok_or(Reported)?;
        self.problems.bone = target.name.map(str::to_owned);
        if !self.check_target(node, target, property, path)? {
            return Ok(None);
        }
        let samplers_path = format!("{}.samplers[{sampler}]", self.path);
        let sampler = samplers.get(sampler).and_then(Option::as_ref).ok_or(Reported)?;
        let components = match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => target.morph_count,
        };
        let (interpolation, times_seconds, values) =
            self.curve(sampler, property, components, &samplers_path)?;
        Ok(Some(Channel { node, property, interpolation, times_seconds, values, components }))
    }

    /// Whether the node can be animated so; `false` for a channel that is ignored.
    fn check_target(
        &mut self,
        node: usize,
        target: Target<'_>,
        property: Property,
        path: &str,
    ) -> Result<bool, Reported> {
        if property == Property::Weights {
            if target.morph_count == 0 {
                let what = format!("nodes[{node}] has no morph targets; the channel is ignored");
                self.problems.warning(ids::CHANNEL_WITHOUT_MORPHS, format!("{path}.target"), what);
            }
            return Ok(target.morph_count > 0);
        }
        if !target.has_rest {
            return Err(self.problems.push(
                Diagnostic::error(
                    ids::CHANNEL_ON_SHEARED_MATRIX,
                    format!("{path}.target.node"),
                    format!(
                        "nodes[{node}] is animated, and its matrix is no translation, rotation and scale"
                    ),
                )
                .expected_found("translation, rotation and scale", "a matrix with shear or without a size"),
            ));
        }
        if target.has_matrix {
            self.problems.push(
                Diagnostic::warning(
                    ids::CHANNEL_ON_MATRIX,
                    format!("{path}.target.node"),
                    format!("nodes[{node}] is animated and has a matrix; what is not animated comes from the matrix"),
                )
                .expected_found("translation, rotation and scale", "a matrix"),
            );
        }
        Ok(true)
    }

    fn curve(
        &mut self,
        sampler: &Sampler,
        property: Property,
        components: usize,
        path: &str,
    ) -> Result<Curve, Reported> {
        let cubic = sampler.interpolation == KeyInterpolation::CubicSpline;
        let use_ = match (property, cubic) {
            (Property::Translation | Property::Scale, _) => Use::KeyVectors,
            (Property::Rotation, false) => Use::KeyRotations,
            (Property::Rotation, true) => Use::KeyRotationsCubic,
            (Property::Weights, _) => Use::KeyWeights,
        };
        let output = format!("{path}.output");
        let times = self.reader.floats(sampler.input, Use::KeyTimes, &format!("{path}.input"), self.problems);
        let values = self.reader.floats(sampler.output, use_, &output, self.problems);
        let (times, values) = (times?, values?);
        let elements_per_key = if cubic { 3 } else { 1 };
        let expected = times.len().saturating_mul(components).saturating_mul(elements_per_key);
        if values.len() != expected {
            let unit = if property == Property::Weights { 1 } else { components };
            return Err(self.problems.push(
                Diagnostic::error(
                    ids::SAMPLER_OUTPUT_COUNT,
                    output,
                    format!("accessors[{}] does not have one value for each key", sampler.output),
                )
                .expected_found(
                    format!("{} elements for {} keys", expected / unit, times.len()),
                    format!("{} elements", values.len() / unit),
                ),
            ));
        }
        if !(cubic && times.len() == 1) {
            return Ok((sampler.interpolation, times, values));
        }
        // glTF asks for two keys, but exporters wrote one for years: the value between its tangents, constant.
        self.problems.push(
            Diagnostic::warning(
                ids::SAMPLER_CUBIC_SINGLE_KEY,
                path,
                "CUBICSPLINE with one key is read as constant",
            )
            .expected_found("at least 2 keys", 1),
        );
        self.reader.take(4 * components as u64, path, self.problems)?;
        let value = values.get(components..2 * components).unwrap_or_default();
        Ok((KeyInterpolation::Linear, times, value.into()))
    }
}

fn word(property: Property) -> &'static str {
    match property {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::Weights => "weights",
    }
}
