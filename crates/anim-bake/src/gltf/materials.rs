//! Materials: base colour, alpha, sampler, and how texture coordinates become those of the base-colour image.

use ::gltf::json;
use ::gltf::json::texture::{MagFilter, MinFilter, WrappingMode};
use ::gltf::json::validation::Checked;
use anim_format::model::{Alpha, Sampler, Wrap};

use super::document::{Document, entry, in_table};
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::SourceMaterial;

/// Which texture coordinates a material reads, and what it does with them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct UvChoice {
    /// `n` of `TEXCOORD_n`.
    pub(super) set: u32,
    /// `KHR_texture_transform`.
    pub(super) transform: Option<UvTransform>,
    /// The material has a base-colour texture.
    pub(super) textured: bool,
}

/// `uv' = offset + rotation * scale * uv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UvTransform {
    offset: [f64; 2],
    scale: [f64; 2],
    sin: f64,
    cos: f64,
}

impl UvTransform {
    /// Counter-clockwise as seen on the image, whose v axis points down.
    ///
    /// The extension's GLSL turns the other way; its text, its test model and the engines agree on this one.
    #[expect(clippy::cast_possible_truncation, reason = "texture coordinates are stored as f32")]
    pub(super) fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let (u, v) = (f64::from(u) * self.scale[0], f64::from(v) * self.scale[1]);
        [
            (self.offset[0] + self.cos * u + self.sin * v) as f32,
            (self.offset[1] - self.sin * u + self.cos * v) as f32,
        ]
    }
}

/// Reads every material, and how each reads texture coordinates; a broken one is a placeholder.
pub(super) fn read(document: &Document<'_>, problems: &mut Problems) -> (Vec<SourceMaterial>, Vec<UvChoice>) {
    let mut materials = Vec::new();
    let mut choices = Vec::new();
    for (number, raw) in document.materials.iter().enumerate() {
        let path = format!("materials[{number}]");
        let material = entry::<json::Material>(raw, &path, problems).unwrap_or_default();
        let (material, choice) = read_material(document, material, &path, problems);
        materials.push(material);
        choices.push(choice);
    }
    (materials, choices)
}

fn read_material(
    document: &Document<'_>,
    material: json::Material,
    path: &str,
    problems: &mut Problems,
) -> (SourceMaterial, UvChoice) {
    let pbr = &material.pbr_metallic_roughness;
    let mut base_color = pbr.base_color_factor.0;
    let mut texture = pbr.base_color_texture.as_ref();
    let mut place = format!("{path}.pbrMetallicRoughness.baseColor");
    // Older files describe their materials only in this extension: its diffuse colour is what comes nearest.
    let older = material.extensions.as_ref().and_then(|known| known.pbr_specular_glossiness.as_ref());
    if let Some(older) = older.filter(|_| texture.is_none() && base_color == [1.0; 4]) {
        base_color = older.diffuse_factor.0;
        texture = older.diffuse_texture.as_ref();
        place = format!("{path}.extensions.KHR_materials_pbrSpecularGlossiness.diffuse");
    }
    if !base_color.iter().all(|value| value.is_finite()) {
        problems.error(ids::NUMBER_NOT_FINITE, format!("{place}Factor"), "a number is too large");
    }
    let mut image = None;
    let mut sampler = Sampler::default();
    let mut choice = UvChoice::default();
    if let Some(info) = texture {
        let path = format!("{place}Texture");
        choice = uv_choice(info, &path, problems);
        if let Ok((texture_image, texture_sampler)) =
            read_texture(document, info.index.value(), &path, problems)
        {
            image = texture_image;
            sampler = texture_sampler;
        }
    }
    let alpha = match material.alpha_mode {
        Checked::Valid(json::material::AlphaMode::Opaque) => Alpha::Opaque,
        Checked::Valid(json::material::AlphaMode::Mask) => {
            Alpha::Mask { cutoff: material.alpha_cutoff.unwrap_or_default().0 }
        }
        Checked::Valid(json::material::AlphaMode::Blend) => {
            let what = match &material.name {
                Some(name) => format!("the blended material {name:?} is drawn opaque"),
                None => "the blended material is drawn opaque".to_owned(),
            };
            problems.warning(ids::ALPHA_BLEND_DRAWN_OPAQUE, format!("{path}.alphaMode"), what);
            Alpha::Blend
        }
        Checked::Invalid => {
            invalid(format!("{path}.alphaMode"), "OPAQUE, MASK or BLEND", problems);
            Alpha::Opaque
        }
    };
    if let Alpha::Mask { cutoff } = alpha
        && !(cutoff.is_finite() && cutoff >= 0.0)
    {
        invalid(format!("{path}.alphaCutoff"), "a number of at least 0", problems);
    }
    let material = SourceMaterial {
        name: material.name,
        base_color,
        image,
        sampler,
        alpha,
        double_sided: material.double_sided,
    };
    (material, choice)
}

fn uv_choice(info: &json::texture::Info, path: &str, problems: &mut Problems) -> UvChoice {
    let mut choice = UvChoice { set: info.tex_coord, transform: None, textured: true };
    let Some(transform) =
        info.extensions.as_ref().and_then(|extensions| extensions.texture_transform.as_ref())
    else {
        return choice;
    };
    choice.set = transform.tex_coord.unwrap_or(choice.set);
    let (offset, scale) = (transform.offset.0.map(f64::from), transform.scale.0.map(f64::from));
    let rotation = f64::from(transform.rotation.0);
    if !offset.iter().chain(&scale).chain([&rotation]).all(|value| value.is_finite()) {
        let path = format!("{path}.extensions.KHR_texture_transform");
        problems.error(ids::NUMBER_NOT_FINITE, path, "a number is too large");
    }
    if offset != [0.0; 2] || scale != [1.0; 2] || rotation != 0.0 {
        let (sin, cos) = libm::sincos(rotation);
        choice.transform = Some(UvTransform { offset, scale, sin, cos });
    }
    choice
}

fn read_texture(
    document: &Document<'_>,
    number: usize,
    path: &str,
    problems: &mut Problems,
) -> Result<(Option<usize>, Sampler), Reported> {
    in_table(number, document.textures.len(), "textures", || format!("{path}.index"), problems)?;
    let path = format!("textures[{number}]");
    let raw = document.textures.get(number).ok_or(Reported)?;
    let texture = entry::<json::Texture>(raw, &path, problems)?;
    let sampler = match texture.sampler.map(|sampler| sampler.value()) {
        None => Sampler::default(),
        Some(number) => {
            let table = &document.samplers;
            in_table(number, table.len(), "samplers", || format!("{path}.sampler"), problems)?;
            read_sampler(table.get(number).ok_or(Reported)?, &format!("samplers[{number}]"), problems)?
        }
    };
    // The crate marks a texture without `source`, whose image only an extension names, with the largest number.
    if texture.source.value() == u32::MAX as usize {
        let extensions = texture.extensions.map(|extensions| extensions.others).unwrap_or_default();
        let names: Vec<&str> = extensions.iter().map(|(name, _)| name.as_str()).collect();
        problems.push(
            Diagnostic::warning(
                ids::IMAGE_FORMAT,
                path,
                "the texture has no PNG or JPEG image; the model is baked without it",
            )
            .expected_found("source", names.join(", ")),
        );
        return Ok((None, sampler));
    }
    let image = texture.source.value();
    in_table(image, document.images.len(), "images", || format!("{path}.source"), problems)?;
    Ok((Some(image), sampler))
}

fn read_sampler(
    raw: &serde_json::value::RawValue,
    path: &str,
    problems: &mut Problems,
) -> Result<Sampler, Reported> {
    let sampler = entry::<json::texture::Sampler>(raw, path, problems)?;
    let mut wrap = |mode: Checked<WrappingMode>, field: &str| match mode {
        Checked::Valid(WrappingMode::Repeat) => Wrap::Repeat,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Invalid => {
            invalid(format!("{path}.{field}"), "33071, 33648 or 10497", problems);
            Wrap::Repeat
        }
    };
    let (wrap_u, wrap_v) = (wrap(sampler.wrap_s, "wrapS"), wrap(sampler.wrap_t, "wrapT"));
    let mag_nearest = match sampler.mag_filter {
        None => false,
        Some(Checked::Valid(filter)) => filter == MagFilter::Nearest,
        Some(Checked::Invalid) => {
            invalid(format!("{path}.magFilter"), "9728 or 9729", problems);
            false
        }
    };
    let min_nearest = match sampler.min_filter {
        None => false,
        Some(Checked::Valid(filter)) => matches!(
            filter,
            MinFilter::Nearest | MinFilter::NearestMipmapNearest | MinFilter::NearestMipmapLinear
        ),
        Some(Checked::Invalid) => {
            invalid(format!("{path}.minFilter"), "9728, 9729 or 9984 to 9987", problems);
            false
        }
    };
    Ok(Sampler { wrap_u, wrap_v, mag_nearest, min_nearest })
}

fn invalid(path: String, expected: &str, problems: &mut Problems) {
    problems.push(
        Diagnostic::error(ids::MATERIAL_INVALID, path, "a value that glTF does not have")
            .expected_found(expected, "another value"),
    );
}
