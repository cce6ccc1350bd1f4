//! Little-endian numbers without alignment: what records are made of.
//!
//! Records made of these can be copied out of any place of any byte slice, on machines of either byte order.

use bytemuck::{Pod, Zeroable};

macro_rules! little_endian {
    ($name:ident, $number:ty) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
        #[repr(transparent)]
        pub(crate) struct $name([u8; size_of::<$number>()]);

        impl $name {
            pub(crate) const fn get(self) -> $number {
                <$number>::from_le_bytes(self.0)
            }
        }

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                Self(number.to_le_bytes())
            }
        }
    };
}

little_endian!(U16, u16);
little_endian!(U32, u32);
little_endian!(U64, u64);
little_endian!(F32, f32);

pub(crate) fn get_floats<const N: usize>(floats: [F32; N]) -> [f32; N] {
    floats.map(F32::get)
}

pub(crate) fn put_floats<const N: usize>(floats: [f32; N]) -> [F32; N] {
    floats.map(F32::from)
}
