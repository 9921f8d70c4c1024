//! What a function calls, on the paths that its text takes as it stands: a disabled jump label is a
//! no-op.

use core::ops::Range;

use super::ground::Ground;
use super::{Order, Set, Text, Unwalked, stays};
use crate::Away;

/// Calls `see` with the target of each direct call, and of each jump to another function, that is
/// reachable from the entry of `function`. A path ends at a call for which `see` returns false.
///
/// Indirect calls and jumps, and jump tables, are not followed.
///
/// # Errors
/// [`Unwalked`]; some targets may not have been reported then.
pub fn calls<S: Set>(
    text: &Text<'_>,
    function: Range<u64>,
    memory: &mut [u64],
    see: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Unwalked> {
    let mut ground = Ground::new(text, S::ALIGN, memory).ok_or(Unwalked::Room)?;
    ground.add(&function)?;
    ground.reach(function.start);
    let mut order = Order::<S>::default();
    while let Some(place) = ground.next_reached() {
        let at = ground.address(place);
        let (code, left) = ground.code(at)?;
        let step = order.step(&code, at);
        if step.length > left {
            continue;
        }
        ground.code.set(place);
        let control = S::survey(&code, at, step.control, &mut ground)?;
        let comes_back = S::call(&code, at).is_none_or(&mut *see);
        if let Some(Away::To(to)) = control.away
            && !stays(&mut ground, to)?
        {
            see(to);
        }
        if control.next && comes_back {
            ground.reach(at.wrapping_add(step.length));
        }
    }
    Ok(())
}
