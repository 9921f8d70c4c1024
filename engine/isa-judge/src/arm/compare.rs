//! What a processor has made of an instruction beside what our plan has: all of it that the
//! architecture says.

use std::ops::Range;

use super::machine::End;
use super::state::{DATA_BYTES, State, Window};

/// How a run ended, and what it left.
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The registers.
    pub state: State,
    /// The data.
    pub data: [u8; DATA_BYTES],
}

/// An instruction, and who did it for us.
#[derive(Clone, Copy)]
pub struct Done<'a> {
    /// The instruction.
    pub word: u32,
    /// What it was executed on.
    pub before: &'a State,
    /// Whether we emulated it. Otherwise the same processor has executed a copy.
    pub emulated: bool,
}

/// How far apart two faults of one instruction may be said to be: what several words are loaded
/// from may be told by its first address or by the one that failed.
const SAME_FAULT: u64 = 64;

/// What differs, if anything does.
pub fn difference(done: Done<'_>, native: &Outcome, ours: &Outcome) -> Option<String> {
    match (native.end, ours.end) {
        (End::Done, End::Done) => {
            registers(&native.state, &ours.state).or_else(|| bytes(&native.data, &ours.data, 0..0))
        }
        (End::Fault(one), End::Fault(other)) if one.abs_diff(other) < SAME_FAULT => {
            after_fault(done, native, ours, other)
        }
        (native, ours) => Some(format!("{native:x?}, and ours {ours:x?}")),
    }
}

/// What differs where both have faulted. An emulation must have left all registers alone. A
/// processor has to restore the base, but not what it has loaded before the fault, nor the pc, which Unicorn
/// leaves where it pleases. Of the word at which a store fails Unicorn stores the bytes that it can.
fn after_fault(done: Done<'_>, native: &Outcome, ours: &Outcome, address: u64) -> Option<String> {
    let changed = registers(done.before, &ours.state).filter(|_| done.emulated);
    if let Some(changed) = changed {
        return Some(format!("it faulted, before that {changed}"));
    }
    let mut state = native.state;
    state.r[15] = ours.state.r[15];
    let mut open = 0..0;
    if done.emulated {
        let loaded = (0..15).filter(|register| loads(done.word) >> register & 1 == 1);
        loaded.for_each(|register| state.r[register] = ours.state.r[register]);
        open = Window::places(address, 4);
    }
    registers(&state, &ours.state).or_else(|| bytes(&native.data, &ours.data, open))
}

/// The registers that an instruction loads, without its base.
const fn loads(word: u32) -> u32 {
    let base = 1 << (word >> 16 & 15);
    let is_load = word >> 20 & 1 == 1;
    let is_list = word >> 25 & 7 == 0b100 && is_load;
    let is_pair = word & 0x0e10_00f0 == 0x0000_00d0;
    let loaded = match (is_list, is_pair) {
        (true, _) => word & 0xffff,
        (_, true) => 0b11 << (word >> 12 & 15),
        _ => 0,
    };
    loaded & !base
}

fn registers(native: &State, ours: &State) -> Option<String> {
    let core = native.r.iter().zip(&ours.r);
    let core = (0..).zip(core).filter(|(_, (one, other))| one != other);
    let mut told: Vec<String> = core
        .map(|(number, (one, other))| format!("r{number} {one:x}, and ours {other:x}"))
        .collect();
    let double = (0..).zip(native.d.iter().zip(&ours.d));
    let double = double.filter(|(_, (one, other))| one != other);
    told.extend(
        double.map(|(number, (one, other))| format!("d{number} {one:x}, and ours {other:x}")),
    );
    let status = [
        ("cpsr", native.cpsr, ours.cpsr),
        ("fpscr", native.fpscr, ours.fpscr),
    ];
    let status = status.iter().filter(|(_, one, other)| one != other);
    told.extend(status.map(|(name, one, other)| format!("{name} {one:x}, and ours {other:x}")));
    (!told.is_empty()).then(|| told.join("; "))
}

/// The first byte that differs and is not among those at `open`.
fn bytes(native: &[u8; DATA_BYTES], ours: &[u8; DATA_BYTES], open: Range<usize>) -> Option<String> {
    let pairs = native.iter().zip(ours).enumerate();
    let mut different = pairs.filter(|(at, (one, other))| one != other && !open.contains(at));
    let (at, (one, other)) = different.next()?;
    Some(format!(
        "the byte {at:#x} of the data {one:x}, and ours {other:x}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::state::HIGH;

    const BEFORE: State = State {
        r: [0; 16],
        cpsr: 0x13,
        d: [0; 32],
        fpscr: 0,
    };
    /// `ldm r4!, {r0, pc}`.
    const LOAD: u32 = 0xe8b4_8001;

    fn fault(change: impl FnOnce(&mut Outcome)) -> Outcome {
        let mut outcome = Outcome {
            end: End::Fault(u64::from(HIGH) + 0xffe),
            state: BEFORE,
            data: [0; DATA_BYTES],
        };
        change(&mut outcome);
        outcome
    }

    fn differs(emulated: bool, native: &Outcome, ours: &Outcome) -> bool {
        let done = Done {
            word: LOAD,
            before: &BEFORE,
            emulated,
        };
        difference(done, native, ours).is_some()
    }

    #[test]
    fn a_fault_leaves_our_registers_alone() {
        let as_before = fault(|_| {});
        for register in 0..16 {
            let changed = fault(|ours| ours.state.r[register] = 4);
            assert!(differs(true, &as_before, &changed), "r{register}");
        }
        assert!(differs(
            true,
            &as_before,
            &fault(|ours| ours.state.cpsr = 0x33)
        ));
        assert!(!differs(true, &as_before, &as_before));
    }

    #[test]
    fn a_fault_leaves_the_processors_base_alone_and_not_what_it_loads() {
        let ours = fault(|_| {});
        let changed = |register: usize| fault(|native| native.state.r[register] = 4);
        assert!(differs(true, &changed(4), &ours));
        assert!(differs(true, &changed(1), &ours));
        assert!(!differs(true, &changed(0), &ours));
        assert!(differs(false, &changed(0), &ours));
    }

    #[test]
    fn a_store_that_faults_is_open_in_the_word_where_it_does() {
        let ours = fault(|_| {});
        let last = DATA_BYTES - 1;
        let stored = |at: usize| fault(|native| native.data[at] = 1);
        assert!(!differs(true, &stored(last), &ours));
        assert!(differs(true, &stored(last - 2), &ours));
        assert!(differs(false, &stored(last), &ours));
    }
}
