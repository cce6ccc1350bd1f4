//! Mesh instances to one vertex stream: influences, flat normals, static parts in model space.

use std::collections::BTreeMap;
use std::sync::Arc;

use anim_core::bind::bone_from_bind_of_pose;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::matrix_rows::{affine_from_rows, rows_from_affine};

use crate::bones::{BoneTable, skin_of};
use crate::evaluate::{MeshInstance, cofactor, morphed_position, vec3};
use crate::flat_normals::add_flat_normals;
use crate::influences::{DroppedInfluences, Influences};
use crate::source::{SourceAsset, SourcePrimitive};

/// All vertices of a file, one list an attribute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) parts: Vec<PartGeometry>,
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    /// Empty if no part has them.
    pub(crate) tangents: Vec<[f32; 4]>,
    /// Empty if no part has them.
    pub(crate) uvs: Vec<[f32; 2]>,
    pub(crate) bones: Vec<[u16; 4]>,
    pub(crate) weights: Vec<[f32; 4]>,
    /// Indices into the whole stream, three a triangle.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// What the kept influences lack, by vertex in ascending order.
    pub(crate) dropped: Vec<DroppedInfluences>,
    /// Vertices without any weight.
    pub(crate) weightless: u32,
}

/// The part of one mesh instance.
#[derive(Clone, Debug)]
pub(crate) struct PartGeometry {
    pub(crate) instance: MeshInstance,
    pub(crate) first_vertex: u32,
    pub(crate) vertex_count: u32,
    pub(crate) source_vertex_count: u32,
    pub(crate) first_triangle: usize,
    pub(crate) triangle_count: usize,
    pub(crate) rigid: bool,
    pub(crate) normals_computed: bool,
}

impl PartGeometry {
    /// A part without triangles: its first vertex and how many it has.
    pub(crate) const fn of_points((first_vertex, vertex_count): (u32, u32)) -> Self {
        Self {
            instance: MeshInstance { node: 0, mesh: 0, primitive: 0 },
            first_vertex,
            vertex_count,
            source_vertex_count: vertex_count,
            first_triangle: 0,
            triangle_count: 0,
            rigid: false,
            normals_computed: false,
        }
    }
}

impl Geometry {
    /// One vertex at each joint, for a model without any vertex.
    pub(crate) fn of_joints(table: &BoneTable) -> Self {
        let mut out = Self::default();
        for (number, bone) in table.bones().iter().enumerate() {
            let Some(bind_from_bone) = bone_from_bind_of_pose(&affine_from_rows(&bone.bone_from_bind)) else {
                continue;
            };
            out.positions.push(single(bind_from_bone.translation));
            #[expect(clippy::cast_possible_truncation, reason = "bone numbers of a file fit u16")]
            out.bones.push([number as u16; 4]);
            out.weights.push([1.0, 0.0, 0.0, 0.0]);
        }
        out.parts.push(PartGeometry::of_points((0, index(out.positions.len()))));
        out
    }
}

/// Most vertices of a file, counted once for each node that shows them: at 72 bytes each this is 300 MB. A few hundred bytes
/// of glTF can ask for millions (an accessor without a view, a mesh under many nodes), and no crowd's character has them.
const VERTICES_MAX: usize = 1 << 22;

/// Builds the vertex stream. `model_from_node` is the rest pose: what never moves is stored in model space.
///
/// `None` if there are more than 2^22 vertices or a skinned part needs a bone that the table lacks.
pub(crate) fn build_geometry(
    asset: &SourceAsset,
    instances: &[MeshInstance],
    table: &BoneTable,
    model_from_node: &[DAffine3],
    max_influences: usize,
) -> Option<Geometry> {
    let primitive_of = |i: &MeshInstance| &asset.meshes[i.mesh].primitives[i.primitive];
    let total: usize = instances.iter().map(|i| primitive_of(i).positions.len()).sum();
    let corners: usize = instances.iter().map(|i| primitive_of(i).triangles.len()).sum();
    if total > VERTICES_MAX || corners > 3 * VERTICES_MAX {
        return None;
    }
    let has_tangents = instances.iter().any(|i| primitive_of(i).tangents.is_some());
    let has_uvs = instances.iter().any(|i| primitive_of(i).uvs.is_some());
    let mut out = Geometry::default();
    let mut bones_of_skins = BTreeMap::new();
    for &instance in instances {
        let primitive = primitive_of(&instance);
        let first = out.positions.len();
        let first_triangle = out.triangles.len();
        let base = index(first);
        let placement = Placement::of(asset, instance, table, model_from_node, &mut bones_of_skins)?;
        push_positions_and_normals(&mut out, asset, instance, &placement);
        let count = primitive.positions.len();
        if has_tangents {
            let turn = |t: &[f32; 4]| placement.tangent(*t);
            match &primitive.tangents {
                Some(tangents) => out.tangents.extend(tangents.iter().map(turn)),
                None => out.tangents.resize(first + count, [0.0; 4]),
            }
        }
        if has_uvs {
            match &primitive.uvs {
                Some(uvs) => out.uvs.extend_from_slice(uvs),
                None => out.uvs.resize(first + count, [0.0; 2]),
            }
        }
        push_influences(&mut out, primitive, &placement, max_influences);
        out.triangles
            .extend(primitive.triangles.chunks_exact(3).map(|t| [t[0] + base, t[1] + base, t[2] + base]));
        if placement.mirrors_static_vertices() {
            for triangle in &mut out.triangles[first_triangle..] {
                triangle.swap(1, 2);
            }
        }
        let normals_computed = primitive.normals.is_none();
        if normals_computed {
            add_flat_normals(&mut out, first, first_triangle);
            if out.positions.len() > VERTICES_MAX {
                return None;
            }
        }
        out.parts.push(PartGeometry {
            instance,
            first_vertex: base,
            vertex_count: index(out.positions.len() - first),
            source_vertex_count: index(count),
            first_triangle,
            triangle_count: out.triangles.len() - first_triangle,
            rigid: !matches!(placement, Placement::Skinned { .. }),
            normals_computed,
        });
    }
    Some(out)
}

/// How a mesh instance follows its bones.
enum Placement {
    /// Bone numbers by joint.
    Skinned { bone_of_joint: Arc<[u16]> },
    /// One bone that moves.
    Moving { bone: u16 },
    /// The static bone; vertices go to model space.
    Static { bone: u16, model_from_node: DAffine3 },
}

impl Placement {
    fn of(
        asset: &SourceAsset,
        instance: MeshInstance,
        table: &BoneTable,
        model_from_node: &[DAffine3],
        bones_of_skins: &mut BTreeMap<usize, Arc<[u16]>>,
    ) -> Option<Self> {
        let narrow = |bone: u32| u16::try_from(bone).ok();
        if let Some(number) = skin_of(asset, instance) {
            // Many nodes may show a mesh with one skin: its bones are looked up once.
            if let Some(known) = bones_of_skins.get(&number) {
                return Some(Self::Skinned { bone_of_joint: Arc::clone(known) });
            }
            let skin = &asset.skins[number];
            let joints = skin.joints.iter().zip(&skin.bone_from_bind);
            let bones = joints
                .map(|(joint, bind)| table.find(Some(*joint), &rows_from_affine(bind)).and_then(narrow));
            let bone_of_joint: Arc<[u16]> = bones.collect::<Option<_>>()?;
            bones_of_skins.insert(number, Arc::clone(&bone_of_joint));
            return Some(Self::Skinned { bone_of_joint });
        }
        let (bone, moves) = table.find_rigid(instance.node)?;
        let bone = narrow(bone)?;
        Some(if moves {
            Self::Moving { bone }
        } else {
            Self::Static { bone, model_from_node: model_from_node[instance.node] }
        })
    }

    /// Whether going to model space turns the vertices inside out.
    fn mirrors_static_vertices(&self) -> bool {
        matches!(self, Self::Static { model_from_node, .. } if model_from_node.matrix3.determinant() < 0.0)
    }

    fn tangent(&self, tangent: [f32; 4]) -> [f32; 4] {
        let Self::Static { model_from_node, .. } = self else { return tangent };
        let turned = model_from_node.matrix3 * vec3([tangent[0], tangent[1], tangent[2]]);
        let [x, y, z] = single(turned.try_normalize().unwrap_or(DVec3::X));
        [x, y, z, if self.mirrors_static_vertices() { -tangent[3] } else { tangent[3] }]
    }
}

fn push_positions_and_normals(
    out: &mut Geometry,
    asset: &SourceAsset,
    instance: MeshInstance,
    placement: &Placement,
) {
    let primitive = &asset.meshes[instance.mesh].primitives[instance.primitive];
    let rest_weights: Vec<f64> = asset.nodes[instance.node].weights.iter().map(|w| f64::from(*w)).collect();
    let plain = rest_weights.iter().all(|w| *w == 0.0);
    for vertex in 0..primitive.positions.len() {
        let stored = match placement {
            Placement::Static { model_from_node, .. } => {
                single(model_from_node.transform_point3(morphed_position(primitive, vertex, &rest_weights)))
            }
            _ if plain => primitive.positions[vertex],
            _ => single(morphed_position(primitive, vertex, &rest_weights)),
        };
        out.positions.push(stored);
    }
    match &primitive.normals {
        Some(normals) => out.normals.extend(normals.iter().map(|normal| match placement {
            Placement::Static { model_from_node, .. } => {
                let turned = cofactor(&model_from_node.matrix3) * vec3(*normal);
                single(turned.try_normalize().unwrap_or_else(|| vec3(*normal)))
            }
            _ => *normal,
        })),
        None => out.normals.resize(out.positions.len(), [0.0, 0.0, 1.0]),
    }
}

fn push_influences(out: &mut Geometry, primitive: &SourcePrimitive, placement: &Placement, most: usize) {
    let first = out.bones.len();
    match placement {
        Placement::Skinned { bone_of_joint } => {
            for vertex in 0..primitive.positions.len() {
                let all = Influences::of_vertex(primitive, vertex, bone_of_joint);
                out.weightless += u32::from(all.weightless);
                let (bones, weights) = all.strongest(most);
                out.bones.push(bones);
                out.weights.push(weights);
                if all.list.len() > most {
                    out.dropped.push(DroppedInfluences { vertex: index(first + vertex), all: all.list });
                }
            }
        }
        Placement::Moving { bone } | Placement::Static { bone, .. } => {
            out.bones.resize(first + primitive.positions.len(), [*bone; 4]);
            out.weights.resize(first + primitive.positions.len(), [1.0, 0.0, 0.0, 0.0]);
        }
    }
}

/// A number of a table that was checked to be short.
#[expect(clippy::cast_possible_truncation, reason = "tables are checked against VERTICES_MAX")]
pub(crate) fn index(number: usize) -> u32 {
    number as u32
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what storing is")]
fn single(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
