//! What C calls: the `trapline_*` functions of `engine/kmod/shim.h`, in its order.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_uint, c_void};
use core::mem::MaybeUninit;
use core::slice;

use engine_tracer::{ConsumerId, Isa, Tracer, Trap};

use crate::arch::{self, Native};
use crate::device::{self, Errno};
use crate::ffi::Regs;
use crate::platform::Kernel;

/// The engine of this module, there from `trapline_start` to `trapline_end`.
struct Engine(UnsafeCell<MaybeUninit<Tracer<Native, Kernel>>>);

// SAFETY: a tracer may be shared; the cell is written only while nothing else can call in.
unsafe impl Sync for Engine {}

static ENGINE: Engine = Engine(UnsafeCell::new(MaybeUninit::uninit()));

/// The engine.
///
/// # Safety
/// Between `trapline_start` and `trapline_end` only.
unsafe fn engine() -> &'static Tracer<Native, Kernel> {
    // SAFETY: `start` succeeded before, and nothing writes the cell before `end`.
    let cell = unsafe { &*ENGINE.0.get() };
    // SAFETY: as above.
    unsafe { cell.assume_init_ref() }
}

/// The trapping instruction as a number, for the hook that catches it.
#[unsafe(no_mangle)]
pub extern "C" fn trapline_trap_word() -> u32 {
    let bytes = <Native as Isa>::TRAP.iter().rev();
    bytes.fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Makes the engine: asks the kernel for its functions and plans for each.
///
/// # Safety
/// Once, before any other call, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_start() -> c_int {
    let Ok(tracer) = Kernel::new().and_then(Tracer::new) else {
        return Errno::OutOfMemory.returned();
    };
    // SAFETY: the caller promises that no one else is here.
    let cell = unsafe { &mut *ENGINE.0.get() };
    cell.write(tracer);
    0
}

/// Drops the engine.
///
/// # Safety
/// Once, after `trapline_start`, when every consumer is closed and nothing else will call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_end() {
    // SAFETY: the caller promises that no one else is here.
    let cell = unsafe { &mut *ENGINE.0.get() };
    // SAFETY: `start` wrote it.
    unsafe { cell.assume_init_drop() };
}

/// A trap, taken by the registers' owner. 0 when it was ours and the owner can go on.
///
/// # Safety
/// From the trap's handler, with interrupts off, with the registers that it will restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_trap(regs: *mut Regs) -> c_int {
    #[cfg(trapline_mutants)]
    crate::mutant::spin();
    let mut memory = arch::memory(regs);
    // SAFETY: the caller's registers, which only this handler touches.
    let regs = unsafe { &mut *regs };
    // SAFETY: the hook is there only between start and end.
    match unsafe { engine() }.trap(regs, &mut memory) {
        Trap::Resumed | Trap::Retry => 0,
        Trap::Stray | Trap::Failed => 1,
    }
}

/// The timer of this number rings on this CPU, and came upon the kernel, or a process, there.
///
/// # Safety
/// Between start and end, in the timer's interrupt, with interrupts off.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_tick(number: u32, kernel_pc: usize, user_pc: usize) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.tick(number, kernel_pc as u64, user_pc as u64);
}

/// A new consumer: its number, or a negative error number.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_open() -> c_int {
    // SAFETY: as the caller promises.
    match unsafe { engine() }.open() {
        Ok(id) => id.number() as c_int,
        Err(error) => Errno::from(error).returned(),
    }
}

/// Forgets a consumer: every word that it alone had patched is restored.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_close(consumer: c_int) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.close(ConsumerId::from_number(consumer as usize));
}

/// A request of a consumer's; its struct is in `body`, and is answered there.
///
/// # Safety
/// Between start and end, where sleeping is allowed; `body` has `length` bytes, aligned for u64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_ioctl(
    consumer: c_int,
    number: c_uint,
    body: *mut c_void,
    length: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    let body = unsafe { slice::from_raw_parts_mut(body.cast(), length) };
    let id = ConsumerId::from_number(consumer as usize);
    // SAFETY: as the caller promises.
    match device::request(unsafe { engine() }, id, number, body) {
        Ok(()) => 0,
        Err(error) => error.returned(),
    }
}

/// Chooses the seeded defect of this name.
///
/// # Safety
/// Before any trap; `name` ends with a NUL.
#[cfg(trapline_mutants)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_mutate(name: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    match crate::mutant::choose(name.to_bytes()) {
        true => 0,
        false => Errno::Invalid.returned(),
    }
}

/// Room for a name in a row, with its NUL.
const ROW_TEXT: usize = 192;

/// `struct trapline_fbt_row`.
#[repr(C)]
pub struct FbtRow {
    address: usize,
    id: u32,
    ecbs: u32,
    armed: u32,
    module: [c_char; 64],
    function: [c_char; ROW_TEXT],
    name: [c_char; 64],
}

/// `struct trapline_refused_row`.
#[repr(C)]
pub struct RefusedRow {
    address: usize,
    module: [c_char; 64],
    function: [c_char; ROW_TEXT],
    word: [c_char; 32],
    sentence: [c_char; ROW_TEXT],
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
    assert!(size_of::<FbtRow>() == word + 12 + 320 + if word == 8 { 4 } else { 0 });
    assert!(size_of::<RefusedRow>() == word + 480);
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

/// Fills the row of this index of `/proc/dtrace/fbt`; 0 behind the last.
///
/// # Safety
/// Between start and end, where sleeping is allowed; `row` is the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_fbt_row(index: usize, row: *mut FbtRow) -> c_int {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let shown = unsafe { engine() }.fbt_row(index, |from| {
        (to.address, to.id, to.ecbs) = (from.address, from.id, from.ecbs);
        to.armed = u32::from(from.armed);
        put(&mut to.module, from.module);
        put(&mut to.function, from.function);
        put(&mut to.name, from.name);
    });
    c_int::from(shown.is_some())
}

/// Fills the row of this index of `/proc/dtrace/refused`; 0 behind the last.
///
/// # Safety
/// As [`trapline_fbt_row`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_refused_row(index: usize, row: *mut RefusedRow) -> c_int {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let shown = unsafe { engine() }.refused_row(index, |from| {
        to.address = from.address;
        put(&mut to.module, from.module);
        put(&mut to.function, from.function);
        put(&mut to.word, from.reason.word().as_bytes());
        put(&mut to.sentence, from.reason.sentence().as_bytes());
    });
    c_int::from(shown.is_some())
}

/// Fills the row of this index of `/proc/dtrace/stats`; 0 behind the last.
///
/// # Safety
/// As [`trapline_fbt_row`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_stats_row(index: usize, row: *mut StatsRow) -> c_int {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let Some(from) = (unsafe { engine() }).stats_row(index) else {
        return 0;
    };
    to.value = from.value;
    put(&mut to.name, from.name.as_bytes());
    1
}
