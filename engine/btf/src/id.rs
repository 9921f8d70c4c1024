//! The ID of a type.

use std::fmt;

/// The number of a type. Those of a split BTF continue its base's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TypeId(pub u32);

impl TypeId {
    /// `void`, which every BTF has without saying so.
    pub const VOID: Self = Self(0);
}

impl fmt::Display for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
