//! Numbers and struct layouts that Rust and WGSL share, checked without a GPU.

use std::mem::offset_of;

use anim_core::culling::CULL_SLACK;
use anim_core::layers::GpuLayer;
use anim_core::{layers, local_encoding};
use anim_wgpu::{
    AnimDraw, ArgumentsUniform, AttachRecord, AttachUniform, BoneSource, ClipTrack, CullBin, CullRound,
    DrawPlan, FrameUniform, InstanceCull, InstanceMotion, InstancePlayback, InstanceTraits, NodePoses,
    PageStorage, PalettePlan, PalettePrecision, VIEWS_MAX, arguments_shader, attach_shader, color_shader,
    cull_shader, depth_shader, instance_layout, local_palette_shader, moments_shader, palette_shader,
    pose_layout, skin_module, surface_layout, vertex_unpack_shader,
};

const STORAGES: [PageStorage; 5] = [
    PageStorage::Buffer32,
    PageStorage::Buffer16,
    PageStorage::Texture,
    PageStorage::Local8,
    PageStorage::Local32,
];
const PRECISIONS: [PalettePrecision; 2] = [PalettePrecision::Full, PalettePrecision::Half];

fn parse(source: &str) -> naga::Module {
    naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
}

/// Every shader in every configuration, with a name for messages.
fn all_shaders() -> Vec<(String, String)> {
    let mut shaders = vec![
        ("cull".to_owned(), cull_shader()),
        ("arguments".to_owned(), arguments_shader()),
        ("vertex_unpack".to_owned(), vertex_unpack_shader().to_owned()),
    ];
    for storage in STORAGES {
        shaders.push((format!("attach {storage:?}"), attach_shader(storage)));
        for precision in PRECISIONS {
            shaders.push((format!("palette {storage:?} {precision:?}"), palette_shader(storage, precision)));
            if storage.is_local() {
                for poses in [NodePoses::Similar, NodePoses::Rows, NodePoses::Many] {
                    let shader = local_palette_shader(storage, precision, poses);
                    shaders.push((format!("palette {storage:?} {precision:?} {poses:?}"), shader));
                }
                shaders.push((format!("moments {storage:?}"), moments_shader(storage)));
            }
        }
    }
    let sources = PRECISIONS.map(BoneSource::Palette).into_iter().chain(STORAGES.map(BoneSource::Pages));
    for bones in sources.chain([BoneSource::Attributes]) {
        for wide in [false, true] {
            for group in [0, 3] {
                let name = |what: &str| format!("{what} {bones:?} wide {wide} group {group}");
                shaders.push((name("skin"), skin_module(bones, wide, group)));
                for invariant in [false, true] {
                    let name = name(&format!("color invariant {invariant}"));
                    shaders.push((name, color_shader(bones, wide, group, invariant)));
                }
                for invariant in [false, true] {
                    let name = name(&format!("depth invariant {invariant}"));
                    shaders.push((name, depth_shader(bones, wide, group, invariant)));
                }
            }
        }
    }
    shaders
}

#[test]
fn every_shader_is_valid_in_every_configuration() {
    let shaders = all_shaders();
    assert!(shaders.len() > 60);
    for (name, source) in shaders {
        let module = parse(&source);
        // `unpack2x16float` is in every WebGPU; naga wants to hear it.
        let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

#[test]
fn vertex_shaders_bind_no_more_storage_buffers_than_promised() {
    for (bones, most) in [
        (BoneSource::Palette(PalettePrecision::Full), 4),
        (BoneSource::Palette(PalettePrecision::Half), 4),
        (BoneSource::Pages(PageStorage::Buffer32), 7),
        (BoneSource::Pages(PageStorage::Local8), 6),
        (BoneSource::Attributes, 0),
    ] {
        let module = parse(&color_shader(bones, false, 0, false));
        let storage = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }))
            .count();
        assert_eq!(storage, most, "{bones:?}");
    }
}

/// Locations of the vertex attributes that an entry point reads, ascending, and whether each is of floats.
fn inputs_of(module: &naga::Module, entry: &str) -> Vec<(u32, bool)> {
    let is_float = |ty: naga::Handle<naga::Type>| {
        module.types[ty].inner.scalar_kind().expect("a vector") == naga::ScalarKind::Float
    };
    let location = |binding: &Option<naga::Binding>, ty| match binding {
        Some(naga::Binding::Location { location, .. }) => Some((*location, is_float(ty))),
        _ => None,
    };
    let entry = module.entry_points.iter().find(|found| found.name == entry).expect("an entry point");
    let mut inputs = Vec::new();
    for argument in &entry.function.arguments {
        inputs.extend(location(&argument.binding, argument.ty));
        if let naga::TypeInner::Struct { members, .. } = &module.types[argument.ty].inner {
            inputs.extend(members.iter().filter_map(|member| location(&member.binding, member.ty)));
        }
    }
    inputs.sort_unstable();
    inputs
}

#[test]
fn vertex_attributes_are_where_the_layouts_put_them() {
    let mut checked = 0;
    for bones in [BoneSource::Palette(PalettePrecision::Full), BoneSource::Attributes] {
        for wide in [false, true] {
            let instance = (bones == BoneSource::Attributes).then(instance_layout);
            let layouts = [Some(pose_layout(wide)), Some(surface_layout()), instance];
            let mut given: Vec<(u32, bool)> = layouts
                .iter()
                .flatten()
                .flat_map(|layout| layout.attributes)
                .map(|attribute| {
                    (attribute.shader_location, !format!("{:?}", attribute.format).contains("int"))
                })
                .collect();
            given.sort_unstable();
            assert!(given.windows(2).all(|pair| pair[0].0 < pair[1].0), "a location twice: {given:?}");
            assert!(given.len() <= wgpu::Limits::downlevel_webgl2_defaults().max_vertex_attributes as usize);
            let (color, depth) = (color_shader(bones, wide, 0, true), depth_shader(bones, wide, 0, true));
            for (source, entry) in
                [(&color, "color_vertex"), (&depth, "depth_vertex"), (&depth, "masked_vertex")]
            {
                let read = inputs_of(&parse(source), entry);
                assert!(
                    read.iter().all(|input| given.contains(input)),
                    "{entry} {bones:?}: {read:?} of {given:?}"
                );
                let of_instance = read.iter().filter(|(location, _)| *location >= 4).count();
                assert_eq!(of_instance, if bones == BoneSource::Attributes { 8 } else { 0 });
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 12);
}

/// wgpu's OpenGL backend runs desktop OpenGL where there is one; browsers have the older GLSL ES 3.00.
#[test]
fn the_direct_shaders_can_be_written_in_the_shading_language_of_webgl2() {
    let options = naga::back::glsl::Options {
        version: naga::back::glsl::Version::Embedded { version: 300, is_webgl: true },
        ..naga::back::glsl::Options::default()
    };
    let mut written = 0;
    for wide in [false, true] {
        for source in [
            color_shader(BoneSource::Attributes, wide, 0, wide),
            depth_shader(BoneSource::Attributes, wide, 3, !wide),
        ] {
            let module = parse(&source);
            let flags = naga::valid::ValidationFlags::all();
            let info =
                naga::valid::Validator::new(flags, naga::valid::Capabilities::empty()).validate(&module);
            let info = info.expect("a valid shader");
            for entry in &module.entry_points {
                let pipeline = naga::back::glsl::PipelineOptions {
                    shader_stage: entry.stage,
                    entry_point: entry.name.clone(),
                    multiview: None,
                };
                let mut glsl = String::new();
                let policies = naga::proc::BoundsCheckPolicies::default();
                naga::back::glsl::Writer::new(&mut glsl, &module, &info, &options, &pipeline, policies)
                    .and_then(|mut writer| writer.write())
                    .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
                assert!(glsl.starts_with("#version 300 es") && !glsl.contains("#extension"), "{glsl}");
                written += 1;
            }
        }
    }
    // Colour: vertex and fragment; depth: two of vertices and one of fragments.
    assert_eq!(written, 2 * (2 + 3));
}

/// Name, size and members of a struct on the Rust side.
macro_rules! rust_layout {
    ($name:ident: $($member:ident),+) => {
        (stringify!($name), size_of::<$name>(), vec![$((stringify!($member), offset_of!($name, $member))),+])
    };
}

#[test]
fn struct_members_are_where_rust_puts_them() {
    let layouts = [
        rust_layout!(GpuLayer: clip_and_flags, start_low, high_halves, start_phase, rate_low, rate_high,
            fade_low, fade_ticks),
        rust_layout!(InstancePlayback: layers),
        rust_layout!(ClipTrack: first_texel, intervals, step_interpolation, held_word),
        rust_layout!(FrameUniform: now_tick, view_count, instances, groups, capacity, table, shadow_first,
            sun_direction, shadow_count, sun_color, shadow_bias_metres, ambient_color, shadow_texel, clip_from_world,
            planes),
        rust_layout!(InstanceCull: sphere, parent, model_and_flags, padding_a, padding_b),
        rust_layout!(InstanceMotion: velocity, padding, start_tick, padding_b),
        rust_layout!(InstanceTraits: color, user_data, part_mask),
        rust_layout!(CullRound: first_bin, bins, models, counts_base),
        rust_layout!(CullBin: view, model, part, mirror, list_base, padding_a, padding_b, padding_c),
        rust_layout!(DrawPlan: bin, list_base, first_index, index_count, first_place, end_place, takes_all, padding),
        rust_layout!(ArgumentsUniform: draws, palettes, dispatches_base, whole_lists),
        rust_layout!(PalettePlan: bin, list_base, first, slots, bones, threads_log2, in_group, nodes, rounds,
            rounds_entry, bones_entry, padding),
        rust_layout!(AttachRecord: child, parent, bone, padding, bind_from_child),
        rust_layout!(AttachUniform: first, count, bones, padding),
        rust_layout!(AnimDraw: box_min, bones, box_size, number, base_color, view, first_place, rigid, alpha_cutoff,
            part, checks_part, list, padding),
    ];
    let modules: Vec<naga::Module> = [
        palette_shader(PageStorage::Buffer32, PalettePrecision::Full),
        cull_shader(),
        arguments_shader(),
        attach_shader(PageStorage::Buffer32),
        color_shader(BoneSource::Palette(PalettePrecision::Full), false, 0, false),
    ]
    .iter()
    .map(|source| parse(source))
    .collect();
    // WGSL names that differ: the crate's own name says that it is the whole frame's.
    let wgsl_name =
        |rust: &str| if rust == "FrameUniform" { "AnimFrame".to_owned() } else { rust.to_owned() };
    for (name, size, members) in layouts {
        let wanted = wgsl_name(name);
        let mut found_in = 0;
        for module in &modules {
            let Some((_, ty)) = module.types.iter().find(|(_, ty)| ty.name.as_ref() == Some(&wanted)) else {
                continue;
            };
            let naga::TypeInner::Struct { members: found, span } = &ty.inner else {
                panic!("{name} is no struct")
            };
            found_in += 1;
            assert_eq!(*span as usize, size, "size of {name}");
            assert_eq!(found.len(), members.len(), "members of {name}");
            for (found, (member, offset)) in found.iter().zip(&members) {
                assert_eq!(found.name.as_deref(), Some(*member), "{name}");
                assert_eq!(found.offset as usize, *offset, "{name}.{member}");
            }
        }
        assert!(found_in > 0, "no shader has {name}");
    }
}

#[test]
fn constants_are_the_same_on_both_sides() {
    let palette = parse(&palette_shader(PageStorage::Buffer32, PalettePrecision::Full));
    let local = parse(&palette_shader(PageStorage::Local8, PalettePrecision::Full));
    let local32 = parse(&palette_shader(PageStorage::Local32, PalettePrecision::Full));
    let cull = parse(&cull_shader());
    let skin = parse(&skin_module(BoneSource::Palette(PalettePrecision::Full), false, 0));
    let literal = |module: &naga::Module, name: &str| {
        let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
        let init = found.unwrap_or_else(|| panic!("no constant {name}")).1.init;
        match module.global_expressions[init] {
            naga::Expression::Literal(literal) => literal,
            ref other => panic!("{name} is {other:?}"),
        }
    };
    let table = [
        (&palette, "LAYERS_MAX", u32::try_from(layers::LAYERS_MAX).expect("three")),
        (&palette, "LAYER_ACTIVE", layers::LAYER_ACTIVE),
        (&palette, "LAYER_BACKWARDS", layers::LAYER_BACKWARDS),
        (&palette, "LAYER_RETURNING", layers::LAYER_RETURNING),
        (&palette, "LAYER_LEAVING", layers::LAYER_LEAVING),
        (&palette, "LAYER_MODE_SHIFT", layers::LAYER_MODE_SHIFT),
        (&palette, "LAYER_MASK_SHIFT", layers::LAYER_MASK_SHIFT),
        (&local, "LOCAL_ANIMATED", anim_core::local_record::LOCAL_ANIMATED),
        (&local, "LOCAL_MATRIX", anim_core::local_record::LOCAL_MATRIX),
        (&palette, "LAYER_CLIP_MASK", layers::LAYER_CLIP_MASK),
        (&cull, "INSTANCE_ALIVE", anim_wgpu::INSTANCE_ALIVE),
        (&cull, "INSTANCE_HIDDEN", anim_wgpu::INSTANCE_HIDDEN),
        (&cull, "INSTANCE_MOVING", anim_wgpu::INSTANCE_MOVING),
        (&cull, "INSTANCE_POINT_MIRRORS", anim_wgpu::INSTANCE_POINT_MIRRORS),
        (&cull, "INSTANCE_MODEL_MASK", anim_wgpu::INSTANCE_MODEL_MASK),
        (&cull, "ATTACH_DEPTH_MAX", anim_wgpu::ATTACH_DEPTH_MAX),
        (&skin, "LIST_IS_ALL", anim_wgpu::LIST_IS_ALL),
        (&skin, "LIST_IN_TABLE", anim_wgpu::LIST_IN_TABLE),
    ];
    for (module, name, expected) in table {
        assert_eq!(literal(module, name), naga::Literal::U32(expected), "{name}");
    }
    let numbers = [
        (&cull, "CULL_SLACK", CULL_SLACK),
        (&local, "ROTATION_ZERO", local_encoding::ROTATION_ZERO),
        (&local, "ROTATION_STEP", local_encoding::ROTATION_STEP),
        (&local, "RANGED_STEP", local_encoding::RANGED_STEP),
        (&local, "FLIP_BELOW", anim_core::local_pose::FLIP_BELOW),
        (&local32, "LOCAL_VALUE_MAX", local_encoding::LOCAL_VALUE_MAX),
    ];
    for (module, name, expected) in numbers {
        assert_eq!(literal(module, name), naga::Literal::F32(expected), "{name}");
    }
    // The views of a frame are one 16-bit mask in the culling passes.
    assert_eq!(VIEWS_MAX, 16);
}
