//! The parts of glTF 2.0's JSON that the samples need, as structs: their order of fields is the order in the file.

use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    pub(super) scene: usize,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) animations: Vec<Animation>,
    pub(super) materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) textures: Vec<Texture>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) samplers: Vec<Sampler>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<Image>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Serialize)]
pub(super) struct Asset {
    pub(super) version: &'static str,
    pub(super) generator: &'static str,
    pub(super) copyright: &'static str,
}

#[derive(Serialize)]
pub(super) struct Scene {
    pub(super) name: String,
    pub(super) nodes: Vec<usize>,
}

#[derive(Serialize, Default)]
pub(super) struct Node {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: usize,
    pub(super) material: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) struct Attributes {
    pub(super) position: usize,
    pub(super) normal: usize,
    #[serde(rename = "TEXCOORD_0", skip_serializing_if = "Option::is_none")]
    pub(super) texcoord_0: Option<usize>,
    #[serde(rename = "JOINTS_0", skip_serializing_if = "Option::is_none")]
    pub(super) joints_0: Option<usize>,
    #[serde(rename = "WEIGHTS_0", skip_serializing_if = "Option::is_none")]
    pub(super) weights_0: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) inverse_bind_matrices: usize,
    pub(super) skeleton: usize,
    pub(super) joints: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct Animation {
    pub(super) name: &'static str,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<AnimationSampler>,
}

#[derive(Serialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Serialize)]
pub(super) struct Target {
    pub(super) node: usize,
    pub(super) path: &'static str,
}

#[derive(Serialize)]
pub(super) struct AnimationSampler {
    pub(super) input: usize,
    pub(super) interpolation: &'static str,
    pub(super) output: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) name: &'static str,
    pub(super) pbr_metallic_roughness: MetallicRoughness,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetallicRoughness {
    pub(super) base_color_factor: [f64; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_color_texture: Option<TextureInfo>,
    pub(super) metallic_factor: f64,
    pub(super) roughness_factor: f64,
}

#[derive(Serialize)]
pub(super) struct TextureInfo {
    pub(super) index: usize,
}

#[derive(Serialize)]
pub(super) struct Texture {
    pub(super) sampler: usize,
    pub(super) source: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sampler {
    pub(super) mag_filter: u32,
    pub(super) min_filter: u32,
    pub(super) wrap_s: u32,
    pub(super) wrap_t: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) buffer_view: usize,
    pub(super) mime_type: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: usize,
    pub(super) component_type: u32,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) shape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<Vec<f64>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: usize,
}
