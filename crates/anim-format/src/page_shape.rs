//! Sizes of texels and pages.

use crate::model::{PageSet, TexelFormat};

impl TexelFormat {
    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Rgba32Float => 16,
            Self::Rgba16Float | Self::Rg32Uint | Self::Rgba16Uint => 8,
        }
    }
}

impl PageSet<'_> {
    /// Texels of a page.
    #[must_use]
    pub fn page_texels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}
