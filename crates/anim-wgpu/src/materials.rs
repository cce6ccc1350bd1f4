//! A file's materials on the GPU: base-colour images with their smaller levels, samplers and factors.

use anim_format::AnimFile;
use anim_format::model::{Alpha, Material, Sampler, Wrap};

use crate::image_decode::{FILE_BYTES_MAX, decode};
use crate::image_mips::{AlphaUse, Level, mip_chain};

/// The materials of a file.
#[derive(Debug)]
pub(crate) struct Materials {
    /// One for each material of the file, in its order.
    pub(crate) entries: Vec<MaterialGpu>,
    /// What is not drawn as the source means it, and why: one sentence each.
    pub(crate) notes: Vec<String>,
}

/// How a surface looks, for a bind group.
#[derive(Clone, Debug)]
pub(crate) struct MaterialGpu {
    /// The base-colour image, `Rgba8UnormSrgb` with all its levels; one white texel where there is none. Images that
    /// several materials share are one texture.
    pub(crate) view: wgpu::TextureView,
    /// How the image is read.
    pub(crate) sampler: wgpu::Sampler,
    /// Factor of the image, linear, red, green, blue, alpha.
    pub(crate) base_color: [f32; 4],
    /// Below this alpha (the image's times the factor's) nothing is drawn; `None` draws everything.
    pub(crate) cutoff: Option<f32>,
}

impl Materials {
    /// Decodes and uploads the materials of a file. What cannot be decoded is white, with a note.
    pub(crate) fn upload(device: &wgpu::Device, queue: &wgpu::Queue, file: &AnimFile<'_>) -> Self {
        let mut upload = Upload {
            device,
            queue,
            file,
            white: upload_texture(device, queue, "anim white", &[Level::white()]),
            alpha_uses: alpha_uses(file),
            views: vec![None; file.images.len()],
            samplers: Vec::new(),
            left_bytes: FILE_BYTES_MAX,
            notes: Vec::new(),
        };
        let entries = (0..).zip(&file.materials).map(|(number, material)| upload.material(number, material));
        Self { entries: entries.collect(), notes: upload.notes }
    }
}

/// What is uploaded so far.
struct Upload<'u> {
    device: &'u wgpu::Device,
    queue: &'u wgpu::Queue,
    file: &'u AnimFile<'u>,
    white: wgpu::TextureView,
    alpha_uses: Vec<AlphaUse>,
    views: Vec<Option<wgpu::TextureView>>,
    samplers: Vec<(Sampler, wgpu::Sampler)>,
    left_bytes: u64,
    notes: Vec<String>,
}

impl Upload<'_> {
    fn material(&mut self, number: usize, material: &Material<'_>) -> MaterialGpu {
        if material.alpha == Alpha::Blend {
            let name = &material.name;
            self.notes
                .push(format!("material {number} {name:?} is blended in its source, and is drawn opaque"));
        }
        MaterialGpu {
            view: self.view(material.image),
            sampler: self.sampler(material.sampler),
            base_color: material.base_color,
            cutoff: match material.alpha {
                Alpha::Mask { cutoff } => Some(cutoff),
                _ => None,
            },
        }
    }

    fn view(&mut self, image: Option<u32>) -> wgpu::TextureView {
        let Some(number) = image.map(|image| image as usize) else { return self.white.clone() };
        match self.views.get(number) {
            Some(Some(view)) => view.clone(),
            Some(None) => {
                let view = self.load(number);
                self.views[number] = Some(view.clone());
                view
            }
            None => self.white.clone(),
        }
    }

    fn load(&mut self, number: usize) -> wgpu::TextureView {
        let image = &self.file.images[number];
        let name = &image.name;
        let level = match decode(image, &mut self.left_bytes) {
            Ok(level) => level,
            Err(reason) => {
                self.notes.push(format!("image {number} {name:?} is drawn white: {reason}"));
                return self.white.clone();
            }
        };
        let (width, height) = (level.width, level.height);
        let level = level.fitted(self.device.limits().max_texture_dimension_2d);
        if (level.width, level.height) != (width, height) {
            self.notes.push(format!(
                "image {number} {name:?} has {width} x {height} texels, more than the device takes, and is drawn with \
                 {} x {}",
                level.width, level.height
            ));
        }
        let levels = mip_chain(level, self.alpha_uses[number]);
        upload_texture(self.device, self.queue, "anim base colour", &levels)
    }

    fn sampler(&mut self, kind: Sampler) -> wgpu::Sampler {
        if let Some((_, sampler)) = self.samplers.iter().find(|(known, _)| *known == kind) {
            return sampler.clone();
        }
        let sampler = self.device.create_sampler(&sampler_descriptor(kind));
        self.samplers.push((kind, sampler.clone()));
        sampler
    }
}

fn sampler_descriptor(sampler: Sampler) -> wgpu::SamplerDescriptor<'static> {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |nearest| if nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
    wgpu::SamplerDescriptor {
        label: Some("anim base colour"),
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        mag_filter: filter(sampler.mag_nearest),
        min_filter: filter(sampler.min_nearest),
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    }
}

/// What the alpha of each image is for. Of several materials that share one, the first with a cutoff decides, else any
/// that blends.
fn alpha_uses(file: &AnimFile<'_>) -> Vec<AlphaUse> {
    let mut uses = vec![AlphaUse::Ignored; file.images.len()];
    for material in &file.materials {
        let Some(known) = material.image.and_then(|image| uses.get_mut(image as usize)) else { continue };
        match (material.alpha, *known) {
            (_, AlphaUse::Cutout { .. }) | (Alpha::Opaque, _) => {}
            // The cutoff is for the product with the factor; no alpha reaches it if that is 0.
            (Alpha::Mask { cutoff }, _) => {
                *known = AlphaUse::Cutout { cutoff: cutoff / material.base_color[3].max(f32::MIN_POSITIVE) }
            }
            (Alpha::Blend, _) => *known = AlphaUse::Weighted,
        }
    }
    uses
}

/// A texture with these levels, the largest first.
fn upload_texture(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    label: &str,
    levels: &[Level],
) -> wgpu::TextureView {
    let size =
        |level: &Level| wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: levels.first().map_or(wgpu::Extent3d::default(), size),
        mip_level_count: u32::try_from(levels.len()).unwrap_or(1),
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in (0..).zip(levels) {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            &level.texels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(level.width * 4),
                rows_per_image: Some(level.height),
            },
            size(level),
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use anim_format::model::{Image, ImageFormat};

    use super::*;
    use crate::test_device::{device, run};

    fn material(image: Option<u32>, alpha: Alpha) -> Material<'static> {
        Material {
            name: "cloth".into(),
            base_color: [0.5, 1.0, 1.0, 0.5],
            image,
            sampler: Sampler::default(),
            alpha,
            double_sided: true,
        }
    }

    fn broken() -> Image<'static> {
        Image { name: "torn.png".into(), format: ImageFormat::Png, bytes: b"no image"[..].into() }
    }

    /// The texels of a level as the GPU reads them: linear red and alpha in thousandths.
    fn texels_of_level(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        view: &wgpu::TextureView,
        level: u32,
        size: [u32; 2],
    ) -> Vec<[u32; 2]> {
        let shader = format!(
            "@group(0) @binding(0) var<storage, read_write> words: array<vec2<u32>>;
             @group(0) @binding(1) var image: texture_2d<f32>;
             @compute @workgroup_size(1)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 let texel = textureLoad(image, id.xy, {level});
                 let same = all(textureDimensions(image, {level}) == vec2<u32>({}, {}));
                 words[id.y * {}u + id.x] = select(vec2<u32>(9999u), vec2<u32>(texel.ra * 1000.0 + 0.5), same);
             }}",
            size[0], size[1], size[0]
        );
        let source = wgpu::BindingResource::TextureView(view);
        let words = run(device, queue, &shader, source, size, size[0] * size[1] * 2);
        words.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
    }

    #[test]
    fn what_cannot_be_decoded_is_white_with_a_note() {
        let (device, queue) = device();
        let file = AnimFile {
            materials: vec![material(Some(0), Alpha::Opaque), material(Some(0), Alpha::Blend)],
            images: vec![broken()],
            ..AnimFile::default()
        };
        let found = Materials::upload(&device, &queue, &file);
        assert_eq!(found.entries.len(), 2);
        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
        assert!(found.notes[0].starts_with("image 0 \"torn.png\" is drawn white: "), "{:?}", found.notes);
        assert!(found.notes[1].contains("drawn opaque"));
        assert_eq!(texels_of_level(&device, &queue, &found.entries[0].view, 0, [1, 1]), [[1000, 1000]]);
    }

    #[test]
    fn factors_and_cutoffs_are_those_of_the_file() {
        let (device, queue) = device();
        let file = AnimFile {
            materials: vec![material(None, Alpha::Opaque), material(Some(7), Alpha::Mask { cutoff: 0.3 })],
            ..AnimFile::default()
        };
        let found = Materials::upload(&device, &queue, &file);
        assert_eq!(found.entries[0].base_color, [0.5, 1.0, 1.0, 0.5]);
        let cutoffs: Vec<_> = found.entries.iter().map(|entry| entry.cutoff).collect();
        assert_eq!((cutoffs, found.notes), (vec![None, Some(0.3)], Vec::new()));
        assert_eq!(found.entries[0].sampler, found.entries[1].sampler);
    }

    #[test]
    fn the_first_cutoff_of_an_image_decides_relative_to_the_factor() {
        let mut file = AnimFile {
            materials: vec![
                material(Some(0), Alpha::Blend),
                material(Some(0), Alpha::Mask { cutoff: 0.25 }),
                material(Some(0), Alpha::Mask { cutoff: 0.9 }),
                material(Some(1), Alpha::Blend),
                material(Some(1), Alpha::Opaque),
                material(Some(2), Alpha::Opaque),
            ],
            images: vec![broken(), broken(), broken()],
            ..AnimFile::default()
        };
        let expected = [AlphaUse::Cutout { cutoff: 0.5 }, AlphaUse::Weighted, AlphaUse::Ignored];
        assert_eq!(alpha_uses(&file), expected);
        file.materials[1].base_color[3] = 0.0;
        assert!(matches!(alpha_uses(&file)[0], AlphaUse::Cutout { cutoff } if cutoff > 1.0));
    }

    #[test]
    fn samplers_are_those_of_the_file() {
        let kind =
            Sampler { wrap_u: Wrap::Mirror, wrap_v: Wrap::Clamp, mag_nearest: true, min_nearest: false };
        let found = sampler_descriptor(kind);
        assert_eq!(found.address_mode_u, wgpu::AddressMode::MirrorRepeat);
        assert_eq!(found.address_mode_v, wgpu::AddressMode::ClampToEdge);
        assert_eq!(found.mag_filter, wgpu::FilterMode::Nearest);
        assert_eq!(found.min_filter, wgpu::FilterMode::Linear);
        assert_eq!(found.anisotropy_clamp, 1);
    }

    #[cfg(feature = "image")]
    mod decoded {
        use super::*;

        fn png(width: u32, height: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Image<'static> {
            let mut bytes = std::io::Cursor::new(Vec::new());
            image::RgbaImage::from_fn(width, height, |x, y| image::Rgba(texel(x, y)))
                .write_to(&mut bytes, image::ImageFormat::Png)
                .expect("a small image");
            Image { name: "skin.png".into(), format: ImageFormat::Png, bytes: bytes.into_inner().into() }
        }

        #[test]
        fn a_shared_image_is_one_texture_with_all_levels() {
            let (device, queue) = device();
            let file = AnimFile {
                materials: vec![material(Some(0), Alpha::Opaque), material(Some(0), Alpha::Opaque)],
                images: vec![png(3, 2, |x, _| if x == 0 { [255, 0, 0, 9] } else { [0, 0, 0, 9] })],
                ..AnimFile::default()
            };
            let found = Materials::upload(&device, &queue, &file);
            assert_eq!(found.entries[0].view, found.entries[1].view);
            assert_eq!(found.notes, Vec::<String>::new());
            let view = &found.entries[0].view;
            let whole = texels_of_level(&device, &queue, view, 0, [3, 2]);
            assert_eq!(whole, [[1000, 1000], [0, 1000], [0, 1000], [1000, 1000], [0, 1000], [0, 1000]]);
            let [red, alpha] = texels_of_level(&device, &queue, view, 1, [1, 1])[0];
            assert!(red.abs_diff(333) < 5 && alpha == 1000, "{red} {alpha}");
        }

        #[test]
        fn an_image_that_is_too_wide_is_halved_with_a_note() {
            let (device, queue) = device();
            let side = device.limits().max_texture_dimension_2d;
            let file = AnimFile {
                materials: vec![material(Some(0), Alpha::Mask { cutoff: 0.5 })],
                images: vec![png(side + 2, 1, |_, _| [255; 4])],
                ..AnimFile::default()
            };
            let found = Materials::upload(&device, &queue, &file);
            assert_eq!(found.notes.len(), 1);
            assert!(found.notes[0].contains(&format!("{} x 1", side / 2 + 1)), "{:?}", found.notes);
            let last = side.ilog2() - 1;
            let texel = texels_of_level(&device, &queue, &found.entries[0].view, last, [1, 1]);
            assert_eq!(texel, [[1000, 1000]]);
        }
    }
}
