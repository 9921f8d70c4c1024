//! Tests of the machine: assembled programs with the expected effects of a run, invalid blocks, and
//! random blocks.

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
