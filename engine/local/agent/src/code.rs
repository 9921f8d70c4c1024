//! The process's code: text, and memory for code of ours.
//!
//! Text is written through `/proc/self/mem`: into private copies of its pages, as a debugger does it,
//! whatever access they have. So no page is writable and executable, and none changes its access while
//! other threads run; but for kernels that leave that to debuggers, and for what threads must see at once: there a page is
//! made writable while it is written. A process can prevent it: with PR_SET_MDWE, mseal(2), or a limit. So what cannot be
//! restored stays, with all that it needs ([`keep`]).

use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use engine_isa::Unreadable;
use engine_tracer::OutOfMemory;

use crate::maps::{self, PAGE};
use crate::sys::{self, Fd, Mapped, PROT_EXEC, PROT_READ, PROT_WRITE};

/// The agent's `/proc/self/mem`.
static MEMORY: AtomicI32 = AtomicI32::new(-1);

/// The agent's `/proc/self/maps`.
static MAPS: AtomicI32 = AtomicI32::new(-1);

/// Whether text of the process could not be restored.
static IS_KEPT: AtomicBool = AtomicBool::new(false);

/// Whether a trap was written.
static HAD_TRAPS: AtomicBool = AtomicBool::new(false);

/// A trap is written, which threads may hit.
pub fn expect_hits() {
    HAD_TRAPS.store(true, Ordering::Relaxed);
}

/// Whether a thread may have hit a trap.
pub fn had_traps() -> bool {
    HAD_TRAPS.load(Ordering::Relaxed)
}

/// How often threads have met a trap in text that they cannot read, since text was last written.
static UNREADABLE: AtomicU32 = AtomicU32::new(0);

/// Counts one more; returns how many they are.
pub fn count_unreadable() -> u32 {
    UNREADABLE.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// Text of the process cannot be restored: a trap of ours or a jump stays in it.
pub fn keep() {
    IS_KEPT.store(true, Ordering::Relaxed);
}

/// Whether a trap or a jump stays.
pub fn is_kept() -> bool {
    IS_KEPT.load(Ordering::Relaxed)
}

/// Opens the memory. Called once, by the agent.
pub fn open() -> bool {
    sys::prepare_to_serialize();
    let open = |path, is_writable, kept: &AtomicI32| {
        let opened = sys::open(path, is_writable);
        let opened = opened.map(|Fd(number)| kept.store(number, Ordering::Relaxed));
        opened.is_ok()
    };
    open(c"/proc/self/mem", true, &MEMORY) && open(c"/proc/self/maps", false, &MAPS)
}

fn memory() -> Fd {
    Fd(MEMORY.load(Ordering::Relaxed))
}

/// Reads memory.
pub fn read(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
    match sys::read_at(memory(), bytes, address) {
        Ok(length) if length == bytes.len() => Ok(()),
        _ => Err(Unreadable),
    }
}

/// Whether something is mapped there that cannot be read: a process can forbid it for its text.
pub fn is_hidden(address: usize) -> bool {
    let is_unreadable = || read(address, &mut [0]).is_err();
    // Something may have been mapped there just now.
    is_unreadable() && mapped_at(address).is_some() && is_unreadable()
}

/// Writes memory, whatever access it has.
pub fn write(address: usize, bytes: &[u8]) -> Result<(), OutOfMemory> {
    let write = || sys::write_at(memory(), bytes, address) == Ok(bytes.len());
    let is_written = write() || is_written_while_writable(address, bytes.len(), write);
    UNREADABLE.store(0, Ordering::Relaxed);
    is_written.then_some(()).ok_or(OutOfMemory)
}

/// Writes a word of text by one store; returns whether it did. What `/proc/self/mem` does is a copy of bytes.
pub fn is_stored(address: usize, word: u64) -> bool {
    let store = || sys::store_word(address, word).is_ok();
    match mapped_at(address) {
        // A linker maps all of a file before its text.
        Some(mapped) if mapped.is_shared || mapped.access & PROT_EXEC == 0 => false,
        Some(mapped) if mapped.access & PROT_WRITE != 0 => store(),
        Some(_) => is_written_while_writable(address, size_of::<u64>(), store),
        None => false,
    }
}

/// Makes pages writable that are not, and their access what it was afterwards. Not of a mapping that is
/// shared: others would see what is written, and perhaps its file.
fn is_written_while_writable(address: usize, length: usize, write: impl Fn() -> bool) -> bool {
    let Some(mapped) = mapped_at(address) else {
        return false;
    };
    if mapped.is_shared || mapped.access & PROT_WRITE != 0 {
        return false;
    }
    let start = address & !(PAGE - 1);
    let end = address.saturating_add(length).next_multiple_of(PAGE);
    // Their access is to be what it was.
    let is_alike = |page| mapped_at(page).is_some_and(|it| it == mapped);
    if !(start..end).step_by(PAGE).all(is_alike) {
        return false;
    }
    let pages = start..end;
    let is_opened = sys::protect(pages.clone(), mapped.access | PROT_WRITE).is_ok();
    let is_written = is_opened && write();
    // If it failed, it may have opened some of the pages.
    let _ = sys::protect(pages, mapped.access);
    is_written
}

/// What is mapped at an address: in one request, or from the list on kernels that have none.
fn mapped_at(address: usize) -> Option<Mapped> {
    let maps = Fd(MAPS.load(Ordering::Relaxed));
    if let Ok(mapped) = sys::mapped_at(maps, address) {
        return Some(mapped);
    }
    let line = maps::describe(address)?;
    let access = [
        (line.is_readable, PROT_READ),
        (line.is_writable, PROT_WRITE),
        (line.is_executable, PROT_EXEC),
    ];
    let access = access.into_iter().filter(|(is_set, _)| *is_set);
    Some(Mapped {
        access: access.fold(0, |all, (_, one)| all | one),
        is_shared: line.is_shared,
    })
}

/// Maps memory for code as near as there is room, where `behind` it so many bytes are free.
pub fn map_near(near: usize, size: usize, behind: usize) -> Result<usize, OutOfMemory> {
    /// Another thread may map what was free.
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let start = maps::free_range(near, size.wrapping_add(behind)).ok_or(OutOfMemory)?;
        if sys::map_code(start, size).is_ok() {
            return Ok(start);
        }
    }
    Err(OutOfMemory)
}
