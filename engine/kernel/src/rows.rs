//! What C calls for the rows of `/proc/dtrace/`: the `trapline_*_row` functions of `engine/kmod/shim.h`.

use core::ffi::c_char;

use engine_tracer::Tracer;

use crate::arch::Native;
use crate::cell::Platform;
use crate::cell::tracer;

/// Room for a name in a row, with its NUL.
const ROW_TEXT: usize = 192;

/// `enum trapline_row`, which C gets as an int: what there is of an index of a table.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum Row {
    /// Nothing there nor behind it.
    End,
    /// A row.
    Row,
    /// Nothing there.
    Gap,
}

/// `struct trapline_fbt_row`.
#[repr(C)]
pub struct FbtRow {
    hits: u64,
    address: u64,
    id: u32,
    ecbs: u32,
    armed: u32,
    instruction: [c_char; 40],
    plan: [c_char; 96],
    module: [c_char; 64],
    function: [c_char; ROW_TEXT],
    name: [c_char; 64],
    reserved: u32,
}

/// `struct trapline_refused_row`.
#[repr(C)]
pub struct RefusedRow {
    address: usize,
    module: [c_char; 64],
    function: [c_char; ROW_TEXT],
    name: [c_char; 64],
    word: [c_char; 32],
    sentence: [c_char; ROW_TEXT],
}

/// `struct trapline_syscall_row`.
#[repr(C)]
pub struct SyscallRow {
    id: u32,
    number: u32,
    ecbs: u32,
    told: u32,
    module: [c_char; 64],
    function: [c_char; 64],
    name: [c_char; 64],
}

/// `struct trapline_stats_row`.
#[repr(C)]
pub struct StatsRow {
    value: u64,
    name: [c_char; 32],
}

// As `shim.h` has them.
const _: () = {
    let word = size_of::<usize>();
    assert!(size_of::<FbtRow>() == 488);
    assert!(size_of::<RefusedRow>() == word + 544);
    assert!(size_of::<SyscallRow>() == 208);
    assert!(size_of::<StatsRow>() == 40);
};

/// Puts a text into its field of a row: cut to fit, with a NUL behind it.
fn put<const N: usize>(field: &mut [c_char; N], text: &[u8]) {
    let room = N.saturating_sub(1);
    let ended = text.iter().copied().take(room).chain([0]);
    for (to, from) in field.iter_mut().zip(ended) {
        *to = from as c_char;
    }
}

/// Puts bytes into a field of a row as a number each, of two digits of base 16; where there are none, a dash.
fn put_hex<const N: usize>(field: &mut [c_char; N], bytes: &[u8]) {
    if bytes.is_empty() {
        return put(field, b"-");
    }
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |four: u8| DIGITS.get(usize::from(four)).copied().unwrap_or_default();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let room = N.saturating_sub(1);
    let ended = digits.map(digit).take(room).chain([0]);
    for (to, from) in field.iter_mut().zip(ended) {
        *to = from as c_char;
    }
}

impl FbtRow {
    fn fill(&mut self, from: &engine_tracer::FbtRow<'_>) {
        (self.hits, self.address) = (from.hits, from.address as u64);
        (self.id, self.ecbs) = (from.id, from.ecbs);
        self.armed = u32::from(from.armed);
        put_hex(&mut self.instruction, from.instruction);
        put(&mut self.plan, from.plan.as_bytes());
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
        put(&mut self.name, from.name);
    }
}

impl SyscallRow {
    fn fill(&mut self, from: &engine_tracer::SyscallRow<'_>) {
        (self.id, self.number) = (from.id, from.number);
        (self.ecbs, self.told) = (from.ecbs, from.told.into());
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
        put(&mut self.name, from.name);
    }
}

impl RefusedRow {
    fn fill(&mut self, from: &engine_tracer::RefusedRow<'_>) {
        self.address = from.address;
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
        put(&mut self.name, from.name);
        put(&mut self.word, from.reason.word().as_bytes());
        put(&mut self.sentence, from.reason.sentence().as_bytes());
    }
}

/// Has the engine show a row, which `show` puts where C wants it.
///
/// # Safety
/// Between start and end, where sleeping is allowed; `row` is the caller's.
unsafe fn fill<T>(
    row: *mut T,
    show: impl FnOnce(&Tracer<Native, Platform>, &mut T) -> Option<bool>,
) -> Row {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    match show(unsafe { tracer() }, to) {
        None => Row::End,
        Some(true) => Row::Row,
        Some(false) => Row::Gap,
    }
}

/// Fills the row of this index of `/proc/dtrace/fbt`.
///
/// # Safety
/// As of [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_fbt_row(index: usize, row: *mut FbtRow) -> Row {
    // SAFETY: as the caller promises.
    unsafe {
        fill(row, |engine, to| {
            engine.fbt_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills the row of this index of `/proc/dtrace/refused`.
///
/// # Safety
/// As of [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_refused_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: as the caller promises.
    unsafe {
        fill(row, |engine, to| {
            engine.refused_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills the row of this index of `/proc/dtrace/toxic`: it shows some of those of `/proc/dtrace/refused`.
///
/// # Safety
/// As of [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_toxic_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: as the caller promises.
    unsafe {
        fill(row, |engine, to| {
            engine.refused_row(index, |from| {
                let toxic = from.filter(|from| from.reason.is_toxic());
                toxic.map(|from| to.fill(&from)).is_some()
            })
        })
    }
}

/// Fills the row of this index of `/proc/dtrace/syscall`.
///
/// # Safety
/// As of [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_row(index: usize, row: *mut SyscallRow) -> Row {
    // SAFETY: as the caller promises.
    unsafe {
        fill(row, |engine, to| {
            engine.syscall_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills the row of this index of `/proc/dtrace/stats`.
///
/// # Safety
/// As of [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_stats_row(index: usize, row: *mut StatsRow) -> Row {
    // SAFETY: as the caller promises.
    unsafe {
        fill(row, |engine, to| {
            let from = engine.stats_row(index)?;
            to.value = from.value;
            put(&mut to.name, from.name.as_bytes());
            Some(true)
        })
    }
}
