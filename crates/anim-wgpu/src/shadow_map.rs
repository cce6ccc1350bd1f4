//! Depth textures that shadow views are drawn to and the colour pass reads.

/// A shadow map: a square `Depth32Float` layer for each cascade. Several crowds may draw to it and read it.
#[derive(Debug)]
pub struct ShadowMap {
    array: wgpu::TextureView,
    layers: Vec<wgpu::TextureView>,
}

/// Most bytes of a shadow map: four cascades of 8192 x 8192 texels. Larger ones do not fit many devices' memory, and what
/// does not fit is an error that no caller can handle.
const BYTES_MAX: u64 = 1 << 30;

/// Format of shadow maps.
pub const SHADOW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

impl ShadowMap {
    /// A map of `side` x `side` texels a cascade. Both are brought into what the device allows: at least 1, at most
    /// `max_texture_dimension_2d` and [`crate::VIEWS_MAX`]; and the side is halved until the map has at most 1 GiB.
    #[must_use]
    pub fn new(device: &wgpu::Device, side: u32, cascades: u32) -> Self {
        let mut side = side.clamp(1, device.limits().max_texture_dimension_2d);
        let most = u32::try_from(crate::VIEWS_MAX).unwrap_or(1).min(device.limits().max_texture_array_layers);
        let cascades = cascades.clamp(1, most);
        while u64::from(side) * u64::from(side) * u64::from(cascades) * 4 > BYTES_MAX {
            side /= 2;
        }
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("anim shadow map"),
            // One-layer arrays and cube-like arrays are read wrongly on OpenGL: see page_texture.rs.
            size: wgpu::Extent3d {
                width: side,
                height: side,
                depth_or_array_layers: crate::page_texture::array_layers(side, side, cascades),
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: SHADOW_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let layers = (0..cascades)
            .map(|layer| {
                texture.create_view(&wgpu::TextureViewDescriptor {
                    label: Some("anim shadow cascade"),
                    dimension: Some(wgpu::TextureViewDimension::D2),
                    base_array_layer: layer,
                    array_layer_count: Some(1),
                    ..wgpu::TextureViewDescriptor::default()
                })
            })
            .collect();
        let array = texture.create_view(&wgpu::TextureViewDescriptor {
            label: Some("anim shadow map"),
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..wgpu::TextureViewDescriptor::default()
        });
        Self { array, layers }
    }

    /// The layers, to be used as depth attachments, nearest cascade first.
    #[must_use]
    pub fn layers(&self) -> &[wgpu::TextureView] {
        &self.layers
    }

    /// All layers, for shaders: a `texture_depth_2d_array`. It may have more layers than cascades.
    #[must_use]
    pub fn array(&self) -> &wgpu::TextureView {
        &self.array
    }
}
