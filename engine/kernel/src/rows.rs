//! The rows of `/proc/dtrace/*`: the `trapline_*_row` functions of `engine/kmod/trapline.h`.
//!
//! Control path: each call takes the control mutex for one row, so a table may change between rows.

use core::ffi::c_char;

use engine_tracer::Tracer;

use crate::arch::Native;
use crate::cell::Platform;
use crate::cell::tracer;

/// Bytes of a function's name or a sentence in a row, with its NUL.
const ROW_TEXT: usize = 192;

/// C's `enum trapline_row`, returned as an int: the result of reading a table at an index.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum Row {
    /// The index is past the last row.
    End,
    /// The row has been filled in.
    Row,
    /// No row here, but there may be rows after it.
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
    process: usize,
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
    armed: u32,
    module: [c_char; 64],
    function: [c_char; 64],
    name: [c_char; 64],
}

/// `struct trapline_fasttrap_row`.
#[repr(C)]
pub struct FasttrapRow {
    hits: u64,
    address: u64,
    process: u32,
    offset: u32,
    ecbs: u32,
    armed: u32,
    instruction: [c_char; 40],
    plan: [c_char; 32],
    module: [c_char; 64],
    function: [c_char; ROW_TEXT],
}

/// `struct trapline_stats_row`.
#[repr(C)]
pub struct StatsRow {
    value: u64,
    name: [c_char; 32],
}

// The sizes that `trapline.h` asserts.
const _: () = {
    let word = size_of::<usize>();
    assert!(size_of::<FbtRow>() == 488);
    assert!(size_of::<RefusedRow>() == 2 * word + 544);
    assert!(size_of::<SyscallRow>() == 208);
    assert!(size_of::<FasttrapRow>() == 360);
    assert!(size_of::<StatsRow>() == 40);
};

/// Copies text into a field, truncated to fit and NUL-terminated.
fn put<const N: usize>(field: &mut [c_char; N], text: &[u8]) {
    let room = N.saturating_sub(1);
    let ended = text.iter().copied().take(room).chain([0]);
    for (to, from) in field.iter_mut().zip(ended) {
        *to = from as c_char;
    }
}

/// Writes bytes into a field as two hexadecimal digits each, truncated to fit and NUL-terminated;
/// `-` if there are none.
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
        (self.ecbs, self.armed) = (from.ecbs, from.is_armed.into());
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
        put(&mut self.name, from.name);
    }
}

impl FasttrapRow {
    fn fill(&mut self, from: &engine_tracer::FasttrapRow<'_>) {
        (self.hits, self.address) = (from.hits, from.address as u64);
        (self.process, self.offset) = (from.process, from.offset as u32);
        (self.ecbs, self.armed) = (from.ecbs, from.armed.into());
        put_hex(&mut self.instruction, from.instruction);
        put(&mut self.plan, from.plan.as_bytes());
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
    }
}

impl RefusedRow {
    fn fill(&mut self, from: &engine_tracer::RefusedRow<'_>) {
        self.address = from.address;
        self.process = from.process as usize;
        put(&mut self.module, from.module);
        put(&mut self.function, from.function);
        put(&mut self.name, from.name);
        put(&mut self.word, from.reason.word().as_bytes());
        put(&mut self.sentence, from.reason.sentence().as_bytes());
    }
}

/// Runs `show` on C's row. It returns `None` past the end of the table and `Some(false)` for a gap.
///
/// # Safety
/// Between `trapline_start` and `trapline_end`, where sleeping is allowed; `row` points to a row
/// that is initialised, and that no one else accesses.
unsafe fn fill<T>(
    row: *mut T,
    show: impl FnOnce(&Tracer<Native, Platform>, &mut T) -> Option<bool>,
) -> Row {
    // SAFETY: the caller's own row; every bit pattern is a valid value of it.
    let to = unsafe { &mut *row };
    // SAFETY: the caller is between start and end.
    match show(unsafe { tracer() }, to) {
        None => Row::End,
        Some(true) => Row::Row,
        Some(false) => Row::Gap,
    }
}

/// Fills in row `index` of `/proc/dtrace/fbt`.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_fbt_row(index: usize, row: *mut FbtRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            engine.fbt_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills in row `index` of `/proc/dtrace/refused`: a function's entry or return that gets no
/// probe, and the reason.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_refused_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            engine.refused_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills in row `index` of `/proc/dtrace/toxic`: the rows of `/proc/dtrace/refused` whose reason is
/// toxic, under the same indices; all others are gaps.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_toxic_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            engine.refused_row(index, |from| {
                let toxic = from.filter(|from| from.reason.is_toxic());
                toxic.map(|from| to.fill(&from)).is_some()
            })
        })
    }
}

/// Fills in row `index` of `/proc/dtrace/syscall`.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_row(index: usize, row: *mut SyscallRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            engine.syscall_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills in row `index` of `/proc/dtrace/fasttrap`.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_fasttrap_row(index: usize, row: *mut FasttrapRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            engine.fasttrap_row(index, |from| from.map(|from| to.fill(&from)).is_some())
        })
    }
}

/// Fills in row `index` of `/proc/dtrace/stats`.
///
/// # Safety
/// As for [`fill`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_stats_row(index: usize, row: *mut StatsRow) -> Row {
    // SAFETY: the caller upholds what `fill` requires.
    unsafe {
        fill(row, |engine, to| {
            let from = engine.stats_row(index)?;
            to.value = from.value;
            put(&mut to.name, from.name.as_bytes());
            Some(true)
        })
    }
}
