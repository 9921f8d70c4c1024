//! One step along the chain of frame pointers.

use super::{End, Frame, Stack, called, words};
use crate::platform::{FrameLayout, FrameRecord};

/// The largest frame in bytes: the usual limit of a whole stack.
const FRAME_MAX: u64 = 8 << 20;

/// The caller of a frame that has set up its frame pointer.
pub fn caller(stack: &mut impl Stack, layout: FrameLayout, frame: &Frame) -> Result<Frame, End> {
    let Frame { sp, fp, .. } = *frame;
    let word = u64::from(layout.word);
    let is_aligned = fp.checked_rem(word) == Some(0);
    // A frame pointer that points elsewhere is in use for something else.
    if !is_aligned || !is_above(sp, fp) {
        return Err(End::NoTable);
    }
    match layout.record {
        FrameRecord::Pair => {
            let [saved, pc] = words(stack, layout, fp)?;
            called(layout, pc, above(fp, word.wrapping_mul(2))?, saved)
        }
        FrameRecord::Pushed => pushed(stack, layout, fp),
        FrameRecord::Unknown => Err(End::NoTable),
    }
}

/// A step over one of the forms of [`FrameRecord::Pushed`]. APCS is recognized by the stack pointer
/// that it saves. Of the others, the one is it in whose place there is a frame pointer further out, or
/// 0 for the outermost frame.
fn pushed(stack: &mut impl Stack, layout: FrameLayout, fp: u64) -> Result<Frame, End> {
    let word = u64::from(layout.word);
    let behind = above(fp, word)?;
    let below = fp.checked_sub(word.wrapping_mul(3));
    let [third, second, first, here] = words(stack, layout, below.ok_or(End::Unreadable)?)?;
    if second == behind {
        return called(layout, first, behind, third);
    }
    let is_frame = |address| address > fp && is_above(fp, address);
    if first != 0 && !is_frame(first) && is_frame(here) {
        let [pc] = words(stack, layout, behind)?;
        return called(layout, pc, above(behind, word)?, here);
    }
    called(layout, here, behind, first)
}

/// Whether `address` may be in a frame whose lowest address is `sp`.
fn is_above(sp: u64, address: u64) -> bool {
    let distance = address.checked_sub(sp);
    distance.is_some_and(|distance| distance <= FRAME_MAX)
}

/// The address `bytes` further up. A stack does not wrap around.
fn above(address: u64, bytes: u64) -> Result<u64, End> {
    address.checked_add(bytes).ok_or(End::NotGrowing)
}
