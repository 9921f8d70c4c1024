//! x86-64. The layout of [`State`] is shared with the self-test in `engine/kmod`.

mod reach;
mod reading;
mod unfit;

use std::ops::Range;

use engine_isa::Arch;
use engine_isa::Plan as Planned;
use engine_isa::x86::{self, Regs};
use fastrand::Rng;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

use crate::cases::{number, stack_pointer, value};
use crate::image::{self, Image};
use crate::instruction::{LONGEST, Plan, Text};
use crate::places::{DATA, PAGE, Places};
use crate::set::{Around, InKernel, Set};
use reading::Reading;

/// INT3: ends a run.
const LEAVE: u8 = 0xcc;

/// [`State::ended`] of a run that reached [`LEAVE`].
const EXITED: u64 = 0x100;

/// Indices into `struct pt_regs`, by register number.
const GENERAL: [usize; 16] = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];
const IP: usize = 16;
const SP: usize = 19;

/// Largest displacement from a register.
const NEAR: i64 = 0x40;

/// FXSAVE's fields of the last x87 instruction, which depend on its address.
const LAST_INSTRUCTION: Range<usize> = 6..24;

/// The x86-64 instruction set.
pub struct X86;

/// Registers before and after a run.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct State {
    /// In the order of `struct pt_regs`.
    pub registers: [u64; 21],
    /// What ended the run.
    ended: u64,
    /// Zero.
    reserved: [u64; 2],
    /// x87, SSE and AVX state in XSAVE format.
    pub extended: [u8; 1024],
}

/// Whether the engine takes `bytes` for a LOCK prefix that the kernel has patched to DS, and refuses
/// the site.
fn is_taken_for_unlocked(bytes: &[u8]) -> bool {
    let mut text = [0; x86::LONGEST];
    text.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    <x86::X86 as Arch>::will_be_rewritten(&text)
}

impl State {
    /// A general register, by number.
    fn general(&self, number: u8) -> u64 {
        self.registers[GENERAL[usize::from(number)]]
    }
}

impl Set for X86 {
    type State = State;

    const POINTER: usize = 8;
    const LEAVE: &'static [u8] = &[LEAVE];

    fn text(column: &str) -> Option<Text> {
        let bytes = column.split_whitespace();
        let bytes: Result<Vec<_>, _> = bytes.map(|byte| u8::from_str_radix(byte, 16)).collect();
        Text::new(&bytes.ok()?)
    }

    fn unfit(text: &Text, plan: Plan) -> Option<&'static str> {
        let Some(reading) = Reading::of(text.bytes()) else {
            return Some("it cannot be decoded");
        };
        if is_taken_for_unlocked(text.bytes()) {
            return Some(unfit::UNLOCKED);
        }
        // The final stack pointer of an emulation is checked by running it beforehand.
        unfit::unfit(&reading).filter(|&why| plan != Plan::Emulate || why != unfit::SETS_SP)
    }

    /// RIP-relative operands are moved into the data, jump targets into the page, and large
    /// displacements from a register reduced.
    fn fit(text: &Text, places: &Places) -> Text {
        let mut text = *text;
        let Some(reading) = Reading::of(text.bytes()) else {
            return text;
        };
        let next = places.site + text.bytes().len() as u64;
        let from_next = |to: u64| to.wrapping_sub(next) as u32;
        let change = match (reading.operand, reading.jump()) {
            (_, Some(place)) => Some((place, from_next(places.page + 512))),
            (Some(operand), None) if operand.is_relative => {
                let data = from_next(places.data + DATA as u64 / 2);
                operand.place.map(|place| (place, data))
            }
            (Some(operand), None) if operand.displacement.abs() > NEAR => {
                operand.place.map(|place| (place, NEAR as u32))
            }
            _ => None,
        };
        if let Some((place, distance)) = change {
            image::put(text.bytes_mut(), place, &distance.to_le_bytes());
        }
        text
    }

    fn prepare(_: &Text, _: &mut [u8; PAGE], _: &Places) {}

    fn random_state(prng: &mut Rng, places: &Places) -> State {
        let mut state = State::new_zeroed();
        state.registers = [(); 21].map(|()| value(prng, places));
        state.registers[IP] = places.site;
        state.registers[SP] = stack_pointer(prng, places);
        state
    }

    fn complete(state: &mut State, prng: &mut Rng) {
        extended(&mut state.extended, prng);
    }

    fn is_confined(text: &Text, state: &State, around: &Around<'_>) -> bool {
        match x86::plan(text.padded()) {
            Planned::Emulate(emulation) => {
                let mut regs = regs(state);
                let mut memory = Image {
                    around,
                    length: text.bytes().len(),
                    lowest: state.registers[SP],
                };
                let done = emulation.run(&mut regs, &mut memory);
                let length = text.bytes().len();
                done.is_ok() && image::ends_at_exit(regs.sp, regs.ip, length, around.places)
            }
            Planned::Relocate(_) => {
                let reading = Reading::of(text.bytes());
                reading.is_some_and(|reading| reach::is_inside(&reading, state, around.places))
            }
            Planned::Refuse(_) => false,
        }
    }

    fn difference(native: &State, probed: &State) -> Option<String> {
        let mut numbered = (0..).zip(native.registers.iter().zip(&probed.registers));
        let differs = numbered.find(|(_, (native, probed))| native != probed);
        if let Some((number, (native, probed))) = differs {
            return Some(format!("{} is {native:x} or {probed:x}", name(number)));
        }
        let bytes = native.extended.iter().zip(&probed.extended);
        let mut differ = bytes
            .enumerate()
            .filter(|(at, (native, probed))| !LAST_INSTRUCTION.contains(at) && native != probed);
        differ.next().map(|(at, (native, probed))| {
            format!("extended state + {at:x} is {native:x} or {probed:x}")
        })
    }

    fn describe(state: &State) -> String {
        let named = (0..).zip(&state.registers);
        let parts: Vec<_> = named
            .map(|(number, value)| format!("{} {value:x}", name(number)))
            .collect();
        parts.join(", ")
    }
}

impl InKernel for X86 {
    fn neighbour(text: &Text, prng: &mut Rng) -> Text {
        let mut bytes = *text.padded();
        for _ in 0..2 {
            bytes[prng.usize(..text.bytes().len())] ^= 1 << prng.u32(..8);
        }
        let length = match x86::plan(&bytes) {
            Planned::Emulate(emulation) => emulation.length().into(),
            Planned::Relocate(relocation) => relocation.length(),
            Planned::Refuse(_) => text.bytes().len(),
        };
        Text::new(&bytes[..length.min(LONGEST)]).unwrap_or(*text)
    }

    fn plan(text: &Text) -> Plan {
        x86::plan(text.padded()).into()
    }

    fn unexpected_end(state: &State) -> Option<String> {
        (state.ended != EXITED).then(|| format!("trap {}", state.ended))
    }

    fn sp(state: &State) -> u64 {
        state.registers[SP]
    }

    /// Only pushes are known.
    fn stored(text: &Text, state: &State) -> Option<Range<u64>> {
        let pushed = Reading::of(text.bytes())?.pushed()?;
        Some(state.registers[SP] - pushed..state.registers[SP])
    }
}

fn name(number: usize) -> &'static str {
    const NAMES: [&str; 21] = [
        "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx",
        "rsi", "rdi", "orig_rax", "rip", "cs", "flags", "rsp", "ss",
    ];
    NAMES[number]
}

fn regs(state: &State) -> Regs {
    let [
        r15,
        r14,
        r13,
        r12,
        bp,
        bx,
        r11,
        r10,
        r9,
        r8,
        ax,
        cx,
        dx,
        si,
        di,
        orig_ax,
        ip,
        cs,
        flags,
        sp,
        ss,
    ] = state.registers;
    Regs {
        r15,
        r14,
        r13,
        r12,
        bp,
        bx,
        r11,
        r10,
        r9,
        r8,
        ax,
        cx,
        dx,
        si,
        di,
        orig_ax,
        ip,
        cs,
        flags,
        sp,
        ss,
    }
}

/// x87 with a full stack and all exceptions masked, and random vectors.
fn extended(area: &mut [u8; 1024], prng: &mut Rng) {
    const CONTROL: u16 = 0x037f;
    const VECTOR_CONTROL: u32 = 0x1f80;
    const ALL_PARTS: u64 = 7;
    image::put(area, 0, &CONTROL.to_le_bytes());
    image::put(area, 4, &[0xff]);
    image::put(area, 24, &VECTOR_CONTROL.to_le_bytes());
    for register in 0..8 {
        let significand = 1 << 63 | prng.u64(..);
        let exponent = prng.u16(0x3ff0..0x4010) | u16::from(prng.bool()) << 15;
        image::put(area, 32 + 16 * register, &significand.to_le_bytes());
        image::put(area, 40 + 16 * register, &exponent.to_le_bytes());
    }
    image::put(area, 512, &ALL_PARTS.to_le_bytes());
    for vectors in [160, 576] {
        for word in 0..64 {
            let value = if prng.bool() {
                number(prng)
            } else {
                prng.u32(..)
            };
            image::put(area, vectors + 4 * word, &value.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// add %eax,(%rax) may have had a LOCK, and mov %eax,(%rax) cannot have.
    #[test]
    fn what_may_have_had_a_lock_is_not_run() {
        assert!(is_taken_for_unlocked(&[0x3e, 0x01, 0x00]));
        assert!(!is_taken_for_unlocked(&[0x3e, 0x89, 0x00]));
        assert!(!is_taken_for_unlocked(&[0x01, 0x00]));
    }
}
