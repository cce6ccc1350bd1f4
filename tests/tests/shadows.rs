//! Shadow maps and depth prepasses: shadows are where they belong, masked parts have holes in them, and a prepass
//! changes no pixel.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "small pictures"
)]

use anim_bake::BakeSettings;
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_tests::gltf_builder::GltfBuilder;
use anim_tests::picture::{self, Picture};
use anim_tests::random_layers::Random;
use anim_tests::rigs;
use anim_tests::stage::Stage;
use anim_wgpu::{CrowdPipelines, CrowdSettings, Instance, Lighting, ModelSource, ShadowMap, Target, View};
use serde_json::json;

const SIZE: (u32, u32) = (96, 96);

fn at(x: f32, y: f32, z: f32, scale: f32) -> Rows {
    [[scale, 0.0, 0.0, x], [0.0, scale, 0.0, y], [0.0, 0.0, scale, z]]
}

/// A level square from -1 to 1 that faces up, seen from both sides. With `masked` its left half (x < 0) is a hole.
fn sheet(masked: bool) -> AnimFile<'static> {
    let mut g = GltfBuilder::new();
    let corner = |x: f32, z: f32| [x, 0.0, z];
    let (a, b, c, d) = (corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0));
    let corners = [a, b, c, a, c, d];
    let mesh = g.mesh(&corners, &[]);
    let uvs: Vec<[f32; 2]> = corners.iter().map(|[x, _, z]| [x * 0.5 + 0.5, z * 0.5 + 0.5]).collect();
    let normals = [[0.0, 1.0, 0.0]; 6];
    let (uv, normal) = (g.floats("VEC2", uvs.as_flattened()), g.floats("VEC3", normals.as_flattened()));
    let primitive = &mut g.root["meshes"][mesh]["primitives"][0];
    primitive["attributes"]["TEXCOORD_0"] = json!(uv);
    primitive["attributes"]["NORMAL"] = json!(normal);
    primitive["material"] = json!(0);
    let mut material = json!({"doubleSided": true});
    if masked {
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbaImage::from_fn(16, 16, |x, _| image::Rgba([255, 255, 255, if x < 8 { 0 } else { 255 }]))
            .write_to(&mut png, image::ImageFormat::Png)
            .expect("a small image");
        let bytes = png.into_inner();
        let accessor =
            g.accessor(json!({"componentType": 5121, "type": "SCALAR", "count": bytes.len()}), &bytes);
        let view = g.root["accessors"][accessor]["bufferView"].clone();
        g.root["images"] = json!([{"bufferView": view, "mimeType": "image/png"}]);
        g.root["samplers"] = json!([{"magFilter": 9728, "minFilter": 9728}]);
        g.root["textures"] = json!([{"source": 0, "sampler": 0}]);
        material["alphaMode"] = json!("MASK");
        material["pbrMetallicRoughness"] = json!({"baseColorTexture": {"index": 0}});
    }
    g.root["materials"] = json!([material]);
    g.node(None, json!({"name": "sheet", "mesh": mesh}));
    rigs::baked(&g, &BakeSettings::default())
}

/// Draws view 1 to layer 0 of a shadow map, if there is one, and view 0 to a picture.
fn draw(stage: &mut Stage, views: &[View], shadow: Option<&ShadowMap>) -> Picture {
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target");
    stage.crowd.set_shadow_map(shadow);
    let shadow_views = if shadow.is_some() { [1, 2] } else { [0, 0] };
    let lighting = Lighting { to_sun: [0.0, 1.0, 0.0], shadow_views, ..Lighting::default() };
    stage.crowd.set_lighting(&lighting);
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    stage.crowd.prepare(&stage.device, &stage.queue, &mut encoder, views).expect("a small crowd");
    if let Some(map) = shadow {
        let pipelines =
            CrowdPipelines::new(&stage.device, &stage.crowd, &Target::shadow_map()).expect("a target");
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &map.layers()[0],
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        stage.crowd.draw(&mut pass, &pipelines, 1);
    }
    picture::draw(&stage.device, &stage.queue, encoder, SIZE, &[(&stage.crowd, &pipelines)])
}

/// Brightness of the pixel that shows a point of the world.
fn brightness(picture: &Picture, view: &View, point: [f32; 3]) -> u32 {
    let m = view.clip_from_world;
    let [x, y, _, w]: [f32; 4] =
        std::array::from_fn(|r| m[0][r] * point[0] + m[1][r] * point[1] + m[2][r] * point[2] + m[3][r]);
    let column = ((x / w * 0.5 + 0.5) * picture.width as f32) as usize;
    let row = ((0.5 - y / w * 0.5) * picture.height as f32) as usize;
    let at = (row * picture.width as usize + column) * 4;
    picture.pixels[at..at + 3].iter().map(|v| u32::from(*v)).sum()
}

#[test]
fn a_crowd_casts_shadows_on_itself_where_they_belong_with_holes_where_it_is_masked() {
    for masked in [false, true] {
        for max_visible in [u32::MAX, 0] {
            let (ground, caster) = (sheet(false), sheet(masked));
            let sources =
                [&ground, &caster].map(|file| ModelSource { max_visible, ..ModelSource::new(file) });
            let mut stage = Stage::of_sources(&sources, &CrowdSettings::default());
            let add = |stage: &mut Stage, model, world_from_model| {
                stage.crowd.add(&Instance { model, world_from_model, ..Instance::default() }).expect("room");
            };
            add(&mut stage, 0, at(0.0, 0.0, 0.0, 3.0));
            add(&mut stage, 1, at(0.0, 2.5, 0.0, 1.0));
            // From the side, below the caster, so that it hides nothing of the ground's middle.
            let view = View::look_at([0.0, 1.8, 6.0], [0.0, 0.3, 0.0], 0.9, 1.0, 0.1, 50.0);
            let views = [view, View::sun([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 5.0)];
            let map = ShadowMap::new(&stage.device, 256, 1);
            let lit = draw(&mut stage, &views, None);
            let shadowed = draw(&mut stage, &views, Some(&map));
            for (point, in_shadow) in [
                ([0.5, 0.0, 0.0], true),
                ([0.8, 0.0, 0.8], true),
                ([-0.5, 0.0, 0.0], !masked),
                ([-0.8, 0.0, 0.8], !masked),
                ([1.6, 0.0, 0.0], false),
                ([-1.6, 0.0, 0.5], false),
                ([0.0, 0.0, 1.8], false),
            ] {
                let (before, after) = (brightness(&lit, &view, point), brightness(&shadowed, &view, point));
                let is_darker = after * 10 < before * 8;
                assert_eq!(
                    is_darker, in_shadow,
                    "{point:?} masked {masked}, {max_visible} palettes: {before} {after}"
                );
                assert!(in_shadow || before.abs_diff(after) < 12, "{point:?}: {before} {after}");
            }
        }
    }
}

#[test]
fn shadows_of_walking_people_darken_what_is_behind_them_and_nothing_without_a_map() {
    let biped = rigs::sample("biped", &BakeSettings::default());
    let ground = sheet(false);
    let mut stage = Stage::new(&[&ground, &biped], &CrowdSettings::default());
    stage
        .crowd
        .add(&Instance { world_from_model: at(0.0, 0.0, 0.0, 4.0), ..Instance::default() })
        .expect("room");
    for number in 0..6u8 {
        let world_from_model =
            at(f32::from(number % 3) * 1.2 - 1.2, 0.0, f32::from(number / 3) * 1.2 - 0.6, 1.0);
        let clip = u32::from(number % 3);
        stage.crowd.add(&Instance { model: 1, world_from_model, clip, ..Instance::default() }).expect("room");
    }
    stage.crowd.update(0.4);
    let view = View::look_at([0.0, 3.0, 6.0], [0.0, 0.5, 0.0], 0.8, 1.0, 0.1, 50.0);
    let views = [view, View::sun([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 6.0)];
    let map = ShadowMap::new(&stage.device, 256, 1);
    let lit = draw(&mut stage, &views, None);
    let shadowed = draw(&mut stage, &views, Some(&map));
    let (over, _) = picture::difference(&lit, &shadowed, 24);
    assert!(over > 0.004 && over < 0.3, "{over} of the pixels");
    let darker = |(a, b): (&u8, &u8)| b <= a || b.abs_diff(*a) < 4;
    assert!(lit.pixels.iter().zip(&shadowed.pixels).all(darker), "a shadow makes nothing brighter");
    assert!(draw(&mut stage, &views, None) == lit, "and leaves nothing behind");
}

#[test]
fn a_depth_prepass_changes_no_pixel() {
    let (biped, holes) = (rigs::sample("biped", &BakeSettings::default()), sheet(true));
    let mut random = Random(17);
    for max_visible in [u32::MAX, 7, 0] {
        let sources = [&biped, &holes].map(|file| ModelSource { max_visible, ..ModelSource::new(file) });
        let mut stage = Stage::of_sources(&sources, &CrowdSettings::default());
        for number in 0..24u32 {
            let world_from_model = rigs::random_transform(1.5, 0.6, &mut random);
            let model = u32::from(number % 4 == 3);
            let clip = if model == 0 { number % 5 } else { 0 };
            let handle = stage
                .crowd
                .add(&Instance { model, world_from_model, clip, ..Instance::default() })
                .expect("room");
            if model == 0 {
                stage.crowd.play(handle, (number + 1) % 5, 3.0).expect("a clip");
            }
        }
        stage.crowd.update(1.234);
        let view = View::look_at([0.5, 1.5, 5.0], [0.0, 0.5, 0.0], 0.8, 1.0, 0.1, 50.0);
        // Of two surfaces at the very same depth the last one wins, as it does after a prepass.
        let target = Target { depth_compare: wgpu::CompareFunction::LessEqual, ..picture::target() };
        let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &target).expect("a target");
        let depth_only = CrowdPipelines::new(&stage.device, &stage.crowd, &Target { color: None, ..target })
            .expect("a target");
        let equal = Target { depth_compare: wgpu::CompareFunction::Equal, depth_write: false, ..target };
        let equal = CrowdPipelines::new(&stage.device, &stage.crowd, &equal).expect("a target");
        stage.prepare(&[view]);
        let encoder = stage.device.create_command_encoder(&Default::default());
        let plain = picture::draw(&stage.device, &stage.queue, encoder, SIZE, &[(&stage.crowd, &pipelines)]);
        let encoder = stage.device.create_command_encoder(&Default::default());
        let after = picture::draw_after_depth(
            &stage.device,
            &stage.queue,
            encoder,
            SIZE,
            |pass| stage.crowd.draw(pass, &depth_only, 0),
            |pass| stage.crowd.draw(pass, &equal, 0),
        );
        assert!(plain == after, "{max_visible} palettes: {:?}", picture::difference(&plain, &after, 0));
        let drawn = plain.pixels.chunks(4).filter(|pixel| *pixel != &plain.pixels[..4]).count();
        assert!(drawn > 500, "{drawn} pixels");
    }
}
