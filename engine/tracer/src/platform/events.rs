//! System calls, process events and tracepoints.

use super::Refused;
use super::task::Tasks;
use crate::grow::OutOfMemory;

/// Events that the kernel reports on request.
pub trait Events: Tasks {
    /// Visits every system call that has a number, grouped by ABI.
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory>;

    /// Argument `number`, from 0, of the system call entered with these registers; 0 if it has no
    /// such argument.
    fn syscall_argument(&self, regs: &Self::Regs, number: u64) -> u64;

    /// Visits every tracepoint of the kernel proper.
    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory>;

    /// Has `Tracer::tracepoint` called with `number` at this tracepoint. May sleep.
    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused>;

    /// Undoes `tracepoint_register`. Calls may still be in progress until `tracepoints_synchronize`
    /// returns. May sleep.
    fn tracepoint_unregister(&self, point: usize, number: u32);

    /// Waits for calls in progress at unregistered tracepoints. May sleep.
    fn tracepoints_synchronize(&self);

    /// Subscribes to an event: to a system-call event for these numbers and possibly others, to any
    /// other event if `numbers` is [`Numbers::ALL`]. With [`Numbers::NONE`] it unsubscribes, which
    /// cannot fail; the last callback is over when it returns. May sleep.
    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused>;
}

/// A system call in the kernel's table.
#[derive(Debug, Clone, Copy)]
pub struct SystemCall<'a> {
    /// Index of its ABI.
    pub abi: u32,
    /// Its number within the ABI.
    pub number: u32,
    /// The ABI's name.
    pub abi_name: &'a [u8],
    /// The call's name.
    pub name: &'a [u8],
}

/// Receives one tracepoint: the platform's handle of it, and its name.
pub type VisitTracepoint<'a> = dyn FnMut(usize, &[u8]) -> Result<(), OutOfMemory> + 'a;

/// Receives one system call.
pub type VisitSyscall<'a> = dyn FnMut(SystemCall<'_>) -> Result<(), OutOfMemory> + 'a;

/// A set of system calls, as a bitmap for each ABI. Numbers that agree modulo the bitmap's size
/// share a bit, so a set may contain more than was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Numbers([[u32; Self::WORDS]; Self::ABIS]);

impl Numbers {
    /// The native ABI, and at most one for compatibility.
    const ABIS: usize = 2;
    /// 512 bits: no ABI has that many calls.
    const WORDS: usize = 16;

    /// Every call.
    pub const ALL: Self = Self([[u32::MAX; Self::WORDS]; Self::ABIS]);
    /// No call.
    pub const NONE: Self = Self([[0; Self::WORDS]; Self::ABIS]);

    /// Adds one call.
    pub fn add(&mut self, abi: u32, number: u32) {
        let words = self.0.get_mut(abi as usize);
        if let Some(word) = words.and_then(|words| words.get_mut(word(number))) {
            *word |= bit(number);
        }
    }

    /// Adds every call in `others`.
    pub fn add_all(&mut self, others: &Self) {
        let words = self.0.as_flattened_mut().iter_mut();
        for (word, other) in words.zip(others.0.as_flattened()) {
            *word |= other;
        }
    }

    /// Whether every call in `others` is in the set.
    pub fn has_all(&self, others: &Self) -> bool {
        let mut words = self.0.as_flattened().iter().zip(others.0.as_flattened());
        words.all(|(word, other)| word & other == *other)
    }

    /// Whether the call is in the set.
    pub fn has(&self, abi: u32, number: u32) -> bool {
        let words = self.0.get(abi as usize);
        let word = words.and_then(|words| words.get(word(number)));
        word.is_some_and(|word| word & bit(number) != 0)
    }
}

/// A system call's ABI and number, packed into one word that orders by ABI first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u32);

impl Key {
    const NUMBER_BITS: u32 = 24;

    /// Packs them; none if either is out of range.
    pub const fn new(abi: u32, number: i64) -> Option<Self> {
        if abi >> (u32::BITS - Self::NUMBER_BITS) != 0 || number >> Self::NUMBER_BITS != 0 {
            return None;
        }
        Some(Self(abi << Self::NUMBER_BITS | number as u32))
    }

    /// The packed word.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The key with this packed word.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number within the ABI.
    pub const fn number(self) -> u32 {
        self.0 & ((1 << Self::NUMBER_BITS) - 1)
    }

    /// The ABI.
    pub const fn abi(self) -> u32 {
        self.0 >> Self::NUMBER_BITS
    }

    /// Distance from `other`; wraps around to a huge value if `other` is larger.
    pub const fn behind(self, other: Self) -> usize {
        self.0.wrapping_sub(other.0) as usize
    }
}

/// Index of the bitmap word of a number.
const fn word(number: u32) -> usize {
    (number / u32::BITS) as usize % Numbers::WORDS
}

/// Mask of its bit in that word.
const fn bit(number: u32) -> u32 {
    1 << (number % u32::BITS)
}

/// The arguments of an event; those that it does not have are 0.
pub type EventArguments = [u64; 5];

/// A kernel event. Unless noted, it is reported by `Tracer::happened`. Subscribing goes through
/// them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Event {
    /// A system call returns, in the child as well if it creates one: `Tracer::syscall_returned`.
    /// Unsubscribing also waits for running callbacks of `SyscallEntered`.
    SyscallReturned = 0,
    /// A thread enters a system call: `Tracer::syscall_entered`.
    SyscallEntered = 1,
    /// A process has created another, as the parent sees it. Arguments: the child's PID,
    /// and the address of its `task_struct`.
    ProcessCreated = 2,
    /// A new process is about to return to user space for the first time.
    ProcessStarted = 3,
    /// A process has started a new program.
    ProgramBegun = 4,
    /// The kernel frees a process: `Tracer::process_gone`. It precedes the events in
    /// [`Event::ONCE`], so that it is subscribed to whenever they are.
    ProcessGone = 5,
    /// The last thread of a process exits. Arguments: why, as a `CLD_` code such as `CLD_EXITED`,
    /// and the exit status or signal.
    ProcessExited = 6,
    /// This thread, or what interrupted it, sends a signal. Arguments: the target's TID and PID,
    /// the signal, the result, and the address of the target's `task_struct`.
    SignalSent = 7,
    /// This thread takes a signal. Arguments: the signal, the address of its information, and the
    /// handler's address.
    SignalHandled = 8,
}

impl Event {
    /// Every event, in order.
    pub const ALL: [Self; 9] = [
        Self::SyscallReturned,
        Self::SyscallEntered,
        Self::ProcessCreated,
        Self::ProcessStarted,
        Self::ProgramBegun,
        Self::ProcessGone,
        Self::ProcessExited,
        Self::SignalSent,
        Self::SignalHandled,
    ];

    /// Events that several threads of a process may report; each fires once per process.
    pub const ONCE: [Self; 2] = [Self::ProcessExited, Self::SignalHandled];

    /// The event with this code in `shim.h`.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// Whether it is a system-call event, which is subscribed to by call.
    pub const fn is_of_syscall(self) -> bool {
        matches!(self, Self::SyscallReturned | Self::SyscallEntered)
    }
}

/// The error number in a system call's return value: the negated value, if it is from -4095 to -1.
pub fn errno(value: i64) -> Option<u64> {
    const LAST: i64 = 4095;
    (-LAST..0).contains(&value).then(|| value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_of_numbers_in_range() {
        let key = |abi, number| Key::new(abi, number).map(Key::to_bits);
        assert_eq!(key(0, 0), Some(0));
        assert_eq!(key(1, 0xf0002), Some(0x010f_0002));
        assert_eq!(key(255, 0xff_ffff), Some(0xffff_ffff));
        for (abi, number) in [
            (0, -1),
            (0, i64::MIN),
            (0, 1 << 24),
            (0, 0x4000_0000),
            (0, 1 << 40),
            (256, 0),
        ] {
            assert_eq!(key(abi, number), None, "{abi} {number}");
        }
    }
}
