//! Compares a processor's result with our plan's, as far as the architecture defines it.

use std::ops::Range;

use crate::set::{Done, End, Outcome, Set};
use crate::state::State;
use crate::window::{Data, Window};

/// The largest distance between the reported addresses of the same fault, in bytes: a multiple load
/// may report its first address or the one that failed.
const SAME_FAULT: u64 = 64;

/// The difference, if there is one.
pub fn difference<S: Set>(done: &Done<'_, S>, native: &Outcome, ours: &Outcome) -> Option<String> {
    match (native.end, ours.end) {
        (End::Done, End::Done) => {
            let compared = |register| S::compared(done, register);
            registers(&native.state, &ours.state, compared)
                .or_else(|| bytes(&native.data, &ours.data, 0..0))
        }
        (End::Fault(one), End::Fault(other)) if one.abs_diff(other) < SAME_FAULT => {
            after_fault(done, native, ours, other)
        }
        (native, ours) => Some(format!("{native:x?}, and ours {ours:x?}")),
    }
}

/// The difference after both have faulted. An emulation must have left all registers unchanged. A
/// processor need not have restored registers loaded before the fault, nor the pc, which Unicorn
/// does not define. Of the word at which a store fails, Unicorn stores the accessible bytes.
fn after_fault<S: Set>(
    done: &Done<'_, S>,
    native: &Outcome,
    ours: &Outcome,
    address: u64,
) -> Option<String> {
    let changed = registers(done.before, &ours.state, |_| u64::MAX);
    if let Some(changed) = changed.filter(|_| done.emulated) {
        return Some(format!("it faulted, before that {changed}"));
    }
    let compared = |register| match register {
        _ if register == S::PC => 0,
        _ if done.emulated => S::compared_at_fault(done, register),
        _ => S::compared(done, register),
    };
    let open = if done.emulated {
        Window::places(address, S::unsettled_at_fault(done))
    } else {
        0..0
    };
    registers(&native.state, &ours.state, compared)
        .or_else(|| bytes(&native.data, &ours.data, open))
}

fn registers(native: &State, ours: &State, compared: impl Fn(usize) -> u64) -> Option<String> {
    let different = native
        .differences(ours)
        .filter(|(register, _, one, other)| (one ^ other) & compared(*register) != 0);
    let told: Vec<String> = different
        .map(|(_, name, one, other)| format!("{name} {one:x}, and ours {other:x}"))
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The first byte that differs outside of `open`.
fn bytes(native: &Data, ours: &Data, open: Range<usize>) -> Option<String> {
    if native == ours {
        return None;
    }
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
    use crate::arm::set::{A32, CPSR};
    use crate::window::{DATA_BYTES, HIGH};

    fn before() -> State {
        State::zero(A32::names())
    }

    /// `ldm r4!, {r0, pc}`.
    const LOAD: u32 = 0xe8b4_8001;

    fn fault(change: impl FnOnce(&mut Outcome)) -> Outcome {
        let mut outcome = Outcome {
            end: End::Fault(HIGH + 0xffe),
            state: before(),
            data: Box::new([0; DATA_BYTES]),
        };
        change(&mut outcome);
        outcome
    }

    fn differs(emulated: bool, native: &Outcome, ours: &Outcome) -> bool {
        let done = Done::<A32> {
            instruction: LOAD,
            before: &before(),
            processor: "v6",
            emulated,
        };
        difference(&done, native, ours).is_some()
    }

    #[test]
    fn a_fault_leaves_our_registers_alone() {
        let as_before = fault(|_| {});
        for register in 0..16 {
            let changed = fault(|ours| ours.state[register] = 4);
            assert!(differs(true, &as_before, &changed), "r{register}");
        }
        assert!(differs(
            true,
            &as_before,
            &fault(|ours| ours.state[CPSR] = 0x20)
        ));
        assert!(!differs(true, &as_before, &as_before));
    }

    #[test]
    fn a_fault_leaves_the_processors_base_alone_and_not_what_it_loads() {
        let ours = fault(|_| {});
        let changed = |register: usize| fault(|native| native.state[register] = 4);
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
