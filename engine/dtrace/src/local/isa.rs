//! The instruction set of a machine without functions to probe.

use std::convert::Infallible;
use std::ops::Range;

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Control, Fault, Memory, Plan, Why};
use engine_tracer::{Isa, Load, Planned};

/// An instruction set of which no instruction is ever seen, so that no value of it exists.
pub enum Native {}

impl Isa for Native {
    type Regs = Infallible;
    type Emulation = Infallible;
    type Relocation = Infallible;
    type Text = [u8; 1];
    type Slot = [u8; 0];

    const TRAP: &'static [u8] = &[0];
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[];

    fn plan(_: &[u8; 1]) -> Planned<Self> {
        Plan::Refuse(Why::Unported)
    }

    fn length(_: &Planned<Self>) -> usize {
        0
    }

    fn slot(never: Infallible, _: usize, _: usize, _: usize) -> Option<[u8; 0]> {
        match never {}
    }

    fn is_placeholder(_: &[u8; 1]) -> bool {
        false
    }

    fn control(_: &[u8; 1], _: usize) -> Control {
        Control {
            next: false,
            away: None,
        }
    }

    fn begins_function(_: &[u8; 1]) -> bool {
        false
    }

    fn exits(
        _: &Text<'_>,
        _: Range<usize>,
        _: &mut [u64],
        _: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        Err(Unwalked::Extent)
    }

    fn comes_back(_: &Text<'_>, _: Range<usize>, _: usize) -> bool {
        false
    }

    fn room(_: usize) -> usize {
        0
    }

    fn pc(regs: &Infallible) -> usize {
        match *regs {}
    }

    fn set_pc(regs: &mut Infallible, _: usize) {
        match *regs {}
    }

    fn argument(regs: &Infallible, _: u64, _: &mut Load<'_>) -> u64 {
        match *regs {}
    }

    fn caller(regs: &Infallible, _: &mut Load<'_>) -> u64 {
        match *regs {}
    }

    fn returned(regs: &Infallible) -> u64 {
        match *regs {}
    }

    fn goes(emulation: Infallible, _: &Infallible) -> bool {
        match emulation {}
    }

    fn emulate(
        emulation: Infallible,
        _: &mut Infallible,
        _: &mut impl Memory,
    ) -> Result<(), Fault> {
        match emulation {}
    }
}
