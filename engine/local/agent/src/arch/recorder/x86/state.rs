//! The state of a thread: what GS refers to.

#![expect(unsafe_code, reason = "it is found by the base of GS")]

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use engine_abi::path::{AREA, AREAS, BUFFER_END, SHARE, Share};

use crate::arch::frame::Regs;

/// Bytes of `siginfo_t`.
pub const INFO: usize = 128;

/// The first page of an area. Routines and translations access it relative to GS.
#[repr(C)]
pub struct State {
    /// Its own address.
    pub me: Cell<u64>,
    /// The program's registers while the runtime executes. Sequences of instructions that need a register
    /// save rcx here.
    pub regs: Cell<Regs>,
    /// The arithmetic flags, as `lahf` and `seto` have them in ax.
    pub arithmetic: Cell<u64>,
    /// Where an indirect branch goes in the program's text.
    pub target: Cell<u64>,
    /// Where a routine goes on.
    pub resume: Cell<u64>,
    /// Where the runtime goes on.
    pub exit: Cell<u64>,
    /// The address of the system call that is made.
    pub at: Cell<u64>,
    /// The table that indirect branches are looked up in.
    pub table: Cell<u64>,
    /// The top of the runtime's stack.
    pub stack: Cell<u64>,
    /// The top of that for handlers of signals.
    pub signal_stack: Cell<u64>,
    /// The routines, as [`entry`](super::entry) has them.
    pub routines: Cell<[u64; ROUTINES]>,
    /// The program's r9, while a clone(2) passes the child's state in it.
    pub r9: Cell<u64>,
    /// That state's address; 0 without.
    pub child: Cell<u64>,
    /// Of its last block.
    pub generation: Cell<u32>,
    /// The process that it is a thread of: other threads ask, too.
    pub process: AtomicU32,
    /// Whether it is not recorded any more.
    pub is_native: Cell<bool>,
    /// Whether it is stepped to where a signal can be delivered.
    pub is_stepped: Cell<bool>,
    /// The signal to be delivered then.
    pub pending: Cell<[u64; INFO / 8]>,
    /// The mask of signals before it was stepped.
    pub stepped_mask: Cell<u64>,
    /// The mask of signals before the runtime.
    pub mask: Cell<u64>,
    /// The mask behind it.
    pub exit_mask: Cell<u64>,
    /// The mask of a system call that waits with another one.
    pub wait_mask: Cell<u64>,
}

const _: () = assert!(size_of::<State>() < SHARE);

/// Routines that translations jump to, by their place in [`State::routines`].
pub const ROUTINES: usize = 5;
/// Looks up the target in rcx, which an event tells of.
pub const LOOK_UP: usize = 0;
/// Goes to the target in rcx of the direct branch whose literal `resume` is the address of.
pub const LINK: usize = 1;
/// Has the buffer emptied.
pub const FULL: usize = 2;
/// Makes a system call.
pub const CALL: usize = 3;
/// Leaves the cache for good, at rcx.
pub const LEAVE: usize = 4;

/// The first area.
static AREAS_AT: AtomicUsize = AtomicUsize::new(0);

/// Tells where the areas are.
pub fn set_areas(address: usize) {
    AREAS_AT.store(address, Ordering::Relaxed);
}

/// The address of an area.
pub fn area(number: usize) -> usize {
    let first = AREAS_AT.load(Ordering::Relaxed);
    first.wrapping_add(number.wrapping_mul(AREA))
}

impl State {
    /// The state at the base of GS; `None` if that is no area.
    pub fn at(base: usize) -> Option<&'static Self> {
        let first = AREAS_AT.load(Ordering::Relaxed);
        let offset = base.wrapping_sub(first);
        if first == 0 || offset >= AREAS * AREA || !offset.is_multiple_of(AREA) {
            return None;
        }
        let state: *const Self = core::ptr::with_exposed_provenance(base);
        // SAFETY: the first page of an area, which stays mapped. Only its thread accesses it, or the thread
        // that makes that; its parts are cells, as handlers of signals access them in between.
        unsafe { state.as_ref() }
    }

    /// It is the area of this thread.
    pub fn is_of(&self, process: u32, thread: u32) {
        self.process.store(process, Ordering::Relaxed);
        self.share().thread.store(thread, Ordering::Release);
    }

    /// What it shares with the command.
    pub fn share(&self) -> &'static Share {
        let share = core::ptr::from_ref(self).addr().wrapping_add(SHARE);
        let share: *const Share = core::ptr::with_exposed_provenance(share);
        // SAFETY: the second page of the area, which stays mapped; its parts are atomic.
        unsafe { &*share }
    }

    /// Writes at an index of its buffer; the caller has made sure of the room.
    pub fn write(&self, index: i64, bytes: &[u8]) {
        let end = core::ptr::from_ref(self).addr().wrapping_add(BUFFER_END);
        let address = end.wrapping_add_signed(index as isize);
        let to: *mut u8 = core::ptr::with_exposed_provenance_mut(address);
        // SAFETY: in the area's buffer, which only its thread writes to.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }

    /// Changes its registers.
    pub fn change(&self, change: impl FnOnce(&mut Regs)) {
        let mut regs = self.regs.get();
        change(&mut regs);
        self.regs.set(regs);
    }
}
