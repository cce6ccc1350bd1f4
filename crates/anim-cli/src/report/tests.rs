//! Pages of hostile files are well formed, whatever names and numbers they hold.

use std::borrow::Cow;

use anim_bake::gltf::import;
use anim_bake::measure::{ErrorMoment, ErrorProfile, TradeOff, TradePoint, TradeRate};
use anim_bake::{BakeSettings, bake_import};
use anim_format::model::{AnimFile, Encoding};

use super::*;

/// Names that would be markup, turn text around, or fill the page.
const HOSTILE: [&str; 5] =
    ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "a\u{202e}b\u{0}\n]]>", "&amp;", "-->"];

/// A sample of the workspace with hostile names, and as many clips and nodes as asked for.
fn hostile(clips: usize, nodes: usize) -> AnimFile<'static> {
    let bytes =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/bird.glb")).expect("a sample");
    let none = |_: &str| Err(std::io::Error::other("none"));
    let import = import(&bytes, &none, None).expect("a model");
    let mut file = bake_import(&import, &BakeSettings::default()).expect("it bakes").file;
    let long = "x".repeat(10_000);
    let names = || HOSTILE.into_iter().chain([long.as_str()]).map(str::to_owned).cycle();
    let clip = file.clips[0].clone();
    file.clips = names()
        .take(clips)
        .map(|name| anim_format::model::Clip { name: Cow::Owned(name), ..clip.clone() })
        .collect();
    let node = file.nodes[1].clone();
    file.nodes.resize(nodes.max(file.nodes.len()), node);
    for (node, name) in file.nodes.iter_mut().zip(names()) {
        node.name = Cow::Owned(name);
    }
    let accuracy = &mut file.metadata.as_mut().expect("metadata").accuracy[0];
    let figures = accuracy.clips[0];
    accuracy.clips = vec![figures; clips];
    file
}

fn curves(file: &AnimFile<'_>, metres: f64) -> Curves {
    let moments: Vec<ErrorMoment> = (0..50u32)
        .map(|i| ErrorMoment {
            seconds: f64::from(i) / 49.0,
            max_metres: (i != 20).then_some(metres * f64::from(i)),
            matrices_metres: Some(metres * 100.0),
        })
        .collect();
    let profile = ErrorProfile { moments, by_node: vec![Some(metres); file.nodes.len()] };
    let point = |encoding, bytes| TradePoint {
        rate: TradeRate::Own(1.0),
        encoding,
        frames: 9,
        bytes,
        max_metres: metres,
    };
    let points = [Encoding::Local8, Encoding::Local32, Encoding::Affine16, Encoding::Affine32];
    Curves {
        profiles: vec![vec![profile; file.clips.len()]],
        trade_off: TradeOff {
            points: points.into_iter().zip(1..).map(|(encoding, i)| point(encoding, i * 1000)).collect(),
            chosen: vec![point(Encoding::Local8, 1000)],
            matrices: Some(point(Encoding::Affine32, u64::MAX)),
            rates_left_out: true,
        },
    }
}

fn page(file: &AnimFile<'_>, curves: Option<&Curves>) -> String {
    let page = Page {
        name: HOSTILE[1].into(),
        length_bytes: 12_345,
        file,
        accuracy: &file.metadata.as_ref().expect("metadata").accuracy,
        measured: curves.is_some(),
        checks: vec![("failed", "accuracy", HOSTILE[0].into())],
        curves,
    };
    page.to_html()
}

/// Checks that every element ends where it has to, and that no attribute holds markup. Returns how many elements there are.
#[track_caller]
fn check_markup(html: &str) -> usize {
    let body = html.strip_prefix(MAGIC).expect("it begins as all pages do");
    let (before, rest) = body.split_once("<style>").expect("a style");
    let (_, after) = rest.split_once("</style>").expect("the end of the style");
    let mut open: Vec<&str> = Vec::new();
    let mut count = 0;
    for text in [before, after] {
        for piece in text.split('<').skip(1) {
            let (tag, content) = piece.split_once('>').unwrap_or_else(|| panic!("no end: {piece:.80}"));
            assert!(!content.contains('>'), "a loose >: {piece:.200}");
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes: {tag:.200}");
            assert!(!content.contains('"'), "a loose quote: {content:.200}");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{piece:.200}"),
                None if tag.ends_with('/') => count += 1,
                None => {
                    count += 1;
                    open.push(tag.split(' ').next().unwrap_or(tag));
                }
            }
        }
    }
    assert_eq!(open, [""; 0], "left open");
    let entities = html.split('&').skip(1);
    for entity in entities {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(known.iter().any(|known| entity.starts_with(known)), "&{entity:.20}");
    }
    for harmful in ["<script", "<img", "onerror=\"", "http", "//", "NaN", "inf\"", "url(", "@import"] {
        assert!(!html.contains(harmful), "{harmful}");
    }
    assert!(!html.contains(['\u{202e}', '\0']));
    count
}

#[test]
fn pages_of_hostile_files_are_well_formed() {
    let file = hostile(50, 200);
    let without = page(&file, None);
    assert!(check_markup(&without) > 50);
    assert!(without.contains("anim verify FILE --source MODEL --html OUT"));
    let curves = curves(&file, 1e-5);
    let with = page(&file, Some(&curves));
    check_markup(&with);
    assert_eq!(with.matches("<figure ").count(), 50);
    assert_eq!(with.matches("<rect class=\"bar\"").count(), 30);
    assert!(with.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!with.contains(&"x".repeat(400)), "a name is too long");
    assert_eq!(with, page(&file, Some(&curves)));
}

#[test]
fn no_number_breaks_a_page() {
    let file = hostile(3, 12);
    for metres in [0.0, 5e-324, 1e300, f64::INFINITY, f64::NAN] {
        let html = page(&file, Some(&curves(&file, metres)));
        check_numbers(&html, metres);
    }
}

/// Coordinates are numbers, whatever the figures are.
#[track_caller]
fn check_numbers(html: &str, metres: f64) {
    for attribute in ["x", "y", "x1", "y1", "cx", "cy", "width", "height"] {
        for value in html.split(&format!(" {attribute}=\"")).skip(1) {
            let value = value.split('"').next().unwrap_or_default();
            let number: f64 = value.parse().unwrap_or_else(|_| panic!("{attribute}={value} for {metres}"));
            assert!(number.is_finite() && number.abs() < 1e4, "{attribute}={value} for {metres}");
        }
    }
}

#[test]
fn many_clips_have_a_bounded_number_of_plots() {
    let file = hostile(400, 12);
    let html = page(&file, Some(&curves(&file, 1e-5)));
    assert_eq!(html.matches("<figure ").count(), 120);
    assert!(html.contains("280 more clips"));
    assert_eq!(html.matches("<tr data-clip=").count(), 400);
}
