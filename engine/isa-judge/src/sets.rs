//! The instruction sets of the census.

use crate::bodies::{self, Bodies};
use crate::counted::Set;
use crate::image::Image;
use crate::{arm, arm64, x86};

/// Walks over the functions of an image.
pub type Walk = fn(&Image, &Set) -> Bodies;

/// Each set, and the walk over its functions.
pub const SETS: [(Set, Walk); 3] = [
    (arm::CENSUS, bodies::walk::<engine_isa::arm::A32>),
    (arm64::CENSUS, bodies::walk::<engine_isa::arm64::A64>),
    (x86::CENSUS, bodies::walk::<engine_isa::x86::X64>),
];
