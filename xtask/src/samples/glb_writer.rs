//! Writes a model as a binary glTF 2.0 file.

use anim_core::glam::{DMat4, DVec3};
use anyhow::Context;

use super::animation::{Track, Values, narrow};
use super::gltf_json as json;
use super::mesh_builder::Mesh;
use super::model::{Model, Part};

const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const FLOAT: u32 = 5126;
const LINEAR: u32 = 9729;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;
const CLAMP_TO_EDGE: u32 = 33071;

/// The file. Errors: a mesh or a file that is too large for its index type.
pub(super) fn write(model: &Model) -> anyhow::Result<Vec<u8>> {
    let mut binary = Binary::default();
    let mut meshes = vec![json::Mesh {
        name: format!("{}_body", model.name),
        primitives: model
            .parts
            .iter()
            .map(|part| primitive(&mut binary, part, model))
            .collect::<Result<_, _>>()?,
    }];
    let nodes = nodes(model, &mut binary, &mut meshes)?;
    let skins = vec![json::Skin {
        inverse_bind_matrices: inverse_bind_matrices(model, &mut binary),
        skeleton: 0,
        joints: (0..model.skeleton.joints.len()).collect(),
    }];
    let animations = animations(model, &mut binary);
    let images: Vec<json::Image> = model
        .texture_png
        .iter()
        .map(|png| json::Image {
            name: format!("{}_base_colour", model.name),
            buffer_view: binary.view(png, None),
            mime_type: "image/png",
        })
        .collect();
    binary.pad();
    let root = json::Root {
        asset: json::Asset {
            version: "2.0",
            generator: "cargo xtask samples",
            copyright: "CC0 1.0 Universal, public domain",
        },
        scene: 0,
        scenes: vec![json::Scene { name: model.name.to_owned(), nodes: vec![nodes.len() - 1, 0] }],
        nodes,
        meshes,
        skins,
        animations,
        materials: materials(model),
        textures: images.iter().map(|_| json::Texture { sampler: 0, source: 0 }).collect(),
        samplers: images.iter().map(|_| sampler()).collect(),
        images,
        accessors: binary.accessors,
        buffer_views: binary.views,
        buffers: vec![json::Buffer { byte_length: binary.bytes.len() }],
    };
    let mut text = serde_json::to_vec(&root)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    container(&text, &binary.bytes)
}

/// Nodes 0.. are the joints in their order, then what is attached to them, and last the skinned mesh.
fn nodes(
    model: &Model,
    binary: &mut Binary,
    meshes: &mut Vec<json::Mesh>,
) -> anyhow::Result<Vec<json::Node>> {
    let joints = &model.skeleton.joints;
    let mut nodes: Vec<json::Node> = Vec::new();
    for (number, joint) in joints.iter().enumerate() {
        nodes.push(json::Node {
            name: joint.name.clone(),
            translation: Some(short(model.skeleton.offset_from_parent(number))),
            ..json::Node::default()
        });
        if let Some(parent) = joint.parent {
            nodes[parent].children.push(number);
        }
    }
    for attached in &model.attached {
        let mut node = json::Node {
            name: attached.name.to_owned(),
            translation: Some(short(attached.offset)),
            ..json::Node::default()
        };
        if let Some(part) = &attached.part {
            node.mesh = Some(meshes.len());
            let primitives = vec![primitive(binary, part, model)?];
            meshes.push(json::Mesh { name: attached.name.to_owned(), primitives });
        }
        let number = nodes.len();
        nodes[model.skeleton.index(attached.joint)].children.push(number);
        nodes.push(node);
    }
    nodes.push(json::Node {
        name: meshes[0].name.clone(),
        mesh: Some(0),
        skin: Some(0),
        ..json::Node::default()
    });
    Ok(nodes)
}

fn primitive(binary: &mut Binary, part: &Part, model: &Model) -> anyhow::Result<json::Primitive> {
    let Mesh { vertices, triangles } = &part.mesh;
    let mut positions = Vec::new();
    let mut normals = Vec::new();
    let mut uvs = Vec::new();
    let mut joints = Vec::new();
    let mut weights = Vec::new();
    for vertex in vertices {
        positions.push(vertex.position.as_vec3().to_array());
        normals.push(vertex.normal.normalize().as_vec3().to_array());
        uvs.push(vertex.uv.as_vec2().to_array());
        let (four_joints, four_weights) = influences(&vertex.influences)?;
        joints.extend(four_joints);
        weights.push(four_weights);
    }
    let skinned = vertices.iter().any(|vertex| !vertex.influences.is_empty());
    let textured = model.materials[part.material].textured;
    let attributes = json::Attributes {
        position: binary.floats(&positions, "VEC3", Some(ARRAY_BUFFER), true),
        normal: binary.floats(&normals, "VEC3", Some(ARRAY_BUFFER), false),
        texcoord_0: textured.then(|| binary.floats(&uvs, "VEC2", Some(ARRAY_BUFFER), false)),
        joints_0: skinned.then(|| {
            let view = binary.view(&joints, Some(ARRAY_BUFFER));
            binary.accessor(view, UNSIGNED_BYTE, vertices.len(), "VEC4")
        }),
        weights_0: skinned.then(|| binary.floats(&weights, "VEC4", Some(ARRAY_BUFFER), false)),
    };
    let mut indices = Vec::new();
    for &corner in triangles.iter().flatten() {
        let index = u16::try_from(corner).context("a part has more than 65535 vertices")?;
        indices.extend(index.to_le_bytes());
    }
    let view = binary.view(&indices, Some(ELEMENT_ARRAY_BUFFER));
    let indices = binary.accessor(view, UNSIGNED_SHORT, triangles.len() * 3, "SCALAR");
    Ok(json::Primitive { attributes, indices, material: part.material })
}

/// At most four joints, strongest first, with weights whose sum in `f32` is 1.
fn influences(all: &[(usize, f64)]) -> anyhow::Result<([u8; 4], [f32; 4])> {
    let mut sorted: Vec<(usize, f64)> = all.iter().copied().filter(|(_, weight)| *weight > 1e-3).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sorted.truncate(4);
    let sum: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
    for (slot, (joint, weight)) in sorted.iter().enumerate() {
        joints[slot] = u8::try_from(*joint).context("more than 256 joints")?;
        weights[slot] = narrow(weight / sum);
    }
    weights[0] = 1.0 - (weights[1] + weights[2] + weights[3]);
    Ok((joints, weights))
}

/// Joints are unrotated in the rest pose, which is the pose that the mesh was made in.
fn inverse_bind_matrices(model: &Model, binary: &mut Binary) -> usize {
    let matrices: Vec<[f32; 16]> = model
        .skeleton
        .joints
        .iter()
        .map(|joint| DMat4::from_translation(-joint.model_position).as_mat4().to_cols_array())
        .collect();
    binary.floats(&matrices, "MAT4", None, false)
}

fn animations(model: &Model, binary: &mut Binary) -> Vec<json::Animation> {
    let mut animations = Vec::new();
    for clip in &model.clips {
        let mut inputs: Vec<(&[f32], usize)> = Vec::new();
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for Track { joint, times_seconds, values } in &clip.tracks {
            let known = inputs.iter().find(|(times, _)| times == times_seconds).map(|(_, input)| *input);
            let input = known.unwrap_or_else(|| {
                let times: Vec<[f32; 1]> = times_seconds.iter().map(|time| [*time]).collect();
                let input = binary.floats(&times, "SCALAR", None, true);
                inputs.push((times_seconds, input));
                input
            });
            let (path, output) = match values {
                Values::Rotation(values) => {
                    let values: Vec<[f32; 4]> = values.iter().map(|value| value.to_array()).collect();
                    ("rotation", binary.floats(&values, "VEC4", None, false))
                }
                Values::Translation(values) => {
                    let values: Vec<[f32; 3]> = values.iter().map(|value| value.to_array()).collect();
                    ("translation", binary.floats(&values, "VEC3", None, false))
                }
            };
            channels
                .push(json::Channel { sampler: samplers.len(), target: json::Target { node: *joint, path } });
            let interpolation = if clip.step { "STEP" } else { "LINEAR" };
            samplers.push(json::AnimationSampler { input, interpolation, output });
        }
        animations.push(json::Animation { name: clip.name, channels, samplers });
    }
    animations
}

fn materials(model: &Model) -> Vec<json::Material> {
    let material = |material: &super::model::Material| {
        let [red, green, blue] = material.base_colour;
        json::Material {
            name: material.name,
            pbr_metallic_roughness: json::MetallicRoughness {
                base_color_factor: [red, green, blue, 1.0],
                base_color_texture: material.textured.then_some(json::TextureInfo { index: 0 }),
                metallic_factor: 0.0,
                roughness_factor: material.roughness,
            },
        }
    };
    model.materials.iter().map(material).collect()
}

fn sampler() -> json::Sampler {
    json::Sampler {
        mag_filter: LINEAR,
        min_filter: LINEAR_MIPMAP_LINEAR,
        wrap_s: CLAMP_TO_EDGE,
        wrap_t: CLAMP_TO_EDGE,
    }
}

/// A tenth of a millimetre is enough for a joint, and reads well in the file.
fn short(metres: DVec3) -> [f64; 3] {
    metres.to_array().map(|x| (x * 1e4).round() / 1e4 + 0.0)
}

/// The binary chunk and what describes it.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<json::BufferView>,
    accessors: Vec<json::Accessor>,
}

impl Binary {
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.pad();
        self.views.push(json::BufferView {
            buffer: 0,
            byte_offset: self.bytes.len(),
            byte_length: bytes.len(),
            target,
        });
        self.bytes.extend(bytes);
        self.views.len() - 1
    }

    fn accessor(
        &mut self,
        buffer_view: usize,
        component_type: u32,
        count: usize,
        shape: &'static str,
    ) -> usize {
        self.accessors.push(json::Accessor {
            buffer_view,
            component_type,
            count,
            shape,
            min: None,
            max: None,
        });
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        shape: &'static str,
        target: Option<u32>,
        bounds: bool,
    ) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let accessor = self.accessor(view, FLOAT, values.len(), shape);
        if bounds {
            let bound = |pick: fn(f32, f32) -> f32| {
                let over = |i: usize| values.iter().map(|value| value[i]).reduce(pick).map_or(0.0, f64::from);
                Some((0..N).map(over).collect())
            };
            self.accessors[accessor].min = bound(f32::min);
            self.accessors[accessor].max = bound(f32::max);
        }
        accessor
    }
}

/// Header and two chunks, each a multiple of 4 bytes long.
fn container(text: &[u8], binary: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(u32::try_from(12 + 8 + text.len() + 8 + binary.len())?.to_le_bytes());
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", binary)] {
        file.extend(u32::try_from(chunk.len())?.to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    Ok(file)
}
