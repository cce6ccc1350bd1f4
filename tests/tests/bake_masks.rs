//! Masks as a bake makes them: which nodes they hold, and what cannot be meant.

use anim_bake::gltf::{Import, import};
use anim_bake::{BakeSettings, Diagnostic, MaskSetting, bake_import};
use anim_format::model::Encoding;
use anim_tests::gltf_builder::GltfBuilder;
use serde_json::json;

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const FIRST_JOINT: ([[u16; 4]; 3], [[f32; 4]; 3]) = ([[0; 4]; 3], [[1.0, 0.0, 0.0, 0.0]; 3]);

fn imported(builder: &GltfBuilder) -> Import {
    import(&builder.bytes(), &|uri: &str| Err(std::io::Error::other(uri.to_owned())), None)
        .expect("a valid model")
}

fn problems(builder: &GltfBuilder, settings: &BakeSettings) -> Vec<Diagnostic> {
    bake_import(&imported(builder), settings).expect_err("no such masks").diagnostics().to_vec()
}

fn mask(name: &str, nodes: &[&str]) -> MaskSetting {
    MaskSetting { name: name.into(), nodes: nodes.iter().map(|node| (*node).to_owned()).collect() }
}

fn local(masks: &[MaskSetting]) -> BakeSettings {
    BakeSettings { encodings: vec![Encoding::Local8], masks: masks.to_vec(), ..BakeSettings::default() }
}

/// A tree: hips [spine [head [-hat], unnamed [hand]], leg=l, helper], and the numbers of these nodes but for the last.
fn tree() -> (GltfBuilder, [usize; 7]) {
    let mut g = GltfBuilder::new();
    let hips = g.node(None, json!({"name": "hips"}));
    let spine = g.node(Some(hips), json!({"name": "spine"}));
    let leg = g.node(Some(hips), json!({"name": "leg=l"}));
    let head = g.node(Some(spine), json!({"name": "head"}));
    let unnamed = g.node(Some(spine), json!({}));
    let hat = g.node(Some(head), json!({"name": "-hat"}));
    let hand = g.node(Some(unnamed), json!({"name": "hand"}));
    // Nothing hangs on it: it is not baked.
    g.node(Some(hips), json!({"name": "helper"}));
    let skin = g.skin(&[hips, spine, leg, head, hat, hand], None);
    let mesh = g.mesh(&TRIANGLE, &[(&FIRST_JOINT.0, &FIRST_JOINT.1)]);
    g.node(None, json!({"mesh": mesh, "skin": skin}));
    (g, [hips, spine, leg, head, unnamed, hat, hand])
}

#[test]
fn a_mask_holds_the_nodes_it_names_and_their_descendants_but_for_those_left_out() {
    let (g, [hips, spine, leg, head, unnamed, hat, hand]) = tree();
    let table: [(MaskSetting, &[usize]); 8] = [
        (mask("upper", &["spine"]), &[spine, head, unnamed, hat, hand]),
        (mask("upper body", &["-head", "spine"]), &[spine, unnamed, hand]),
        (mask("hat", &["spine", "-head", "[-]hat"]), &[spine, unnamed, hat, hand]),
        (mask("bare", &["head", "--hat"]), &[head]),
        (mask("ends", &["ha*", "leg=l"]), &[leg, hand]),
        (mask("all", &["hips"]), &[hips, spine, leg, head, unnamed, hat, hand]),
        (mask("one", &["hips", "-*", "spine"]), &[]),
        (mask("two", &["h{ead,and}"]), &[head, hat, hand]),
    ];
    for (mask, expected) in table {
        let result = bake_import(&imported(&g), &local(std::slice::from_ref(&mask)));
        if expected.is_empty() {
            let error = result.map(|_| ()).expect_err("everything is left out");
            assert_eq!(error.diagnostics()[0].id, "mask-empty", "{error}");
            continue;
        }
        let baked = result.expect("it bakes");
        assert_eq!(baked.file.masks.len(), 1);
        assert_eq!(baked.file.masks[0].name, mask.name);
        let words = &baked.file.masks[0].words;
        let mut found: Vec<usize> = (0..baked.file.nodes.len())
            .filter(|node| words[node / 32] >> (node % 32) & 1 == 1)
            .map(|node| baked.file.nodes[node].source_node as usize)
            .collect();
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{mask:?}");
        let settings = &baked.file.metadata.as_ref().expect("metadata").settings;
        let kept = settings.iter().find(|(name, _)| name == "mask").expect("the setting");
        assert_eq!(kept.1, format!("{}={}", mask.name, mask.nodes.join(",")));
        assert!(!baked.warnings.iter().any(|warning| warning.id == "mask-without-local-tracks"));
    }
}

#[test]
fn what_no_mask_can_be_is_an_error_that_says_what_there_is() {
    let (g, _) = tree();
    let failing = [
        (vec![mask("", &["spine"])], "mask-name-invalid", "\"\""),
        (vec![mask("a=b", &["spine"])], "mask-name-invalid", "a=b"),
        (vec![mask("a", &["spine"]), mask("a", &["head"])], "mask-name-repeated", "\"a\""),
        (vec![mask("a", &[])], "mask-empty", "--mask a"),
        (vec![mask("a", &["-spine"])], "mask-empty", "-spine"),
        (vec![mask("a", &["spine", ""])], "pattern-empty", "--mask a"),
        (vec![mask("a", &["spine", "-"])], "pattern-empty", "--mask a"),
        (vec![mask("a", &["spine", "Head"])], "mask-node-not-found", "\"head\""),
        (vec![mask("a", &["spine", "-neck"])], "mask-node-not-found", "\"neck\""),
        (vec![mask("a", &["helper"])], "mask-node-not-found", "\"helper\""),
        ((0..256).map(|n| mask(&n.to_string(), &["spine"])).collect(), "too-many-masks", "256"),
    ];
    for (masks, id, text) in failing {
        let found = problems(&g, &local(&masks));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].id == id && found[0].to_string().contains(text), "{}", found[0]);
    }
    // Every problem at once; and rows, which have no masks.
    assert_eq!(problems(&g, &local(&[mask("a", &["x", "-y"]), mask("a", &["z"])])).len(), 4);
    let rows = BakeSettings {
        masks: vec![mask("a", &["spine"])],
        encodings: vec![Encoding::Affine16],
        ..BakeSettings::default()
    };
    let rows = bake_import(&imported(&g), &rows).expect("it bakes");
    assert!(rows.warnings.iter().any(|warning| warning.id == "mask-without-local-tracks"));
    assert_eq!(rows.file.masks.len(), 1);
    let most: Vec<MaskSetting> = (0..255).map(|n| mask(&n.to_string(), &["spine"])).collect();
    assert_eq!(bake_import(&imported(&g), &local(&most)).expect("it bakes").file.masks.len(), 255);
}
