//! One type for each kind of number, so that a bone cannot be used as a node.

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as a slice index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index_type! {
    /// A transform of the hierarchy, numbered in file order: parents first, equal depths adjacent.
    NodeIndex
}
index_type! {
    /// A palette entry: a node and an inverse bind matrix.
    BoneIndex
}
index_type! {
    /// A clip, numbered in file order.
    ClipIndex
}
index_type! {
    /// A frame of one clip, from 0 (the start pose) to its interval count (the end pose).
    FrameIndex
}
index_type! {
    /// A vertex of the one vertex stream of a file.
    VertexIndex
}
