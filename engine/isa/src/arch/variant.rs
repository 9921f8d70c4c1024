//! An instruction set that overrides some methods of another one: for seeded defects and for tests.

use core::ops::Range;

use super::{Arch, Load, Planned};
use crate::body::{Exit, Leaves, Text, Unwalked};
use crate::{Control, Exclusive, Fault, Memory};

/// The methods of [`Arch`]; each defaults to that of [`Variant::Base`].
pub trait Variant: Sized + Send + Sync + 'static {
    /// The instruction set whose methods are inherited.
    type Base: Arch;

    /// See [`Arch::plan`].
    fn plan(text: &<Self::Base as Arch>::Text, mode: Mode<Self>) -> Planned<Self::Base> {
        Self::Base::plan(text, mode)
    }

    /// See [`Arch::slot`].
    fn slot(
        relocation: <Self::Base as Arch>::Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<<Self::Base as Arch>::Slot> {
        Self::Base::slot(relocation, at, from, next)
    }

    /// See [`Arch::is_placeholder`].
    fn is_placeholder(text: &<Self::Base as Arch>::Text) -> bool {
        Self::Base::is_placeholder(text)
    }

    /// See [`Arch::will_be_rewritten`].
    fn will_be_rewritten(text: &<Self::Base as Arch>::Text) -> bool {
        Self::Base::will_be_rewritten(text)
    }

    /// See [`Arch::begins_function`].
    fn begins_function(text: &<Self::Base as Arch>::Text) -> bool {
        Self::Base::begins_function(text)
    }

    /// See [`Arch::exits`].
    ///
    /// # Errors
    /// As there.
    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        Self::Base::exits(text, function, memory, see)
    }

    /// See [`Arch::pc`].
    fn pc(regs: &Regs<Self>) -> usize {
        Self::Base::pc(regs)
    }

    /// See [`Arch::set_pc`].
    fn set_pc(regs: &mut Regs<Self>, pc: usize) {
        Self::Base::set_pc(regs, pc);
    }

    /// See [`Arch::enter`].
    fn enter(regs: &mut Regs<Self>, slot: usize) {
        Self::Base::enter(regs, slot);
    }

    /// See [`Arch::argument`].
    fn argument(regs: &Regs<Self>, mode: Mode<Self>, number: u64, load: &mut Load<'_>) -> u64 {
        Self::Base::argument(regs, mode, number, load)
    }

    /// See [`Arch::returned`].
    fn returned(regs: &Regs<Self>) -> u64 {
        Self::Base::returned(regs)
    }

    /// See [`Arch::goes`].
    fn goes(emulation: <Self::Base as Arch>::Emulation, regs: &Regs<Self>) -> bool {
        Self::Base::goes(emulation, regs)
    }
}

type Mode<V> = <<V as Variant>::Base as Arch>::Mode;
type Regs<V> = <<V as Variant>::Base as Arch>::Regs;

impl<V: Variant> Arch for V {
    type Mode = Mode<V>;
    type Set = <V::Base as Arch>::Set;
    type Regs = Regs<V>;
    type Emulation = <V::Base as Arch>::Emulation;
    type Relocation = <V::Base as Arch>::Relocation;
    type Text = <V::Base as Arch>::Text;
    type Slot = <V::Base as Arch>::Slot;

    const KERNEL: Self::Mode = V::Base::KERNEL;
    const TRAP: &'static [u8] = V::Base::TRAP;

    fn plan(text: &Self::Text, mode: Self::Mode) -> Planned<Self> {
        <V as Variant>::plan(text, mode)
    }

    fn length(plan: &Planned<Self>) -> usize {
        V::Base::length(plan)
    }

    fn code_at(pointer: usize, is_compat: bool) -> (usize, Self::Mode) {
        V::Base::code_at(pointer, is_compat)
    }

    fn slot_size(mode: Self::Mode) -> usize {
        V::Base::slot_size(mode)
    }

    fn status(mode: Self::Mode) -> u32 {
        V::Base::status(mode)
    }

    fn exclusive(text: &Self::Text, mode: Self::Mode) -> Option<Exclusive> {
        V::Base::exclusive(text, mode)
    }

    fn is_trap(text: &[u8]) -> bool {
        V::Base::is_trap(text)
    }

    fn next_mode(text: &Self::Text, mode: Self::Mode) -> Self::Mode {
        V::Base::next_mode(text, mode)
    }

    fn trap(mode: Self::Mode, length: usize) -> &'static [u8] {
        V::Base::trap(mode, length)
    }

    fn ends_in_trap(mode: Self::Mode) -> bool {
        V::Base::ends_in_trap(mode)
    }

    fn leave(regs: &mut Self::Regs, mode: Self::Mode, next: usize) {
        V::Base::leave(regs, mode, next);
    }

    fn slot(
        relocation: Self::Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<Self::Slot> {
        <V as Variant>::slot(relocation, at, from, next)
    }

    fn control(text: &Self::Text, mode: Self::Mode, address: usize) -> Control {
        V::Base::control(text, mode, address)
    }

    fn is_placeholder(text: &Self::Text) -> bool {
        <V as Variant>::is_placeholder(text)
    }

    fn will_be_rewritten(text: &Self::Text) -> bool {
        <V as Variant>::will_be_rewritten(text)
    }

    fn begins_function(text: &Self::Text) -> bool {
        <V as Variant>::begins_function(text)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        <V as Variant>::exits(text, function, memory, see)
    }

    fn instructions(
        text: &Text<'_>,
        function: Range<usize>,
        mode: Self::Mode,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Self::Mode, Option<Exit>),
    ) -> Result<(), Unwalked> {
        V::Base::instructions(text, function, mode, memory, see)
    }

    fn room(bytes: usize, mode: Self::Mode) -> usize {
        V::Base::room(bytes, mode)
    }

    fn pc(regs: &Self::Regs) -> usize {
        <V as Variant>::pc(regs)
    }

    fn set_pc(regs: &mut Self::Regs, pc: usize) {
        <V as Variant>::set_pc(regs, pc);
    }

    fn enter(regs: &mut Self::Regs, slot: usize) {
        <V as Variant>::enter(regs, slot);
    }

    fn argument(regs: &Self::Regs, mode: Self::Mode, number: u64, load: &mut Load<'_>) -> u64 {
        <V as Variant>::argument(regs, mode, number, load)
    }

    fn caller(regs: &Self::Regs, mode: Self::Mode, load: &mut Load<'_>) -> u64 {
        V::Base::caller(regs, mode, load)
    }

    fn returned(regs: &Self::Regs) -> u64 {
        <V as Variant>::returned(regs)
    }

    fn goes(emulation: Self::Emulation, regs: &Self::Regs) -> bool {
        <V as Variant>::goes(emulation, regs)
    }

    fn after(
        emulation: Self::Emulation,
        leaves: Leaves,
        regs: &Self::Regs,
        memory: &mut impl Memory,
    ) -> Option<Self::Regs> {
        V::Base::after(emulation, leaves, regs, memory)
    }

    fn emulate(
        emulation: Self::Emulation,
        regs: &mut Self::Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        V::Base::emulate(emulation, regs, memory)
    }
}
