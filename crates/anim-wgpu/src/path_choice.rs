//! Which of the two paths a crowd takes on a device.

use crate::error::GpuError;

/// How a crowd shall be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathChoice {
    /// The palette path where the device's limits allow it, else the direct path.
    #[default]
    Auto,
    /// The palette path, or an error that names the limit that is too low.
    Palette,
    /// The direct path: also for devices that have compute shaders, but cannot take the arguments of draws from buffers
    /// (`wgpu::DownlevelFlags::INDIRECT_EXECUTION`), which only their adapter knows.
    Direct,
}

/// How a crowd is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathUsed {
    /// Compute passes cull, fill palettes and write the arguments of draws: a crowd that nobody touches costs the CPU
    /// nothing.
    Palette,
    /// The CPU culls, chooses frames and weights, and uploads 128 bytes for each instance that a view sees; vertex
    /// shaders sum texels of the pages. For devices without compute or storage buffers, such as WebGL2.
    Direct,
}

impl PathChoice {
    /// The path that is taken on a device with these limits.
    pub(crate) fn on(self, limits: &wgpu::Limits) -> Result<PathUsed, GpuError> {
        match (self, palette_lacks(limits)) {
            (Self::Direct, _) | (Self::Auto, Some(_)) => Ok(PathUsed::Direct),
            (Self::Auto | Self::Palette, None) => Ok(PathUsed::Palette),
            (Self::Palette, Some(error)) => Err(error),
        }
    }
}

/// The first limit that is too low for the palette path.
fn palette_lacks(limits: &wgpu::Limits) -> Option<GpuError> {
    let needs = [
        // The culling and attachment passes bind eight, a draw from the pages seven.
        ("max_storage_buffers_per_shader_stage", limits.max_storage_buffers_per_shader_stage, 8),
        ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension, 65_535),
        ("max_compute_workgroup_size_x", limits.max_compute_workgroup_size_x, 256),
        ("max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup, 256),
        ("max_compute_workgroup_storage_size", limits.max_compute_workgroup_storage_size, 9_216),
    ];
    needs
        .into_iter()
        .find(|(_, allowed, needed)| allowed < needed)
        .map(|(limit, allowed, needed)| GpuError::NoPalettePath { limit, needed, allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_the_palette_path_wherever_it_can() {
        let table = [
            (wgpu::Limits::default(), PathUsed::Palette),
            (wgpu::Limits::downlevel_defaults(), PathUsed::Direct),
            (wgpu::Limits::downlevel_webgl2_defaults(), PathUsed::Direct),
        ];
        for (limits, expected) in table {
            assert_eq!(PathChoice::Auto.on(&limits), Ok(expected));
            assert_eq!(PathChoice::Palette.on(&limits).is_ok(), expected == PathUsed::Palette);
            assert_eq!(PathChoice::Direct.on(&limits), Ok(PathUsed::Direct));
        }
    }

    #[test]
    fn a_limit_that_is_too_low_is_named() {
        let limits = wgpu::Limits { max_storage_buffers_per_shader_stage: 7, ..wgpu::Limits::default() };
        let error = PathChoice::Palette.on(&limits).expect_err("one is missing");
        let limit = "max_storage_buffers_per_shader_stage";
        assert_eq!(error, GpuError::NoPalettePath { limit, needed: 8, allowed: 7 });
        assert!(error.to_string().contains("8") && error.to_string().contains(limit), "{error}");
        let limits = wgpu::Limits { max_compute_workgroups_per_dimension: 0, ..wgpu::Limits::default() };
        assert!(PathChoice::Palette.on(&limits).is_err());
    }
}
