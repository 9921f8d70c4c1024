//! The platform's traits but `Processes`, for the fake kernel.

use std::num::NonZeroUsize;
use std::ops::Range;

use engine_isa::Unreadable;
use engine_isa::arm::{Regs, Relocation};
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Event, Events, KERNEL, KernelText, Listed, Numbers, OffLimits,
    Origin, OutOfMemory, Patch, Refused, Symbols, SystemCall, Task, Tasks, UserFrame, Visit,
    VisitModule, VisitSyscall, VisitTracepoint,
};

use super::*;

/// On a reference, since the kernel's state outlives the tracer that owns the platform.
impl Cpus for &'static Fake {
    type Lock<T: Send> = FakeLock<T>;
    type Rcu<T: Send + Sync> = FakeRcu<T>;
    type TryLock<T: Send> = FakeTryLock<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        let _firing = self.firings.read().unwrap();
        work()
    }

    fn synchronize(&self) {
        drop(self.firings.write().unwrap());
    }

    fn cpu(&self) -> usize {
        CPU.get()
    }

    fn cpus(&self) -> usize {
        CPUS
    }

    fn cpu_offset(&self) -> i64 {
        -4096 * CPU.get() as i64
    }

    fn has_stack(&self) -> bool {
        HAS_STACK.get()
    }

    fn cond_resched(&self) {}
}

impl Clock for &'static Fake {
    fn ticks(&self) -> u32 {
        TICKS.get()
    }

    fn deadman_start(&self) -> u32 {
        100
    }

    fn now(&self) -> u64 {
        if let Some(interrupt) = ON_CLOCK.take() {
            interrupt();
        }
        NOW.get()
    }

    fn wall_time(&self) -> u64 {
        1_700_000_000_000_000_000
    }

    fn random(&self) -> u64 {
        if let Some(interrupt) = ON_RANDOM.take() {
            interrupt();
        }
        4
    }

    fn timer_start(&self, number: u32, interval: u64, every_cpu: bool) -> Result<(), OutOfMemory> {
        if STUCK.get() {
            return Err(OutOfMemory);
        }
        let before = self
            .timers
            .lock()
            .unwrap()
            .insert(number, (interval, every_cpu));
        assert_eq!(before, None, "already running");
        Ok(())
    }

    fn timer_stop(&self, number: u32) {
        let before = self.timers.lock().unwrap().remove(&number);
        assert!(before.is_some(), "not running");
    }
}

impl Tasks for &'static Fake {
    type Regs = Regs;

    fn task(&self, _: Context) -> Task {
        TASK.get()
    }

    fn descends_from(&self, pid: u32) -> bool {
        let task = TASK.get();
        [task.pid, task.ppid].contains(&pid)
    }

    fn run_time(&self) -> u64 {
        77
    }

    fn thread_key(&self) -> usize {
        TASK.get().tid as usize
    }

    fn user_register(&self, number: u64) -> u64 {
        number + 1000
    }

    fn user_regs(&self) -> Option<Regs> {
        USER_REGS.get()
    }

    fn user_frame(&self, regs: &Regs) -> UserFrame {
        let [fp, sp, lr, pc] = [11, 13, 14, 15].map(|number| regs.r[number].into());
        UserFrame {
            pc,
            sp,
            fp,
            lr,
            layout: LAYOUT.get(),
        }
    }

    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        read(&MEMORY_AT, address, bytes)
    }

    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        if STACK.with_borrow(|stack| !stack.is_empty()) {
            return load_stack(address, bytes);
        }
        match self.load_text(address, bytes) {
            Some(loaded) => loaded,
            None => read(&USER_AT, address, bytes),
        }
    }

    fn stack(&self, from: Origin<'_, Regs>, frames: &mut [u64]) -> usize {
        let stack = match from {
            Origin::Entry(regs) => vec![regs.r[15].into(), regs.r[14].into(), 0xc000, 0xd000],
            Origin::Caller(regs) => vec![regs.r[15].into(), 0xc000, 0xd000],
            Origin::Return(regs) => vec![regs.r[15].into(), 0xb000, 0xc000, 0xd000],
            Origin::Interrupted => vec![0xe000, 0xf000],
        };
        frames
            .iter_mut()
            .zip(stack)
            .map(|(frame, pc)| *frame = pc)
            .count()
    }
}

impl KernelText for &'static Fake {
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let text = self.text.lock().unwrap();
        if !text.contains_key(&address) && !(ALPHA..VANISHED).contains(&address) {
            return Err(Unreadable);
        }
        for (address, bytes) in (address..).step_by(4).zip(bytes.chunks_mut(4)) {
            // Padding between functions is no valid instruction.
            let word = text.get(&address).unwrap_or(&UDF).to_le_bytes();
            bytes.copy_from_slice(&word[..bytes.len()]);
        }
        Ok(())
    }

    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.peek(address, bytes)?;
        for (address, word) in (address..).step_by(4).zip(bytes.chunks_mut(4)) {
            if let Some(original) = self.kprobes.lock().unwrap().get(&address) {
                word.copy_from_slice(&original.to_le_bytes()[..word.len()]);
            }
        }
        Ok(())
    }

    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn has_kprobe(&self, address: usize) -> bool {
        self.kprobes.lock().unwrap().contains_key(&address)
    }

    fn patch(&self, patches: &mut [Patch]) {
        STOPS.set(STOPS.get() + 1);
        let seen = |address| ON_PATCH.with_borrow(|see| see.iter().for_each(|see| see(address)));
        for patch in patches {
            patch.failed = STUCK.get().into();
            if patch.failed == 0 {
                seen(patch.address);
                self.write(patch.address, patch.word);
                seen(patch.address);
            }
        }
    }

    fn direct_dispatch(&self, direct: bool) -> Result<(), Refused> {
        if DISPATCH_REFUSES.get() && direct != DIRECT.get() {
            return Err(Refused);
        }
        DIRECT.set(direct);
        if let Some(work) = ON_DISPATCH.take() {
            work();
        }
        Ok(())
    }

    fn pin(&self, is_pinned: bool) {
        PINNED.set(is_pinned);
    }

    /// Code memory is allocated in pieces of two slots.
    const CODE: usize = 2 * Relocation::SIZE;

    fn code_range(&self) -> Range<usize> {
        CODE_AT..CODE_AT + CODE_BYTES
    }

    fn code_alloc(&self) -> Result<usize, OutOfMemory> {
        if STUCK.get() || NO_SLOTS.get() {
            return Err(OutOfMemory);
        }
        let mut next = self.code.lock().unwrap();
        let piece = *next;
        *next += Self::CODE;
        assert!(*next <= CODE_AT + CODE_BYTES);
        let words = words(piece, Self::CODE).map(|address| (address, DATA_WORD));
        self.text.lock().unwrap().extend(words);
        Ok(piece)
    }

    fn code_free(&self, address: usize) {
        self.assert_unused(address..address + Self::CODE);
        let mut text = self.text.lock().unwrap();
        for word in words(address, Self::CODE) {
            text.remove(&word).expect("it was allocated");
        }
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        self.assert_unused(address..address + bytes.len());
        for (address, word) in (address..).step_by(4).zip(bytes.as_chunks().0) {
            self.write(address, u32::from_le_bytes(*word));
        }
    }

    fn synchronize_code(&self) {
        self.synchronize();
        self.inside.lock().unwrap().clear();
    }

    fn rewritten(&self, address: usize) -> bool {
        [REWRITTEN, HALF + 4].contains(&address)
    }

    fn head(&self, address: usize) -> usize {
        if [TRACED, SPINS].contains(&address) {
            4
        } else {
            0
        }
    }

    fn has_calls(&self) -> bool {
        self.has_calls
    }

    fn call_of(&self, address: usize) -> Option<NonZeroUsize> {
        let has = self.has_calls && [TRACED, EMPTY, SPINS, self.with_call].contains(&address);
        NonZeroUsize::new(address).filter(|_| has)
    }

    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused> {
        if STUCK.get() || FTRACE_REFUSES.get() {
            return Err(Refused);
        }
        *self.calls.lock().unwrap() = calls.iter().copied().collect();
        Ok(())
    }
}

impl Symbols for &'static Fake {
    fn blacklist(&self) -> &'static Blacklist {
        LISTED.get()
    }

    fn off_limits(&self, address: usize) -> Option<OffLimits> {
        (address == FORBIDDEN).then_some(OffLimits::Blacklisted)
    }

    fn is_return_thunk(&self, _: usize) -> bool {
        false
    }

    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory> {
        let modules: Vec<_> = {
            let modules = self.modules.lock().unwrap();
            let modules = modules.iter();
            modules
                .map(|(at, module)| (*at, module.name.clone()))
                .collect()
        };
        // Copied first: the visitor asks for functions, which takes the lock.
        modules
            .into_iter()
            .try_for_each(|(at, name)| visit(at, name.as_bytes()))
    }

    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        let mut see = |name: &str, address, size| {
            visit(Listed {
                name: name.as_bytes(),
                address,
                size,
            })
        };
        if module != KERNEL {
            let modules = self.modules.lock().unwrap();
            let mut functions = modules[&module].functions.iter();
            return functions
                .try_for_each(|(name, offset, size)| see(name, module + offset, *size));
        }
        FUNCTIONS
            .into_iter()
            .try_for_each(|(name, address)| see(name, address, 0))
    }
}

impl Events for &'static Fake {
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory> {
        SYSCALLS.into_iter().try_for_each(|(abi, number, name)| {
            visit(SystemCall {
                abi,
                number,
                abi_name: [&b"native"[..], b"old"][abi as usize],
                name: name.as_bytes(),
            })
        })
    }

    fn syscall_argument(&self, regs: &Regs, number: u64) -> u64 {
        let in_registers = regs.r.get(number as usize).filter(|_| number < 6);
        in_registers.copied().unwrap_or_default().into()
    }

    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory> {
        (1..)
            .zip(TRACEPOINTS)
            .try_for_each(|(point, name)| visit(point, name))
    }

    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused> {
        if STUCK.get() {
            return Err(Refused);
        }
        let is_new = self.tracepoints.lock().unwrap().insert((point, number));
        assert!(is_new, "already registered");
        Ok(())
    }

    fn tracepoint_unregister(&self, point: usize, number: u32) {
        let was_there = self.tracepoints.lock().unwrap().remove(&(point, number));
        assert!(was_there, "not registered");
    }

    fn tracepoints_synchronize(&self) {
        self.synchronize();
    }

    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused> {
        if STUCK.get() && *numbers != Numbers::NONE {
            return Err(Refused);
        }
        let mut events = self.events.lock().unwrap();
        let before = std::mem::replace(&mut events[event as usize], *numbers);
        assert_ne!(before, *numbers, "already so subscribed");
        drop(events);
        self.synchronize();
        Ok(())
    }
}

/// The addresses of words in this range.
fn words(from: usize, bytes: usize) -> impl Iterator<Item = usize> {
    (from..from + bytes).step_by(4)
}

/// Reads memory whose bytes are the low bytes of their addresses.
fn read(there: &Range<u64>, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
    let end = address.checked_add(bytes.len() as u64).ok_or(Unreadable)?;
    if address < there.start || end > there.end {
        return Err(Unreadable);
    }
    (address..)
        .zip(bytes)
        .for_each(|(address, byte)| *byte = address as u8);
    Ok(())
}

/// Reads words of the user stack.
fn load_stack(address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
    STACK.with_borrow(|stack| {
        for (address, bytes) in (address..).step_by(4).zip(bytes.chunks_mut(4)) {
            let word = stack.get(&address).ok_or(Unreadable)?.to_le_bytes();
            bytes.copy_from_slice(&word[..bytes.len()]);
        }
        Ok(())
    })
}
