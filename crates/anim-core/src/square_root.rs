//! Square roots in `f32`, which are exact by IEEE 754 wherever they come from.

/// With the standard library it is one instruction, in place, of one number or of four; `libm` is called.
#[inline(always)]
pub(crate) fn square_root(value: f32) -> f32 {
    #[cfg(feature = "std")]
    let root = value.sqrt();
    #[cfg(not(feature = "std"))]
    let root = libm::sqrtf(value);
    root
}
