//! System calls and tracepoints.

use super::Refused;
use super::task::Tasks;
use crate::grow::OutOfMemory;

/// What the kernel reports while it is asked to.
pub trait Events: Tasks {
    /// Shows every system call that there is a number for, those of an ABI one after the other.
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory>;

    /// The argument of this number, from 0, of a system call that has been entered with these registers; 0 where it
    /// takes no such argument.
    fn syscall_argument(&self, regs: &Self::Regs, number: u64) -> u64;

    /// Shows every tracepoint of the kernel proper: by what the platform knows it, and its name.
    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory>;

    /// From now on `Tracer::tracepoint` is called with this number at that tracepoint. May sleep.
    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused>;

    /// And no more, once `tracepoints_synchronize` has returned. May sleep.
    fn tracepoint_unregister(&self, point: usize, number: u32);

    /// Waits for calls at tracepoints that have been unregistered. May sleep.
    fn tracepoints_synchronize(&self);

    /// From now on the kernel tells of this event of system calls with these numbers, though perhaps of others, too;
    /// or, if they are all, of this event where it is none of a system call. Of none: when this returns the last is
    /// over. May sleep.
    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused>;
}

/// A system call, as the kernel numbers it.
#[derive(Debug, Clone, Copy)]
pub struct Numbered<'a> {
    /// The number of its ABI.
    pub abi: u32,
    /// Its own there.
    pub number: u32,
    /// Its ABI's name.
    pub abi_name: &'a [u8],
    /// Its own.
    pub name: &'a [u8],
}

/// Sees one tracepoint: by what the platform knows it, and its name.
pub type VisitTracepoint<'a> = dyn FnMut(usize, &[u8]) -> Result<(), OutOfMemory> + 'a;

/// Sees one system call.
pub type VisitSyscall<'a> = dyn FnMut(Numbered<'_>) -> Result<(), OutOfMemory> + 'a;

/// Some system calls, by a bit for each of an ABI's numbers: those that are alike in their lower bits all or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Numbers([[u32; Self::WORDS]; Self::ABIS]);

impl Numbers {
    /// A kernel has its own ABI, and one for older programs at the most.
    const ABIS: usize = 2;
    /// No ABI has as many calls as there are bits.
    const WORDS: usize = 16;

    /// All there are.
    pub const ALL: Self = Self([[u32::MAX; Self::WORDS]; Self::ABIS]);
    /// None of them.
    pub const NONE: Self = Self([[0; Self::WORDS]; Self::ABIS]);

    /// Adds one.
    pub fn add(&mut self, abi: u32, number: u32) {
        let words = self.0.get_mut(abi as usize);
        if let Some(word) = words.and_then(|words| words.get_mut(word(number))) {
            *word |= bit(number);
        }
    }

    /// Adds all of these.
    pub fn add_all(&mut self, others: &Self) {
        let words = self.0.as_flattened_mut().iter_mut();
        for (word, other) in words.zip(others.0.as_flattened()) {
            *word |= other;
        }
    }

    /// Whether all of these are among them.
    pub fn has_all(&self, others: &Self) -> bool {
        let mut words = self.0.as_flattened().iter().zip(others.0.as_flattened());
        words.all(|(word, other)| word & other == *other)
    }

    /// Whether that one is among them.
    pub fn has(&self, abi: u32, number: u32) -> bool {
        let words = self.0.get(abi as usize);
        let word = words.and_then(|words| words.get(word(number)));
        word.is_some_and(|word| word & bit(number) != 0)
    }
}

/// A call's ABI and its number there, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u32);

impl Key {
    const NUMBER_BITS: u32 = 24;

    /// None for a number that is beyond all that there are.
    pub const fn new(abi: u32, number: i64) -> Option<Self> {
        if abi >> (u32::BITS - Self::NUMBER_BITS) != 0 || number >> Self::NUMBER_BITS != 0 {
            return None;
        }
        Some(Self(abi << Self::NUMBER_BITS | number as u32))
    }

    /// Both as a number.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The key that gave this number.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number without the ABI.
    pub const fn number(self) -> u32 {
        self.0 & ((1 << Self::NUMBER_BITS) - 1)
    }

    /// The ABI.
    pub const fn abi(self) -> u32 {
        self.0 >> Self::NUMBER_BITS
    }

    /// How far it is behind another.
    pub const fn behind(self, other: Self) -> usize {
        self.0.wrapping_sub(other.0) as usize
    }
}

/// In which of an ABI's words a number is.
const fn word(number: u32) -> usize {
    (number / u32::BITS) as usize % Numbers::WORDS
}

/// And which bit there.
const fn bit(number: u32) -> u32 {
    1 << (number % u32::BITS)
}

/// What the kernel tells of while it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Event {
    /// A system call returns, in the child too where it makes one: `Tracer::syscall_returned`. When the last is
    /// over, so is the last of a call that was entered.
    SyscallReturned = 0,
    /// A thread enters a system call: `Tracer::syscall_entered`.
    SyscallEntered = 1,
    /// A process makes another, whose number this tells: this and the next `Tracer::happened`.
    ProcessCreated = 2,
    /// A process that was made is about to come to its program for the first time.
    ProcessStarted = 3,
    /// A process has begun a program.
    ProgramBegun = 4,
    /// The kernel lets go of a process: `Tracer::process_gone`. It comes before those of whose
    /// processes it tells, so that it is told of whenever they are.
    ProcessGone = 5,
    /// A process ends, its last thread: why, as `CLD_EXITED` and the like have it, and with what status or signal.
    ProcessExited = 6,
    /// A signal is sent, by this thread or by what has interrupted it: to which thread of which process, which, and
    /// what became of it.
    SignalSent = 7,
    /// This thread takes a signal: which, where what is known of it is, and where its handler is.
    SignalHandled = 8,
}

impl Event {
    /// Each.
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

    /// Those that each thread of a process may tell of: it is done once until the process is gone.
    pub const ONCE: [Self; 2] = [Self::ProcessExited, Self::SignalHandled];

    /// The event that the shim knows by this number.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// Whether it is one of a system call's, of which the kernel tells by their numbers.
    pub const fn is_of_syscall(self) -> bool {
        matches!(self, Self::SyscallReturned | Self::SyscallEntered)
    }
}

/// The error number that a system call returns, if it does: a value that Linux keeps for these.
pub fn errno(value: i64) -> Option<u64> {
    const LAST: i64 = 4095;
    (-LAST..0).contains(&value).then(|| value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_a_number_that_can_be_a_calls() {
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
