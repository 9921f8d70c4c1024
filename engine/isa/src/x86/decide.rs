//! Plans that an encoding alone does not determine: each function here takes a row's instruction
//! and returns its plan.

use super::condition::{Condition, Count};
use super::emulate::{Action, Emulation, Pushed};
use super::instruction::Instruction;
use super::opening::{Mode, Prefixes};
use super::operand::Target;
use super::relocate::Relocation;
use super::{LONGEST, plan};
use crate::mutant::{self, Mutant};
use crate::{Plan, Why, Width};

type Answer = Plan<Emulation, Relocation>;

fn emulated(instruction: &Instruction<'_>, action: Action) -> Answer {
    let (length, mode) = (instruction.length(), instruction.mode());
    Plan::Emulate(Emulation::new(length, mode, action))
}

fn copied(instruction: &Instruction<'_>) -> Answer {
    Plan::Relocate(instruction.copy())
}

/// Emulates the branch, if it can be and its operand size is one that all processors treat alike:
/// with 66, some truncate the instruction pointer to 16 bits.
fn branch(instruction: &Instruction<'_>, action: Option<Action>) -> Answer {
    let prefixes = instruction.prefixes();
    if prefixes.has_size() && !prefixes.has(Prefixes::W) {
        return Plan::Refuse(Why::Implementation);
    }
    match action {
        Some(action) => emulated(instruction, action),
        None => Plan::Refuse(Why::Unported),
    }
}

/// Relocates it.
pub(super) fn same(instruction: &Instruction<'_>) -> Answer {
    copied(instruction)
}

/// A no-op, except that some are branch targets for IBT.
pub(super) fn nop(instruction: &Instruction<'_>) -> Answer {
    emulated(instruction, Action::Nothing)
}

/// 90, which is an exchange with r8 if REX.B is set.
pub(super) fn nop_or_exchange(instruction: &Instruction<'_>) -> Answer {
    if instruction.prefixes().has(Prefixes::B) {
        return copied(instruction);
    }
    nop(instruction)
}

/// `push r` of the full width; the 16-bit form is relocated.
pub(super) fn push_register(instruction: &Instruction<'_>) -> Answer {
    push(
        instruction,
        instruction.opcode_register().map(Pushed::Register),
    )
}

/// `push imm`.
pub(super) fn push_number(instruction: &Instruction<'_>) -> Answer {
    push(instruction, instruction.number().map(Pushed::Number))
}

fn push(instruction: &Instruction<'_>, pushed: Option<Pushed>) -> Answer {
    match pushed {
        Some(pushed) if !instruction.prefixes().has_size() => {
            emulated(instruction, Action::Push(pushed))
        }
        _ => copied(instruction),
    }
}

/// `jcc`.
pub(super) fn jump_if(instruction: &Instruction<'_>) -> Answer {
    let condition = Condition::Flags(instruction.opcode() & 0b1111);
    let action = |distance| Action::JumpIf(condition, distance);
    branch(instruction, instruction.number().map(action))
}

/// `loopne`, `loope`, `loop` and `jrcxz`. With F2 some processors execute `loope` as `loopne`, and
/// with F3 the reverse; the manual does not say.
pub(super) fn count(instruction: &Instruction<'_>) -> Answer {
    let asks_for_zero = instruction.opcode() & 0b10 == 0;
    if asks_for_zero && instruction.prefixes().has_repeat() {
        return Plan::Refuse(Why::Implementation);
    }
    let count = match instruction.opcode() & 0b11 {
        0 => Count::DownWhileNotEqual,
        1 => Count::DownWhileEqual,
        2 => Count::Down,
        _ => Count::IsZero,
    };
    let width = match (instruction.mode(), instruction.prefixes().address) {
        (Mode::Long, false) => Width::Eight,
        (Mode::Compat, true) => Width::Two,
        _ => Width::Four,
    };
    let condition = Condition::Count(count, width);
    let action = |distance| Action::JumpIf(condition, distance);
    branch(instruction, instruction.number().map(action))
}

/// `jmp rel`.
pub(super) fn jump(instruction: &Instruction<'_>) -> Answer {
    let target = instruction.number().map(Target::Relative);
    branch(instruction, target.map(Action::Jump))
}

/// `call rel`.
pub(super) fn call(instruction: &Instruction<'_>) -> Answer {
    let target = instruction.number().map(Target::Relative);
    branch(instruction, target.map(Action::Call))
}

/// The target of `jmp r/m` and `call r/m`, unless it is in a segment whose base the handler does
/// not know.
fn indirect(instruction: &Instruction<'_>) -> Option<Target> {
    if let Some(register) = instruction.register() {
        return Some(Target::Register(register));
    }
    let address = instruction.address()?;
    let is_known = !instruction.prefixes().segment || mutant::is_chosen(Mutant::SegmentIgnored);
    is_known.then_some(Target::Memory(address))
}

/// `jmp r/m`. With a segment it can be relocated, since it does not push its address.
pub(super) fn jump_indirect(instruction: &Instruction<'_>) -> Answer {
    match indirect(instruction).map(Action::Jump) {
        None if !instruction.prefixes().has_size() => copied(instruction),
        action => branch(instruction, action),
    }
}

/// `call r/m`.
pub(super) fn call_indirect(instruction: &Instruction<'_>) -> Answer {
    branch(instruction, indirect(instruction).map(Action::Call))
}

/// `ret`.
pub(super) fn give_back(instruction: &Instruction<'_>) -> Answer {
    let release = match instruction.number() {
        Some(number) if !mutant::is_chosen(Mutant::ReleaseIgnored) => number as u16,
        _ => 0,
    };
    branch(instruction, Some(Action::Return(release)))
}

/// `xbegin`, whose abort address is relative to the instruction pointer.
pub(super) fn begin_transaction(instruction: &Instruction<'_>) -> Answer {
    if instruction.prefixes().has_size() {
        return Plan::Refuse(Why::Unported);
    }
    Plan::Relocate(instruction.copy_ending_relative())
}

/// `sti`: the instruction after it runs before any interrupt. In a slot that is the jump back. It
/// matters only if the next instruction waits for an interrupt or leaves the kernel.
pub(super) fn allow_interrupts(instruction: &Instruction<'_>) -> Answer {
    let behind = instruction.behind();
    let mut text = [0; LONGEST];
    for (byte, &behind) in text.iter_mut().zip(behind) {
        *byte = behind;
    }
    match plan(&text) {
        Plan::Refuse(Why::Shadow | Why::Order) if !mutant::is_chosen(Mutant::ShadowIgnored) => {
            Plan::Refuse(Why::Shadow)
        }
        _ => copied(instruction),
    }
}

/// `mov r, cr`.
pub(super) fn read_control(instruction: &Instruction<'_>) -> Answer {
    match instruction.middle() {
        0 | 3 | 4 | 8 => copied(instruction),
        2 => Plan::Refuse(Why::Order),
        _ => Plan::Refuse(Why::Undefined),
    }
}

/// `mov cr, r`.
pub(super) fn write_control(instruction: &Instruction<'_>) -> Answer {
    match instruction.middle() {
        2 | 8 => copied(instruction),
        0 | 3 | 4 => Plan::Refuse(Why::Mapping),
        _ => Plan::Refuse(Why::Undefined),
    }
}

/// `mov` to and from a debug register; there are eight.
pub(super) fn debug_register(instruction: &Instruction<'_>) -> Answer {
    match instruction.middle() {
        0..8 => copied(instruction),
        _ => Plan::Refuse(Why::Undefined),
    }
}
