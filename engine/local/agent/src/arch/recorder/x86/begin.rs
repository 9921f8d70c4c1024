//! The begin of a recording: in the first thread of a program, which has executed nothing yet.

#![expect(unsafe_code, reason = "the command has written where to begin")]

use core::mem::offset_of;
use core::sync::atomic::{AtomicUsize, Ordering};

use engine_abi::path::{Begin, PAGE, SIZE};
use syscalls::Errno;

use super::actions;
use super::areas;
use super::cache;
use super::events;
use super::kernel;
use super::runtime::go_on;
use super::shared;
use super::state::{self, State};
use crate::arch::frame::Regs;
use crate::sys::{self, Fd};

/// The recorder's own code and data.
static IMAGE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Whether an address is in the recorder itself.
pub fn is_own(address: u64) -> bool {
    let [start, size] = IMAGE.each_ref().map(|it| it.load(Ordering::Relaxed));
    (address as usize).wrapping_sub(start) < size
}

/// Maps the memory, and has the command take it. Returns the state of the thread, whose base of GS is set;
/// null without memory.
///
/// # Safety
/// Called once, by the recorder's first instructions, with what the command has written.
pub unsafe extern "C" fn open(begin: *mut Begin) -> *const State {
    // SAFETY: the caller's promise.
    let begin = unsafe { &mut *begin };
    match memory() {
        Ok(file) => {
            begin.file = file.0.into();
            core::ptr::from_ref(file_is_mapped(begin).unwrap_or_else(|| sys::exit()))
        }
        Err(why) => {
            begin.file = -i64::from(why.into_raw());
            core::ptr::null()
        }
    }
}

fn memory() -> Result<Fd, Errno> {
    let file = kernel::memory_file(SIZE)?;
    let address = kernel::map_file(file, SIZE)?;
    shared::set(address);
    state::set_areas(address.wrapping_add(PAGE));
    Ok(file)
}

fn file_is_mapped(begin: &Begin) -> Option<&'static State> {
    let [start, size] = begin.image.map(|it| it as usize);
    let [to_start, to_size] = &IMAGE;
    to_start.store(start, Ordering::Relaxed);
    to_size.store(size, Ordering::Relaxed);
    let state = areas::take()?;
    kernel::set_gs(state.me.get() as usize).ok()?;
    Some(state)
}

/// Begins to record: the command has the memory.
///
/// # Safety
/// As for [`open`], with the state that it has returned.
pub unsafe extern "C" fn begin(begin: *const Begin, state: *const State) {
    // SAFETY: the caller's promise.
    let begin = unsafe { &*begin };
    // SAFETY: likewise.
    let state = unsafe { &*state };
    sys::close(Fd(begin.file as core::ffi::c_int));
    const { assert!(size_of::<Regs>() <= offset_of!(Begin, mask)) };
    // SAFETY: ptrace(2)'s registers begin with these, which are numbers.
    let regs = unsafe { begin.regs.as_ptr().cast::<Regs>().read() };
    state.regs.set(regs);
    state.is_of(sys::process(), sys::thread());
    actions::begin();
    events::start(state, regs.ip);
    go_on(state, regs.ip, cache::translation_of(state, regs.ip));
    state.exit_mask.set(begin.mask);
}
