//! Numbers and struct layouts that Rust and WGSL share, checked without a GPU.

use std::mem::offset_of;

use anim_core::layers;
use anim_core::layers::GpuLayer;
use anim_wgpu::{
    ClipTrack, InstancePlayback, PageStorage, PaletteUniform, palette_shader, vertex_unpack_shader,
};

const STORAGES: [PageStorage; 3] = [PageStorage::Buffer32, PageStorage::Buffer16, PageStorage::Texture];

fn parse(source: &str) -> naga::Module {
    naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
}

#[test]
fn every_shader_is_valid_in_every_configuration() {
    for storage in STORAGES {
        let module = parse(&palette_shader(storage));
        // `unpack2x16float` is in every WebGPU; naga wants to hear it.
        let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        validator.validate(&module).unwrap_or_else(|error| panic!("{storage:?}: {error:?}"));
    }
}

#[test]
fn the_vertex_shader_functions_need_no_feature_and_have_their_twins_names() {
    let module = parse(vertex_unpack_shader());
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("{error:?}"));
    for name in ["unpack_vertex", "unpack_vertex_wide", "unpack_position", "unpack_normal", "unpack_weights"]
    {
        let found = module.functions.iter().any(|(_, function)| function.name.as_deref() == Some(name));
        assert!(found, "{name}");
    }
}

#[test]
fn struct_members_are_where_rust_puts_them() {
    let module = parse(&palette_shader(PageStorage::Buffer32));
    let mut checked = 0;
    let mut check = |name: &str, size: usize, members: &[(&str, usize)]| {
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        let naga::TypeInner::Struct { members: found, span } = &found.expect(name).1.inner else {
            panic!("{name} is no struct");
        };
        assert_eq!(*span as usize, size, "size of {name}");
        assert_eq!(found.len(), members.len(), "members of {name}");
        for (found, (member, offset)) in found.iter().zip(members) {
            assert_eq!(found.name.as_deref(), Some(*member), "{name}");
            assert_eq!(found.offset as usize, *offset, "{name}.{member}");
            checked += 1;
        }
    };
    check(
        "GpuLayer",
        size_of::<GpuLayer>(),
        &[
            ("clip_and_flags", offset_of!(GpuLayer, clip_and_flags)),
            ("start_low", offset_of!(GpuLayer, start_low)),
            ("high_halves", offset_of!(GpuLayer, high_halves)),
            ("start_phase", offset_of!(GpuLayer, start_phase)),
            ("rate_low", offset_of!(GpuLayer, rate_low)),
            ("rate_high", offset_of!(GpuLayer, rate_high)),
            ("fade_start_low", offset_of!(GpuLayer, fade_start_low)),
            ("fade_ticks", offset_of!(GpuLayer, fade_ticks)),
        ],
    );
    check(
        "InstancePlayback",
        size_of::<InstancePlayback>(),
        &[("layers", offset_of!(InstancePlayback, layers))],
    );
    check(
        "ClipTrack",
        size_of::<ClipTrack>(),
        &[
            ("first_texel", offset_of!(ClipTrack, first_texel)),
            ("intervals", offset_of!(ClipTrack, intervals)),
            ("step_interpolation", offset_of!(ClipTrack, step_interpolation)),
            ("held_word", offset_of!(ClipTrack, held_word)),
        ],
    );
    check(
        "PaletteUniform",
        size_of::<PaletteUniform>(),
        &[
            ("now_tick", offset_of!(PaletteUniform, now_tick)),
            ("visible", offset_of!(PaletteUniform, visible)),
            ("bones", offset_of!(PaletteUniform, bones)),
        ],
    );
    assert_eq!(checked, 16);
}

#[test]
fn constants_are_the_same_on_both_sides() {
    let module = parse(&palette_shader(PageStorage::Buffer32));
    let constant = |name: &str| -> u32 {
        let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
        let init = found.unwrap_or_else(|| panic!("no constant {name}")).1.init;
        match module.global_expressions[init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => value,
            ref other => panic!("{name} is {other:?}"),
        }
    };
    let table = [
        ("LAYERS_MAX", u32::try_from(layers::LAYERS_MAX).expect("three")),
        ("LAYER_ACTIVE", layers::LAYER_ACTIVE),
        ("LAYER_BACKWARDS", layers::LAYER_BACKWARDS),
        ("LAYER_RETURNING", layers::LAYER_RETURNING),
        ("LAYER_MODE_SHIFT", layers::LAYER_MODE_SHIFT),
        ("LAYER_CLIP_MASK", layers::LAYER_CLIP_MASK),
    ];
    for (name, expected) in table {
        assert_eq!(constant(name), expected, "{name}");
    }
}
