//! The tests of this crate, except for its seeded defects: the active defect is global to the
//! process, so `mutants` is a binary of its own.

mod abi;
mod arm;
mod arm64;
mod body;
mod programs;
mod t32;
mod vector;
mod vectors;
mod words;
mod x86;

use arm::model as model_of_arm;
