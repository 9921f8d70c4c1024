//! Whether a trap can be placed at an instruction.

use core::ops::Range;

use engine_isa::{Arch, Away, Plan, Why};

use crate::platform::{OffLimits, Platform};
use crate::probe::glob::matches;
use crate::site::blacklist::Blacklist;
use crate::site::reason::Reason;

/// Cold code that the compiler has split off its function, the padding before functions, of which a
/// kernel with CONFIG_CALL_PADDING makes symbols, and [`VENEER`]s.
const PARTS: [&[u8]; 4] = [b"*.cold", b"*.cold.*", b"__pfx_*", b"e843419@*"];

/// How GNU ld names an instruction that it has moved out of a function, with a branch there and back, to work
/// around Cortex-A53's erratum 843419.
const VENEER: &[u8] = b"e843419@";

/// The bytes of a veneer: that instruction, and the branch back. The symbol goes on to the next one's, over
/// padding that the linker has the code before branch across.
const VENEER_SIZE: usize = 8;

/// Linker symbols at the start and end of sections.
const SECTION_MARKERS: [&[u8]; 2] = [b"__*_text_start", b"__*_text_end"];

/// The range of the symbol `name`, if it is a cold part of `function`, or a veneer, to which only its own
/// function branches.
pub fn part_of(name: &[u8], range: Range<usize>, function: &[u8]) -> Option<Range<usize>> {
    if name.starts_with(VENEER) {
        let end = range.start.saturating_add(VENEER_SIZE);
        return Some(range.start..range.end.min(end));
    }
    let behind = name.strip_prefix(function)?;
    behind.starts_with(b".cold").then_some(range)
}

/// Checks whether the name alone rules out probes.
pub fn check_name(blacklist: &Blacklist, name: &[u8]) -> Result<(), Reason> {
    if PARTS.iter().any(|part| matches(part, name)) {
        return Err(Reason::Part);
    }
    if SECTION_MARKERS.iter().any(|marker| matches(marker, name)) {
        return Err(Reason::SectionMarker);
    }
    if let Some(reason) = blacklist.thunk(name) {
        return Err(Reason::Thunk(reason));
    }
    match blacklist.function(name) {
        Some(reason) => Err(Reason::Toxic(reason)),
        None => Ok(()),
    }
}

/// Returns the text at `address`, if a function starts there and a trap can be placed.
pub fn entry<A: Arch, P: Platform>(platform: &P, address: usize) -> Result<A::Text, Reason> {
    allowed(platform, address)?;
    let text = text_at::<A, P>(platform, address)?;
    match A::begins_function(&text) {
        true => planned::<A, P>(platform, address, text),
        false => Err(Reason::Data),
    }
}

/// Returns the text at `address`, if a trap can be placed there.
pub fn probeable<A: Arch, P: Platform>(platform: &P, address: usize) -> Result<A::Text, Reason> {
    allowed(platform, address)?;
    exit::<A, P>(platform, address)
}

/// Like [`probeable`], in a function that the kernel is known to allow probes in.
pub fn exit<A: Arch, P: Platform>(platform: &P, address: usize) -> Result<A::Text, Reason> {
    let text = text_at::<A, P>(platform, address)?;
    planned::<A, P>(platform, address, text)
}

/// Checks that the kernel allows a probe at `address`.
pub fn allowed<P: Platform>(platform: &P, address: usize) -> Result<(), Reason> {
    match platform.off_limits(address) {
        Some(reason) => Err(Reason::OffLimits(reason)),
        None => Ok(()),
    }
}

/// Reads the text at `address`.
pub fn text_at<A: Arch, P: Platform>(platform: &P, address: usize) -> Result<A::Text, Reason> {
    let mut text = A::Text::default();
    match platform.peek(address, text.as_mut()) {
        Ok(()) => Ok(text),
        Err(_) => Err(Reason::Unreadable),
    }
}

/// Returns `text`, which is at `address`, if its instruction can be emulated or relocated and
/// nothing else rewrites it.
fn planned<A: Arch, P: Platform>(
    platform: &P,
    address: usize,
    text: A::Text,
) -> Result<A::Text, Reason> {
    if is_optimized::<A, P>(platform, address, &text) {
        return Err(Reason::Foreign);
    }
    let plan = A::plan(&text, A::KERNEL);
    match plan {
        Plan::Refuse(why) => return Err(Reason::Instruction(why)),
        Plan::Relocate(relocation) => {
            let next = address.wrapping_add(A::length(&plan));
            if !is_in_reach::<A>(relocation, &platform.code_range(), address, next) {
                return Err(Reason::Instruction(Why::Far));
            }
        }
        Plan::Emulate(_) => {}
    }
    let is_rewritten = A::is_placeholder(&text) && platform.rewritten(address);
    if is_rewritten || A::will_be_rewritten(&text) {
        return Err(Reason::Rewritten);
    }
    Ok(text)
}

/// Whether `address` is outside kernel text, where a jump that another patcher wrote in place of
/// instructions leads.
pub fn is_foreign<P: Platform>(platform: &P, address: u64) -> bool {
    platform.off_limits(address as usize) == Some(OffLimits::Discarded)
}

/// Whether the instruction at `address` is the jump of an optimized kprobe.
fn is_optimized<A: Arch, P: Platform>(platform: &P, address: usize, text: &A::Text) -> bool {
    match A::control(text, A::KERNEL, address).away {
        Some(Away::To(to)) => is_foreign(platform, to) && platform.has_kprobe(address),
        _ => false,
    }
}

/// Whether a copy works at any address that a slot may have.
fn is_in_reach<A: Arch>(
    relocation: A::Relocation,
    slots: &Range<usize>,
    address: usize,
    next: usize,
) -> bool {
    [slots.start, slots.end]
        .into_iter()
        .all(|slot| A::slot(relocation, slot, address, next).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_code_and_veneers_are_parts_of_functions() {
        let veneer = b"e843419@0cae_0001e0ff_c48";
        for (name, function, expected) in [
            (&b"work.cold"[..], &b"work"[..], Some(0x400..0x1408)),
            (b"work.cold.7", b"work", Some(0x400..0x1408)),
            (b"work.part.0", b"work", None),
            (b"work.cold", b"play", None),
            // The function before it branches over what follows, which makes the veneer no part of it.
            (veneer, b"work", Some(0x400..0x408)),
            (b"e843420@0cae_0001e0ff_c48", b"work", None),
        ] {
            assert_eq!(part_of(name, 0x400..0x1408, function), expected, "{name:?}");
        }
        assert_eq!(part_of(veneer, 0x400..0x404, b"work"), Some(0x400..0x404));
    }
}
