//! AArch64: nothing is patched by jumps here yet. Every site has a trap.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

use crate::detour::{Detour, Site};
use crate::mapping::Mapping;

pub const JUMP: usize = 4;
/// A branch reaches 128 MiB.
pub const REACH: usize = 96 << 20;
pub const GATE: usize = 0;
pub const DETOUR_MAX: usize = 0;
pub const REGION: usize = 0;
pub const TALLIES: usize = 0;

#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub start: usize,
    pub length: usize,
}

pub struct Body<'a>(PhantomData<&'a Mapping>);

pub fn jump(_: usize, _: usize) -> [u8; JUMP] {
    [0; JUMP]
}

pub fn gate() -> [u8; GATE] {
    []
}

pub fn branch_targets(_: usize, _: &[u8]) -> Vec<usize> {
    Vec::new()
}

pub struct Guard {
    pub start: usize,
}

pub fn guards(_: &Mapping, _: &[usize]) -> Vec<Guard> {
    Vec::new()
}

impl Guard {
    pub fn original(&self) -> [u8; JUMP] {
        [0; JUMP]
    }

    pub fn detour(&self, _: usize, _: usize) -> Option<Detour> {
        None
    }
}

impl<'a> Body<'a> {
    pub fn of(_: &'a Mapping, _: &Range<usize>, _: Option<usize>) -> Self {
        Self(PhantomData)
    }

    pub fn original(&self, _: usize) -> [u8; JUMP] {
        [0; JUMP]
    }

    pub fn windows(&self, _: &[usize], _: &[usize]) -> Vec<Window> {
        Vec::new()
    }

    pub fn detour(&self, _: &Window, _: &[Site], _: usize, _: usize) -> Option<Detour> {
        None
    }
}
