//! Whether a probe can be put at an instruction.

use core::ops::Range;

use engine_isa::{Away, Plan, Why};

use super::reason::Reason;
use crate::glob::matches;
use crate::isa::Isa;
use crate::platform::{OffLimits, Platform};
use crate::providers::toxic;

/// Code seldom run, which the compiler has moved out of its function.
const PARTS: [&[u8]; 2] = [b"*.cold", b"*.cold.*"];

/// What the linker has set where its sections begin and end.
const MARKS: [&[u8]; 2] = [b"__*_text_start", b"__*_text_end"];

/// Whether `name` is that of a part of the function of that name.
pub fn is_part_of(name: &[u8], function: &[u8]) -> bool {
    let behind = name.strip_prefix(function);
    behind.is_some_and(|behind| behind.starts_with(b".cold"))
}

/// Whether a function of that name may have probes.
pub fn named<I: Isa>(name: &[u8]) -> Result<(), Reason> {
    if PARTS.iter().any(|part| matches(part, name)) {
        return Err(Reason::Part);
    }
    if MARKS.iter().any(|mark| matches(mark, name)) {
        return Err(Reason::Mark);
    }
    if let Some(reason) = toxic::glue(name, I::GLUE) {
        return Err(Reason::Glue(reason));
    }
    match toxic::reason(name, I::TOXIC) {
        Some(reason) => Err(Reason::Toxic(reason)),
        None => Ok(()),
    }
}

/// The text at `address`, if a function begins there and a probe can be put there.
pub fn entry<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    allowed(platform, address)?;
    let text = text_at::<I, P>(platform, address)?;
    match I::begins_function(&text) {
        true => planned::<I, P>(platform, address, text),
        false => Err(Reason::Data),
    }
}

/// The text at `address`, if a probe can be put there.
pub fn probeable<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    allowed(platform, address)?;
    exit::<I, P>(platform, address)
}

/// The same in a function that the kernel allows probes in.
pub fn exit<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    let text = text_at::<I, P>(platform, address)?;
    planned::<I, P>(platform, address, text)
}

/// Whether the kernel allows a probe at `address`.
pub fn allowed<P: Platform>(platform: &P, address: usize) -> Result<(), Reason> {
    match platform.off_limits(address) {
        Some(reason) => Err(Reason::OffLimits(reason)),
        None => Ok(()),
    }
}

/// The text at `address`.
pub fn text_at<I: Isa, P: Platform>(platform: &P, address: usize) -> Result<I::Text, Reason> {
    let mut text = I::Text::default();
    match platform.peek(address, text.as_mut()) {
        Ok(()) => Ok(text),
        Err(_) => Err(Reason::Unreadable),
    }
}

/// `text`, which is at `address`, if the engine can stand in for its instruction.
fn planned<I: Isa, P: Platform>(
    platform: &P,
    address: usize,
    text: I::Text,
) -> Result<I::Text, Reason> {
    if is_optimized::<I, P>(platform, address, &text) {
        return Err(Reason::Foreign);
    }
    let plan = I::plan(&text);
    match plan {
        Plan::Refuse(why) => return Err(Reason::Instruction(why)),
        Plan::Relocate(relocation) => {
            let next = address.wrapping_add(I::length(&plan));
            if !is_in_reach::<I>(relocation, &platform.code_range(), address, next) {
                return Err(Reason::Instruction(Why::Far));
            }
        }
        Plan::Emulate(_) => {}
    }
    let is_rewritten = I::is_placeholder(&text) && platform.rewritten(address);
    if is_rewritten || I::will_be_rewritten(&text) {
        return Err(Reason::Rewritten);
    }
    Ok(text)
}

/// Whether what is at that address is nobody's function: where others have put a jump in place of
/// instructions, it leads there.
pub fn is_foreign<P: Platform>(platform: &P, address: u64) -> bool {
    platform.off_limits(address as usize) == Some(OffLimits::Discarded)
}

/// Whether the instruction at `address` is not the function's own, but the jump of an optimized kprobe.
fn is_optimized<I: Isa, P: Platform>(platform: &P, address: usize, text: &I::Text) -> bool {
    match I::control(text, address).away {
        Some(Away::To(to)) => is_foreign(platform, to) && platform.has_kprobe(address),
        _ => false,
    }
}

/// Whether a copy can stand wherever there may be slots.
fn is_in_reach<I: Isa>(
    relocation: I::Relocation,
    slots: &Range<usize>,
    address: usize,
    next: usize,
) -> bool {
    [slots.start, slots.end]
        .into_iter()
        .all(|slot| I::slot(relocation, slot, address, next).is_some())
}
