//! What a child that was forked finds to be zero, by which it is told from its parent.

#![expect(unsafe_code, reason = "a page that the kernel treats as it is told to")]

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::maps::PAGE;
use crate::sys;

/// A page of its own, which [`sys::map`] has zeroed.
#[repr(C)]
pub struct Own {
    /// Not 0 in a process that is traced.
    pub is_traced: AtomicU32,
    /// The process's first thread, an [`Occupant`](crate::occupant::Occupant), once one is known.
    pub first_thread: AtomicU64,
}

/// Null before [`map`].
static OWN: AtomicPtr<Own> = AtomicPtr::new(core::ptr::null_mut());

/// Maps the page, unless an earlier agent has, or one of the parent of this process.
pub fn map() -> Option<&'static Own> {
    if own().is_none() {
        let page = sys::map(PAGE).ok()?;
        OWN.store(
            core::ptr::with_exposed_provenance_mut(page),
            Ordering::Release,
        );
    }
    own()
}

/// Has children find it zero, as they must before any trap is written; returns whether they will.
pub fn tell_apart() -> bool {
    own().is_some_and(|own| sys::wipe_in_children(core::ptr::from_ref(own).addr(), PAGE).is_ok())
}

/// The page.
#[inline(always)]
pub fn own() -> Option<&'static Own> {
    // SAFETY: null, or what `map` has mapped and nothing unmaps; all zeros is an `Own`.
    unsafe { OWN.load(Ordering::Acquire).as_ref() }
}
