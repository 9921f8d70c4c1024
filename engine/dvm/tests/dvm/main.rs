//! The machine's tests: programs written as text and what a run of each does, blocks that are no
//! programs, and blocks by chance.

mod aggregate;
mod assemble;
mod fake;
mod generate;
mod invalid;
mod listing;
#[cfg(trapline_mutants)]
mod mutants;
mod paths;
mod random;
mod vectors;
mod verified;
