//! x86-64 and 32-bit programs for execution.

use engine_isa::Fault;
use engine_isa::x86::{self, Emulation, LONGEST, ROWS, Relocation};

use super::drawn;
#[cfg(target_arch = "x86_64")]
use super::host::Host;
use super::judged;
use super::known;
use super::made;
use super::places;
use super::registers;
use super::shape::{Bytes, Shape};
use super::text;
use crate::machine::Guest;
use crate::prng::Rng;
use crate::set::{Done, Machine, Outcome, PlanOf, Set};
use crate::state::{Names, State};
use crate::window::Window;

/// x86 in 64-bit mode, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of<const WIDE: bool>;

/// x86-64.
pub type X86 = Of<true>;
/// 32-bit programs.
pub type Ia32 = Of<false>;

/// Bytes of the page for an instruction and the stop instruction after it.
pub const PLACE: usize = 32;
/// The name of the host's processor.
const HOST: &str = "host";

impl<const WIDE: bool> Set for Of<WIDE> {
    type Instruction = Bytes;
    type Emulation = Emulation;
    type Relocation = Relocation;

    const NAME: &'static str = if WIDE { "x86" } else { "ia32" };
    const PROCESSORS: &'static [&'static str] = &["epyc"];
    const MORE_PROCESSORS: &'static [&'static str] = if WIDE && cfg!(target_arch = "x86_64") {
        &[HOST]
    } else {
        &[]
    };
    const PLACE_BYTES: usize = PLACE;
    const SLOT_BYTES: usize = 64;
    /// UD2.
    const STOP: &'static [u8] = &[0x0f, 0x0b];
    const REFUSED: Bytes = [0xcc; LONGEST];
    const CORE: usize = places::CORE;
    const PC: usize = places::RIP;
    const FLAGS: usize = places::RFLAGS;
    const FREE_FLAGS: u64 = registers::FREE_FLAGS;
    const NOT_KNOWN: &'static [(&'static str, &'static str)] = &[];
    const KEPT: &'static str = if WIDE {
        include_str!("../../regressions/x86.txt")
    } else {
        include_str!("../../regressions/ia32.txt")
    };

    fn why_not_known(name: &str) -> Option<&'static str> {
        known::why_not_known::<WIDE>(name)
    }

    fn why_none(name: &str) -> Option<&'static str> {
        known::why_none::<WIDE>(name)
    }

    fn names() -> Names {
        registers::names()
    }

    fn rows() -> Vec<&'static str> {
        ROWS.iter().map(|row| row.name).collect()
    }

    fn row(bytes: Bytes) -> usize {
        if WIDE {
            x86::row(&bytes)
        } else {
            x86::row_ia32(&bytes)
        }
    }

    fn plan(bytes: Bytes) -> PlanOf<Self> {
        if WIDE {
            x86::plan(&bytes)
        } else {
            x86::plan_ia32(&bytes)
        }
    }

    fn slot(relocation: Relocation, at: u64, from: u64) -> Option<Vec<u8>> {
        Some(relocation.slot(at, from)?.to_vec())
    }

    fn emulate(
        emulation: Emulation,
        _: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault> {
        let mut regs = registers::to_regs(state);
        let result = emulation.run(&mut regs, window);
        registers::of_regs(&regs, state);
        result
    }

    fn any(rng: &mut Rng) -> Bytes {
        made::one::<WIDE>(rng)
    }

    fn drawn(row: usize, rng: &mut Rng) -> Bytes {
        drawn::of_row::<WIDE>(row, rng)
    }

    fn in_text(row: usize) -> u64 {
        if WIDE { text::count(row) } else { 0 }
    }

    fn state(bytes: Bytes, pc: u64, rng: &mut Rng) -> State {
        registers::random::<WIDE>(&bytes, pc, rng)
    }

    /// The bytes that its plan covers; all of them if it is refused.
    fn bytes(bytes: &Bytes) -> Vec<u8> {
        bytes[..length::<WIDE>(bytes)].to_vec()
    }

    fn text(bytes: Bytes) -> String {
        let known = &bytes[..length::<WIDE>(&bytes)];
        known.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(text: &str) -> Option<Bytes> {
        let mut bytes = [0; LONGEST];
        let digits = text.as_bytes().chunks(2);
        for (byte, digits) in bytes.iter_mut().zip(digits) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        (text.len() <= 2 * LONGEST).then_some(bytes)
    }

    fn simpler(bytes: Bytes) -> Vec<Bytes> {
        let mut found = Vec::new();
        for place in 0..length::<WIDE>(&bytes) {
            for bit in 0..8 {
                let mut simpler = bytes;
                simpler[place] &= !(1 << bit);
                if simpler != bytes && Self::row(simpler) == Self::row(bytes) {
                    found.push(simpler);
                }
            }
        }
        found
    }

    fn machine(processor: &'static str) -> Box<dyn Machine> {
        #[cfg(target_arch = "x86_64")]
        if processor == HOST {
            return Box::new(Host::new().expect("a process of this host can be traced"));
        }
        Box::new(Guest::<Self>::new(processor))
    }

    fn is_wide(bytes: Bytes) -> bool {
        judged::is_wide(&Shape::read_in(WIDE, &bytes))
    }

    fn steps(bytes: Bytes) -> usize {
        judged::steps(&Shape::read_in(WIDE, &bytes))
    }

    fn not_judged(bytes: Bytes, processor: &'static str) -> Option<&'static str> {
        judged::not_judged(&Shape::read_in(WIDE, &bytes), &bytes, processor == HOST)
    }

    fn changes_system(bytes: Bytes) -> bool {
        judged::changes_system(&Shape::read_in(WIDE, &bytes))
    }

    fn excused(done: &Done<'_, Self>, native: &Outcome, ours: &Outcome) -> Option<&'static str> {
        let opcode = Shape::read_in(WIDE, &done.instruction).opcode;
        judged::excused(opcode, native, ours)
    }

    /// All but RF, which only affects debugging; and on the host all but what Linux does not let a
    /// tracer set.
    fn compared(done: &Done<'_, Self>, register: usize) -> u64 {
        const RF: u64 = 0x1_0000;
        const ID_AND_NT: u64 = 0x20_4000;
        match register {
            places::RFLAGS if done.processor == HOST => !(RF | ID_AND_NT),
            places::RFLAGS => !RF,
            _ => u64::MAX,
        }
    }

    fn unsettled_at_fault(_: &Done<'_, Self>) -> u64 {
        8
    }
}

/// The length of a valid instruction.
fn length<const WIDE: bool>(bytes: &Bytes) -> usize {
    let length = if WIDE {
        x86::length(bytes)
    } else {
        x86::length_ia32(bytes)
    };
    length.unwrap_or(LONGEST).min(LONGEST)
}
