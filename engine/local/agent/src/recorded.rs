//! Hits that are only recorded: by a site's plan, which its detour has, on the thread's own stack. Of the
//! slot that it occupies all the same, it uses that no other thread records on this CPU.
//!
//! What is executed meanwhile must use no vector registers, as they are not saved: [`is_possible`].

#![expect(unsafe_code, reason = "what a detour passes are addresses")]

use alloc::vec::Vec;
use core::slice;

use engine_tracer::{Lock, Plan, VALUES, Value};

use crate::arch::plain;
use crate::cell::tracer;
use crate::handler::is_traced;
use crate::slots::Head;
use crate::sync::Control;
use crate::{clock, entrances, machine, sys};

/// Set in a plan's first word, whose lower half is the number of the others.
const HAS_THREAD: u64 = 1 << 32;

/// The words that a detour has of a plan.
pub fn words(plan: &Plan) -> Vec<u64> {
    let first = plan.words.len() as u64 | if plan.has_thread { HAS_THREAD } else { 0 };
    core::iter::once(first)
        .chain(plan.words.iter().copied())
        .collect()
}

/// Whether hits can be recorded so in this process, once that is known.
static IS_POSSIBLE: Control<Option<bool>> = Control::of(None);

/// Whether hits can be recorded so in this process: it has a clock to be called, and all code is plain.
pub fn is_possible() -> bool {
    IS_POSSIBLE.with(|is_possible| {
        *is_possible.get_or_insert_with(|| {
            let [_, _, entrance] = entrances::of_detours();
            let [place, clock] = clock::place();
            clock != 0 && plain::is_plain(entrance, [place, clock])
        })
    })
}

/// Records a hit, and leaves the slot. The first two values are a time's seconds and nanoseconds yet.
///
/// # Safety
/// Called by a detour, with the values that it has on the stack, and the plan that is before it.
pub unsafe extern "C" fn record(values: *mut [u64; VALUES], plan: *const u64, head: &Head) {
    // SAFETY: on the thread's own stack, where only the detour accesses them.
    let values = unsafe { &mut *values };
    if let Some(tracer) = tracer()
        && is_traced()
    {
        let [time, thread, ..] = values;
        *time = time.wrapping_mul(clock::SECOND).wrapping_add(*thread);
        // SAFETY: a plan begins with a word.
        let first = unsafe { plan.read() };
        if first & HAS_THREAD != 0 {
            *thread = machine::called(sys::thread()).into();
        }
        // SAFETY: behind it are as many as it says.
        let behind = unsafe { plan.add(1) };
        // SAFETY: they stay, and are not changed, while a thread is in the detour.
        let words = unsafe { slice::from_raw_parts(behind, first as u32 as usize) };
        tracer.record(head.number(), words, values);
    }
    head.leave();
}

const _: () = assert!(Value::Time as usize == 0 && Value::Thread as usize == 1);
const _: () = assert!(Value::Argument as usize == 2 && Value::Returned as usize == 8);
