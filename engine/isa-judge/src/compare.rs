//! What a processor has made of an instruction beside what our plan has: all of it that the
//! architecture says.

use std::ops::Range;

use crate::set::{Done, End, Outcome, Set};
use crate::state::State;
use crate::window::{Data, Window};

/// How far apart two faults of one instruction may be said to be: what several words are loaded
/// from may be told by its first address or by the one that failed.
const SAME_FAULT: u64 = 64;

/// What differs, if anything does.
pub fn difference<S: Set>(
    done: &Done<'_, S>,
    native: &Outcome,
    ours: &Outcome,
) -> Option<String> {
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

/// What differs where both have faulted. An emulation must have left all registers alone. A
/// processor need not have restored all that it has loaded before the fault, nor the pc, which Unicorn
/// leaves where it pleases. Of the word at which a store fails Unicorn stores the bytes that it can.
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

/// The first byte that differs and is not among those at `open`.
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
