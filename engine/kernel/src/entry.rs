//! What C calls: the `trapline_*` functions of `engine/kmod/shim.h`, in its order.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_uint, c_void};
use core::mem::MaybeUninit;
use core::slice;

use engine_tracer::{ConsumerId, Event, Isa, Tracer, Trap};

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

/// The function tracer has come by this call of its. The registers are as they are where the function is
/// entered, as far as functions are given anything in them.
///
/// # Safety
/// Between start and end, with interrupts off, with registers that nobody writes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_called(call: usize, regs: *const Regs) {
    #[cfg(trapline_mutants)]
    if crate::mutant::is_lost_call() {
        return;
    }
    // SAFETY: as the caller promises.
    let regs = unsafe { &*regs };
    // SAFETY: as the caller promises.
    unsafe { engine() }.called(call, regs);
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

/// This thread has entered that system call, with these registers.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with registers that nobody writes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_entered(abi: c_uint, number: i64, regs: *const Regs) {
    // SAFETY: as the caller promises.
    let regs = unsafe { &*regs };
    // SAFETY: as the caller promises.
    unsafe { engine() }.syscall_entered(abi, number, regs);
}

/// That system call of this thread's returns a value.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_returned(abi: c_uint, number: i64, value: i64) {
    #[cfg(trapline_mutants)]
    let (times, value) = crate::mutant::told(number, value);
    #[cfg(not(trapline_mutants))]
    let times = 1;
    for _ in 0..times {
        // SAFETY: as the caller promises.
        unsafe { engine() }.syscall_returned(abi, number, value);
    }
}

/// What a system call returns in a child will not be told of, for want of memory.
///
/// # Safety
/// Between start and end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_lost() {
    // SAFETY: as the caller promises.
    unsafe { engine() }.syscall_lost();
}

/// Something has happened to this thread, or by it, that the engine has asked to be told of.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_happened(event: c_uint, told: *const [u64; 4]) {
    // SAFETY: as the caller promises.
    let told = unsafe { *told };
    let Some(event) = Event::from_code(event) else {
        return;
    };
    #[cfg(trapline_mutants)]
    let Some(told) = crate::mutant::happened(event, told) else {
        return;
    };
    // SAFETY: as the caller promises.
    unsafe { engine() }.happened(event, told);
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

/// A module of that number has come. One that is known brings nothing.
///
/// # Safety
/// Between start and end, where sleeping is allowed; the module stays until `trapline_module_going` of it
/// has returned, and `name` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_coming(module: usize, name: *const c_char, length: usize) {
    // SAFETY: as the caller promises.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    // SAFETY: as the caller promises.
    unsafe { engine() }.module_coming(module, name);
}

/// The module of that number is going: when this returns, its text is as it was.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_going(module: usize) {
    #[cfg(trapline_mutants)]
    if crate::mutant::is_chosen(crate::mutant::MODULE_KEPT) {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe { engine() }.module_going(module);
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

impl Row {
    /// Where there may be gaps: what a table has shown of an index, if it has it.
    fn of(shown: Option<bool>) -> Self {
        match shown {
            None => Self::End,
            Some(true) => Self::Row,
            Some(false) => Self::Gap,
        }
    }
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

/// Fills the row of this index of `/proc/dtrace/fbt`.
///
/// # Safety
/// Between start and end, where sleeping is allowed; `row` is the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_fbt_row(index: usize, row: *mut FbtRow) -> Row {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let engine = unsafe { engine() };
    Row::of(engine.fbt_row(index, |from| from.map(|from| to.fill(&from)).is_some()))
}

/// Fills the row of this index of `/proc/dtrace/refused`.
///
/// # Safety
/// As [`trapline_fbt_row`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_refused_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let engine = unsafe { engine() };
    Row::of(engine.refused_row(index, |from| from.map(|from| to.fill(&from)).is_some()))
}

/// Fills the row of this index of `/proc/dtrace/toxic`: it shows some of those of `/proc/dtrace/refused`.
///
/// # Safety
/// As [`trapline_fbt_row`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_toxic_row(index: usize, row: *mut RefusedRow) -> Row {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let engine = unsafe { engine() };
    Row::of(engine.refused_row(index, |from| {
        let toxic = from.filter(|from| from.reason.is_toxic());
        toxic.map(|from| to.fill(&from)).is_some()
    }))
}

/// Fills the row of this index of `/proc/dtrace/stats`.
///
/// # Safety
/// As [`trapline_fbt_row`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_stats_row(index: usize, row: *mut StatsRow) -> Row {
    // SAFETY: the caller's, and zeroed memory is a value of it.
    let to = unsafe { &mut *row };
    // SAFETY: as the caller promises.
    let Some(from) = (unsafe { engine() }).stats_row(index) else {
        return Row::End;
    };
    to.value = from.value;
    put(&mut to.name, from.name.as_bytes());
    Row::Row
}
