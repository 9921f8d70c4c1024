//! The instruction core's tests, but for its seeded defects: one of those is chosen for the whole
//! process, so `mutants` is a binary of its own.

mod abi;
mod arm;
mod arm64;
mod body;
mod vector;
mod vectors;
mod words;
mod x86;
