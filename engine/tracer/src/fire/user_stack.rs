//! A walk over the stack of the current user thread. Fire path.
//!
//! A stack is what its process has made of it, so nothing in it is believed: every word is read by
//! [`Tasks::load_user`](crate::platform::Tasks::load_user), and each frame must lie above the one
//! before. So a walk ends, whatever it reads.

use crate::platform::{FrameLayout, FrameRecord, Platform, UserFrame};

/// The largest frame in bytes: the usual limit of a whole stack.
const FRAME_MAX: u64 = 8 << 20;

/// No code is mapped below this address.
const PC_MIN: u64 = 4096;

/// Where a walk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// In a function that has set up its frame.
    Body,
    /// In a function that has no frame yet, or no longer: the return address is where the call left
    /// it.
    Bare,
}

/// The program counters of a user stack, innermost first.
#[derive(Debug)]
pub struct UserStack<'p, P> {
    platform: &'p P,
    /// The first program counter, until it was returned.
    first: Option<u64>,
    next: Option<Next>,
}

/// How the next frame is found.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// It is this one.
    Itself(UserFrame),
    /// It is this one's caller.
    CallerOf(UserFrame, Begin),
}

impl<'p, P: Platform> UserStack<'p, P> {
    /// The stack of a thread in this frame; none for a thread without user mode.
    pub fn new(platform: &'p P, frame: Option<UserFrame>, begin: Begin) -> Self {
        Self {
            platform,
            first: frame.map(|frame| frame.pc),
            next: frame.map(|frame| Next::CallerOf(frame, begin)),
        }
    }

    /// The stack of a thread at `pc` where a function returns to `caller`.
    pub fn leaving(platform: &'p P, pc: u64, caller: UserFrame) -> Self {
        Self {
            platform,
            first: Some(pc),
            next: Some(Next::Itself(caller)),
        }
    }
}

impl<P: Platform> Iterator for UserStack<'_, P> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let platform = self.platform;
        let mut load = |address, bytes: &mut [u8]| platform.load_user(address, bytes).ok();
        let frame = match self.next.take()? {
            Next::Itself(frame) => frame,
            Next::CallerOf(frame, Begin::Bare) => bare_caller(&frame, &mut load)?,
            Next::CallerOf(frame, Begin::Body) => caller(&frame, &mut load)?,
        };
        self.next = Some(Next::CallerOf(frame, Begin::Body));
        Some(frame.pc)
    }
}

/// Reads user memory: all of the bytes, or none.
type Load<'a> = dyn FnMut(u64, &mut [u8]) -> Option<()> + 'a;

/// One step outwards from a function that has set up its frame.
///
/// This is the place for other ways to find a caller, as by unwind tables: they go first, and what
/// they do not know is left to the frame pointer.
fn caller(frame: &UserFrame, load: &mut Load<'_>) -> Option<UserFrame> {
    by_frame_pointer(frame, load)
}

/// One step outwards from a function without a frame.
fn bare_caller(frame: &UserFrame, load: &mut Load<'_>) -> Option<UserFrame> {
    let UserFrame { sp, lr, layout, .. } = *frame;
    if layout.has_link {
        return outer(frame, lr, sp, frame.fp);
    }
    let [pc] = words(layout, sp, load)?;
    outer(frame, pc, sp.checked_add(layout.word.into())?, frame.fp)
}

/// One step outwards along the chain of frame pointers.
fn by_frame_pointer(frame: &UserFrame, load: &mut Load<'_>) -> Option<UserFrame> {
    let UserFrame { sp, fp, layout, .. } = *frame;
    let word = u64::from(layout.word);
    let is_aligned = fp.checked_rem(word) == Some(0);
    if !is_aligned || !is_above(sp, fp) {
        return None;
    }
    match layout.record {
        FrameRecord::Pair => {
            let [saved, pc] = words(layout, fp, load)?;
            outer(frame, pc, fp.checked_add(word.checked_mul(2)?)?, saved)
        }
        FrameRecord::Pushed => pushed(frame, word, load),
        FrameRecord::Unknown => None,
    }
}

/// A step over one of the forms of [`FrameRecord::Pushed`]. APCS is recognized by the stack pointer
/// that it saves. Of the others, the one is it in whose place there is a frame pointer further out, or
/// 0 for the outermost frame.
fn pushed(frame: &UserFrame, word: u64, load: &mut Load<'_>) -> Option<UserFrame> {
    let fp = frame.fp;
    let above = fp.checked_add(word)?;
    let below = fp.checked_sub(word.checked_mul(3)?)?;
    let [third, second, first, here] = words(frame.layout, below, load)?;
    if second == above {
        return outer(frame, first, above, third);
    }
    let is_frame = |address| address > fp && is_above(fp, address);
    if first != 0 && !is_frame(first) && is_frame(here) {
        let [pc] = words(frame.layout, above, load)?;
        return outer(frame, pc, above.checked_add(word)?, here);
    }
    outer(frame, here, above, first)
}

/// Whether `address` may be in a frame whose lowest address is `sp`.
fn is_above(sp: u64, address: u64) -> bool {
    let distance = address.checked_sub(sp);
    distance.is_some_and(|distance| distance <= FRAME_MAX)
}

/// The frame that `frame` returns to, unless `pc` cannot be code.
fn outer(frame: &UserFrame, pc: u64, sp: u64, fp: u64) -> Option<UserFrame> {
    let pc = pc & frame.layout.mask;
    let is_code = pc >= PC_MIN && pc >> 56 == 0;
    is_code.then_some(UserFrame {
        pc,
        sp,
        fp,
        lr: 0,
        ..*frame
    })
}

/// The `N` words from `address` on.
fn words<const N: usize>(
    layout: FrameLayout,
    address: u64,
    load: &mut Load<'_>,
) -> Option<[u64; N]> {
    let mut words = [0; N];
    if layout.word == 8 {
        let mut bytes = [[0; 8]; N];
        load(address, bytes.as_flattened_mut())?;
        let read = words.iter_mut().zip(bytes);
        read.for_each(|(word, bytes)| *word = u64::from_ne_bytes(bytes));
    } else {
        let mut bytes = [[0; 4]; N];
        load(address, bytes.as_flattened_mut())?;
        let read = words.iter_mut().zip(bytes);
        read.for_each(|(word, bytes)| *word = u32::from_ne_bytes(bytes).into());
    }
    Some(words)
}
