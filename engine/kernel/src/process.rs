//! Processes: the tracer's platform over `engine/kmod/space.c`, `counters.c`, `slots.c` and `user.c`.

use engine_isa::{Fault, Memory, Unreadable, Width};
use engine_tracer::{
    Denied, InSlot, OutOfMemory, ProbeMemory, Processes, Space, Uncounted, UserPatch,
};

use crate::ffi;
use crate::platform::Kernel;

/// Linux error numbers that the shim returns, negated.
const EPERM: i32 = 1;
const ESRCH: i32 = 3;
const ENOEXEC: i32 = 8;
const ENOMEM: i32 = 12;
const EINVAL: i32 = 22;
const EOPNOTSUPP: i32 = 95;

impl Processes for Kernel {
    fn space_open(&self, pid: u32) -> Result<Space, Denied> {
        let mut space = Space {
            handle: 0,
            key: 0,
            is_compat: 0,
        };
        // SAFETY: control path, which may sleep; `Space` has the layout of C's `struct shim_space`.
        let opened = unsafe { ffi::shim_space_open(pid, &raw mut space) };
        denied(opened).map_or(Ok(space), Err)
    }

    fn space_close(&self, space: Space) {
        // SAFETY: `space` is open, and the tracer has removed its traps and slots.
        unsafe { ffi::shim_space_close(space.handle) };
    }

    fn space_is_gone(&self, space: Space) -> bool {
        // SAFETY: `space` is open.
        unsafe { ffi::shim_space_is_gone(space.handle) != 0 }
    }

    fn current_space(&self) -> usize {
        ffi::shim_current_space()
    }

    fn space_hold(&self, pid: u32) -> Result<usize, Denied> {
        let mut key = 0;
        // SAFETY: control path, which may sleep; `key` is valid for writes.
        let held = unsafe { ffi::shim_space_hold(pid, &raw mut key) };
        denied(held).map_or(Ok(key), Err)
    }

    fn space_drop(&self, key: usize) {
        // SAFETY: `key` is held; control path, which may sleep.
        unsafe { ffi::shim_space_drop(key) };
    }

    fn space_read(&self, space: Space, address: usize, to: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: `space` is open, and `to` is valid for writes of its length.
        match unsafe {
            ffi::shim_space_read(space.handle, address, to.as_mut_ptr().cast(), to.len())
        } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn space_patch(&self, space: Space, patches: &mut [UserPatch], are_traps: bool) {
        let (first, count) = (patches.as_mut_ptr(), patches.len());
        // SAFETY: `space` is open. The tracer writes traps where it has planned for what is there,
        // and writes back what they have displaced.
        unsafe { ffi::shim_space_patch(space.handle, first, count, are_traps) };
    }

    fn space_count(&self, space: Space, address: usize, is_up: bool) -> Result<(), Uncounted> {
        // SAFETY: `space` is open; control path, which may sleep.
        let counted = unsafe { ffi::shim_space_count(space.handle, address, is_up) };
        match counted.wrapping_neg() {
            0 => Ok(()),
            ENOMEM => Err(Uncounted::OutOfMemory),
            _ => Err(Uncounted::Different),
        }
    }

    fn slots_map(&self, space: Space, near: usize) -> Result<usize, OutOfMemory> {
        // SAFETY: `space` is open; control path, which may sleep.
        match unsafe { ffi::shim_slots_map(space.handle, near) } {
            0 => Err(OutOfMemory),
            address => Ok(address),
        }
    }

    fn slots_write(&self, space: Space, slot: &InSlot, code: &[u8]) -> Result<(), OutOfMemory> {
        debug_assert_eq!(slot.size, code.len());
        // SAFETY: `space` is open, and `slot` lies in a page from `slots_map`; `code` has as many
        // bytes as it says.
        match unsafe { ffi::shim_slots_write(space.handle, slot, code.as_ptr().cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn slots_unmap(&self, space: Space) {
        // SAFETY: `space` is open, and no trap sends a thread to its slots any more.
        unsafe { ffi::shim_slots_unmap(space.handle) };
    }

    fn probe_memory(&self) -> ProbeMemory {
        let mut bounds = ProbeMemory::ENDLESS;
        // SAFETY: `ProbeMemory` has the layout of C's `struct shim_probe_memory`.
        unsafe { ffi::shim_probe_memory(&raw mut bounds) };
        bounds
    }

    fn wake_held(&self) {
        ffi::shim_wake_held();
    }

    fn hold_execs(&self) -> Result<(), Denied> {
        match ffi::shim_hold_execs().wrapping_neg() {
            0 => Ok(()),
            EOPNOTSUPP => Err(Denied::Unsupported),
            _ => Err(Denied::OutOfMemory),
        }
    }

    fn let_execs_go(&self) {
        ffi::shim_let_execs_go();
    }

    /// One page, of the smallest size that all three architectures have.
    const SLOTS: usize = 4096;
}

/// What a shim's negated error number says of a process; none if it is 0.
fn denied(error: i32) -> Option<Denied> {
    match error.wrapping_neg() {
        0 => None,
        EPERM => Some(Denied::NotAllowed),
        ESRCH => Some(Denied::NoProcess),
        ENOEXEC => Some(Denied::Foreign),
        EINVAL => Some(Denied::Unsuitable),
        _ => Some(Denied::OutOfMemory),
    }
}

/// C's `struct shim_access`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Access {
    address: u64,
    length: u32,
    is_store: u32,
    /// What the thread has to wait for; see `engine_tracer::Hit`.
    pub ticket: u32,
    reserved: u32,
}

// C's `struct shim_access`.
const _: () = assert!(size_of::<Access>() == 24);

/// The current process's memory, as far as it can be accessed without sleeping.
#[derive(Debug, Default)]
pub struct OfProcess {
    /// The last access that failed.
    pub missing: Access,
}

impl OfProcess {
    fn fail(&mut self, address: u64, width: Width, is_store: bool) -> Fault {
        self.missing = Access {
            address,
            length: width.bytes() as u32,
            is_store: is_store.into(),
            ..Access::default()
        };
        Fault { address }
    }
}

impl Memory for OfProcess {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let mut word = [0u8; 8];
        let length = width.bytes() as usize;
        // SAFETY: the shim checks the address, and no width exceeds the word.
        match unsafe { ffi::shim_load_user(address as usize, word.as_mut_ptr().cast(), length) } {
            0 => Ok(u64::from_le_bytes(word)),
            _ => Err(self.fail(address, width, false)),
        }
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        let word = value.to_le_bytes();
        let length = width.bytes() as usize;
        // SAFETY: the shim checks the address, and no width exceeds the word.
        match unsafe { ffi::shim_store_user(address as usize, word.as_ptr().cast(), length) } {
            0 => Ok(()),
            _ => Err(self.fail(address, width, true)),
        }
    }
}
