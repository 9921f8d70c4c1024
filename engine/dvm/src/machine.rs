//! The interpreter.
//!
//! It never branches backward, so it executes at most as many steps as the clause has instructions.
//! The work of a step is at most proportional to the size of its operands: of strings, of a value,
//! or of scratch memory. Nothing in it panics; what verification excludes would be an illegal
//! operation.

use engine_abi::{Fault, FieldKind, Instruction};

use crate::address::{self, Location};
use crate::arithmetic::{compute, sign};
use crate::clause::Clause;
use crate::env::Env;
use crate::limits::{USER_FRAME_WORK, USER_FRAMES_MAX, WALK_WORK};
use crate::memory::{Memory, Reader, Registers, Space, Trouble, check_part, copy, end};
use crate::mutant;
use crate::names::{Builtin, Subroutine};
use crate::op::{Op, REGISTERS};
use crate::rows::Field;

/// Why a run was aborted, and where. The caller must drop what it has recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The fault.
    pub fault: Fault,
    /// The faulting address, or 0.
    pub address: u64,
    /// The instruction, relative to the clause's first.
    pub instruction: u32,
    /// The action that it belongs to, from 1; 0 is the predicate.
    pub action: u32,
}

/// Runs a clause.
///
/// Rare operations are functions of their own, never inlined: otherwise every run would set up
/// their stack frames, whether it reaches them or not.
pub fn run<E: Env>(clause: Clause<'_>, memory: Memory<'_>, env: &mut E) -> Result<(), Failure> {
    let mut machine = Machine {
        registers: memory.registers,
        space: Space::new(clause.tables, memory.scratch, memory.heap),
        key: memory.key,
        pushed: 0,
        tokens: memory.tokens,
        env,
    };
    // r0 is always 0; any other register is written before it is read.
    machine.write(0, 0);
    let code = clause.code();
    let mut at = 0;
    while let Some(instruction) = code.get(at) {
        let next = at.wrapping_add(1);
        match machine.step(instruction) {
            Ok(Step::Next) => at = next,
            // Never backward, so that it terminates.
            Ok(Step::To(target)) => at = target.max(next),
            Ok(Step::End) => break,
            Err(trouble) => return Err(failure(clause, at, trouble)),
        }
    }
    Ok(())
}

#[cold]
fn failure(clause: Clause<'_>, instruction: u32, trouble: Trouble) -> Failure {
    Failure {
        fault: trouble.fault,
        address: match trouble.fault {
            Fault::BadAddress | Fault::BadAlignment => address::full(trouble.address),
            _ => trouble.address,
        },
        instruction,
        action: clause.action(instruction),
    }
}

/// Where a run continues.
enum Step {
    /// At the next instruction.
    Next,
    /// At this instruction.
    To(u32),
    /// It ends.
    End,
}

/// The state of a run.
pub(crate) struct Machine<'a, E> {
    registers: &'a mut Registers,
    pub(crate) space: Space<'a>,
    /// The pushed values; `pushed` bytes of it are in use.
    pub(crate) key: &'a mut [u8],
    /// How many bytes are pushed.
    pub(crate) pushed: usize,
    /// Whether `strtok` has begun, and then what it has not yet split.
    pub(crate) tokens: &'a mut [u8],
    pub(crate) env: &'a mut E,
}

impl<E: Env> Machine<'_, E> {
    /// Executes an instruction.
    fn step(&mut self, instruction: Instruction) -> Result<Step, Trouble> {
        let op = Op::from_code(instruction.op).ok_or(Fault::IllegalOperation)?;
        let (a, b) = (self.register(instruction.a), self.register(instruction.b));
        let target = Step::To(instruction.immediate);
        match op {
            Op::Ret => return Ok(Step::End),
            Op::Ba => return Ok(target),
            Op::Bz if mutant::is_active("low-half-tested") => {
                return Ok(if a as u32 == 0 { target } else { Step::Next });
            }
            Op::Bz => return Ok(if a == 0 { target } else { Step::Next }),
            Op::Bnz => return Ok(if a != 0 { target } else { Step::Next }),
            Op::Open => return Ok(opened(self.env.open(None))),
            Op::Opens => {
                self.check_speculation(a)?;
                return Ok(opened(self.env.open(Some(a))));
            }
            _ if op.shape().writes_d => {
                let value = self.value(op, instruction.immediate, a, b)?;
                self.write(instruction.d, value);
            }
            _ => self.act(op, instruction.immediate, a, b)?,
        }
        Ok(Step::Next)
    }

    fn register(&self, number: u8) -> u64 {
        let register = self.registers.get(usize::from(number % REGISTERS));
        register.copied().unwrap_or(0)
    }

    /// Writes a register; `r0` stays 0.
    fn write(&mut self, number: u8, value: u64) {
        let register = self.registers.get_mut(usize::from(number % REGISTERS));
        if let Some(register) = register {
            *register = value;
        }
        if let Some(zero) = self.registers.first_mut()
            && !mutant::is_active("zero-written")
        {
            *zero = 0;
        }
    }

    /// The result of an op that writes a register.
    #[inline(always)]
    fn value(&mut self, op: Op, immediate: u32, a: u64, b: u64) -> Result<u64, Trouble> {
        match op {
            Op::Seti => Ok(immediate as i32 as u64),
            Op::Seth => Ok(u64::from(immediate) << 32 | a & 0xffff_ffff),
            Op::Sets => Ok(self.space.tables().string_address(immediate)),
            Op::Scmp => self.compare(a, b),
            Op::Ldsb => self.load(a).map(|bytes| i8::from_ne_bytes(bytes) as u64),
            Op::Ldsh => self.load(a).map(|bytes| i16::from_ne_bytes(bytes) as u64),
            Op::Ldsw => self.load(a).map(|bytes| i32::from_ne_bytes(bytes) as u64),
            Op::Ldub => self.load(a).map(|bytes| u8::from_ne_bytes(bytes).into()),
            Op::Lduh => self.load(a).map(|bytes| u16::from_ne_bytes(bytes).into()),
            Op::Lduw => self.load(a).map(|bytes| u32::from_ne_bytes(bytes).into()),
            Op::Ldx => self.load(a).map(u64::from_ne_bytes),
            Op::Ldb => self.builtin(immediate, a),
            Op::Ldv | Op::Lda => self.get(immediate),
            Op::Lea => Ok(self.space.tables().variable_address(immediate)),
            Op::Call => self.call(Subroutine::from_code(immediate).ok_or(Fault::IllegalOperation)?),
            _ => Ok(compute(op, a, b).unwrap_or(Err(Fault::IllegalOperation))?),
        }
    }

    /// Executes an op that writes no register.
    #[inline(always)]
    fn act(&mut self, op: Op, immediate: u32, a: u64, b: u64) -> Result<(), Trouble> {
        match op {
            Op::Stb => self.store(a, &(b as u8).to_ne_bytes())?,
            Op::Sth => self.store(a, &(b as u16).to_ne_bytes())?,
            Op::Stw => self.store(a, &(b as u32).to_ne_bytes())?,
            Op::Stx => self.store(a, &b.to_ne_bytes())?,
            Op::Stv | Op::Sta => self.set(immediate, a)?,
            Op::Push | Op::Pushs | Op::Pushb | Op::Pushk | Op::Pushu => {
                self.push(op, immediate, a)?
            }
            Op::Rec => self.record(immediate, a)?,
            Op::Agg => {
                let key = self.key.get(..self.pushed).unwrap_or_default();
                self.env.aggregate(immediate, key, a, b);
                if !mutant::is_active("key-kept") {
                    self.pushed = 0;
                }
                self.charge_new()?;
            }
            Op::Commit => {
                self.check_speculation(a)?;
                self.env.commit(a);
            }
            Op::Discard => {
                self.check_speculation(a)?;
                self.env.discard(a);
            }
            Op::Exit => self.env.exit(),
            _ => return Err(Fault::IllegalOperation.into()),
        }
        Ok(())
    }

    /// Charges this run for memory that was zeroed for it.
    pub(crate) fn charge_new(&mut self) -> Result<(), Trouble> {
        let bytes = self.env.take_work();
        self.space.charge(bytes)
    }

    /// A speculation must exist; 0 is none, and is ignored.
    fn check_speculation(&self, number: u64) -> Result<(), Trouble> {
        if number == 0 || self.env.has_speculation(number) {
            return Ok(());
        }
        Err(Fault::IllegalOperation.into())
    }

    /// Size of a string in bytes, including its NUL.
    pub(crate) fn string_size(&self) -> usize {
        self.space.tables().header().string_size as usize
    }

    /// A reader, and unused scratch memory for the result.
    pub(crate) fn room(&mut self, size: usize) -> Result<(Reader<'_, E>, &mut [u8]), Trouble> {
        let (own, room) = self.space.room(size)?;
        let env = &mut *self.env;
        Ok((Reader { own, env }, room))
    }

    /// Allocates the string of this length at the beginning of unused scratch. Returns its address.
    pub(crate) fn keep_text(&mut self, length: usize) -> u64 {
        self.space.keep(length.wrapping_add(1))
    }

    /// Compares two strings. Address 0 is the empty string.
    #[inline(never)]
    fn compare(&mut self, a: u64, b: u64) -> Result<u64, Trouble> {
        let size = self.string_size();
        let (mut reader, room) = self.room(size.wrapping_mul(2))?;
        let (one, other) = room.split_at_mut_checked(size).unwrap_or_default();
        let mut read = |address: u64, room: &mut [u8]| match address {
            0 => Ok(0),
            _ => reader.text(address, room),
        };
        let (one_length, other_length) = (read(a, &mut *one)?, read(b, &mut *other)?);
        Ok(sign(one.get(..one_length).cmp(&other.get(..other_length))))
    }

    /// Loads a number of `SIZE` bytes.
    #[inline(never)]
    fn load<const SIZE: usize>(&mut self, address: u64) -> Result<[u8; SIZE], Trouble> {
        aligned(address, SIZE)?;
        let own = self.space.own();
        let env = &mut *self.env;
        let mut bytes = [0; SIZE];
        Reader { own, env }.bytes(address, &mut bytes)?;
        Ok(bytes)
    }

    #[inline(never)]
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trouble> {
        aligned(address, bytes.len())?;
        if let Location::Variable(number, offset) = Location::of(address) {
            let tables = self.space.tables();
            check_part(tables, address, (number, offset), bytes.len())?;
            self.env.store_part(number, offset, bytes);
            return self.charge_new();
        }
        copy(self.space.writable(address, bytes.len())?, bytes);
        Ok(())
    }

    #[inline(never)]
    fn builtin(&mut self, number: u32, index: u64) -> Result<u64, Trouble> {
        let builtin = Builtin::from_code(number).ok_or(Fault::IllegalOperation)?;
        self.space.charge(walk_of(builtin))?;
        if !builtin.is_text() {
            return Ok(self.env.builtin(builtin, index));
        }
        let size = self.string_size();
        let (reader, room) = self.room(size)?;
        let length = match room.split_last_mut() {
            Some((_, text)) => reader.env.builtin_text(builtin, text),
            None => 0,
        };
        end(room, length);
        Ok(self.keep_text(length))
    }

    /// Pushes a component of a key, padded with zeros to a multiple of 8.
    #[inline(never)]
    fn push(&mut self, op: Op, immediate: u32, a: u64) -> Result<(), Trouble> {
        let size = match op {
            Op::Push => 8,
            Op::Pushs => self.string_size(),
            Op::Pushb => immediate as usize,
            Op::Pushu => (immediate as usize).wrapping_add(1).wrapping_mul(8),
            _ => (immediate as usize).wrapping_mul(8),
        };
        let behind = self.pushed.wrapping_add(size.wrapping_add(7) & !7);
        let place = self.key.get_mut(self.pushed..behind);
        let place = place.and_then(|place| place.split_at_mut_checked(size));
        let (place, padding) = place.ok_or(Fault::KeyTooLong)?;
        let walk = match op {
            Op::Pushk => WALK_WORK as usize,
            Op::Pushu => user_walk(size / 8),
            _ => 0,
        };
        self.space.charge(size.saturating_add(walk))?;
        let own = self.space.own();
        let env = &mut *self.env;
        match op {
            Op::Push => copy(place, &a.to_ne_bytes()),
            Op::Pushs => Reader { own, env }.padded_text(a, place)?,
            Op::Pushb => Reader { own, env }.bytes(a, place)?,
            Op::Pushu => env.user_stack(place),
            _ => env.stack(place),
        }
        if !mutant::is_active("padding-kept") {
            padding.iter_mut().for_each(|byte| *byte = 0);
        }
        self.pushed = behind;
        Ok(())
    }

    /// Records a value, or the data at an address.
    fn record(&mut self, number: u32, value: u64) -> Result<(), Trouble> {
        let field = self.space.tables().field(number);
        let field = field.ok_or(Fault::IllegalOperation)?;
        if field.kind == FieldKind::Scalar {
            self.record_scalar(field.offset, field.size, value);
            return Ok(());
        }
        self.record_bytes(field, value)
    }

    #[inline(never)]
    fn record_bytes(&mut self, field: Field, value: u64) -> Result<(), Trouble> {
        self.space.charge(match field.kind {
            FieldKind::Stack => WALK_WORK as usize,
            FieldKind::UserStack => user_walk(field.size as usize / 8),
            _ => 0,
        })?;
        let (mut reader, room) = self.room(field.size as usize)?;
        match field.kind {
            FieldKind::Text => reader.padded_text(value, room)?,
            FieldKind::Stack => reader.env.stack(room),
            FieldKind::UserStack => reader.env.user_stack(room),
            _ => reader.bytes(value, room)?,
        }
        reader.env.record(field.offset, room);
        Ok(())
    }

    fn record_scalar(&mut self, offset: u32, size: u32, value: u64) {
        match size {
            1 => self.env.record(offset, &(value as u8).to_ne_bytes()),
            2 => self.env.record(offset, &(value as u16).to_ne_bytes()),
            4 => self.env.record(offset, &(value as u32).to_ne_bytes()),
            _ => self.env.record(offset, &value.to_ne_bytes()),
        }
    }
}

/// The cost of reading a built-in variable, in bytes of work.
fn walk_of(builtin: Builtin) -> usize {
    match builtin {
        Builtin::Stackdepth => WALK_WORK as usize,
        Builtin::Ucaller => user_walk(2),
        Builtin::Ustackdepth => user_walk(USER_FRAMES_MAX as usize),
        _ => 0,
    }
}

/// The cost of a walk over a user stack of so many words, in bytes of work.
fn user_walk(words: usize) -> usize {
    words.saturating_mul(USER_FRAME_WORK as usize)
}

/// The clause ends if there is no space for its record.
fn opened(is_open: bool) -> Step {
    if is_open { Step::Next } else { Step::End }
}

/// Requires natural alignment.
fn aligned(address: u64, size: usize) -> Result<(), Trouble> {
    if address & (size as u64).wrapping_sub(1) == 0 || mutant::is_active("unaligned") {
        return Ok(());
    }
    Err(Trouble {
        fault: Fault::BadAlignment,
        address,
    })
}
