//! The columns of each file.

use crate::site::reason::Reason;

/// A row of `/proc/dtrace/fbt`: one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FbtRow<'a> {
    /// The probe's ID.
    pub id: u32,
    /// The site's address.
    pub address: usize,
    /// The function's module.
    pub module: &'a [u8],
    /// The function's name.
    pub function: &'a [u8],
    /// The probe's name, `entry` or `return`.
    pub name: &'a [u8],
    /// The probe's active ECBs, over all consumers.
    pub ecbs: u32,
    /// Whether the trap is in place, or the ftrace call enabled.
    pub armed: bool,
    /// Hits so far, whether or not a clause ran.
    pub hits: u64,
    /// The displaced instruction's bytes; empty for a site that only ftrace can arm.
    pub instruction: &'a [u8],
    /// How the site is armed and its instruction executed: `ftrace`, `emulate`, `relocate` or
    /// `refuse`.
    pub plan: &'static str,
}

/// A row of `/proc/dtrace/refused` or `/proc/dtrace/toxic`: a probe that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRow<'a> {
    /// The ID of the process; 0 for the kernel.
    pub process: u32,
    /// The function's address; in a process, that of the instruction.
    pub address: usize,
    /// The function's module; in a process, its object.
    pub module: &'a [u8],
    /// Its name.
    pub function: &'a [u8],
    /// The probe's name, `entry` or `return`. In a process also an offset, or the pattern of a
    /// request of which nothing could be created.
    pub name: &'a [u8],
    /// Why it was refused.
    pub reason: Reason,
}

/// A row of `/proc/dtrace/syscall`: one probe of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyscallRow<'a> {
    /// The probe's ID.
    pub id: u32,
    /// The system-call number within its ABI.
    pub number: u32,
    /// The ABI's name.
    pub module: &'a [u8],
    /// Its name.
    pub function: &'a [u8],
    /// The probe's name, `entry` or `return`.
    pub name: &'a [u8],
    /// The probe's active ECBs, over all consumers.
    pub ecbs: u32,
    /// Whether the kernel reports the call here, whichever consumer it is subscribed for.
    pub is_armed: bool,
}

/// A row of `/proc/dtrace/stats`: one counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsRow {
    /// The counter's name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
}

/// A row of `/proc/dtrace/fasttrap`: one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FasttrapRow<'a> {
    /// The process's ID.
    pub process: u32,
    /// The site's address.
    pub address: usize,
    /// The object.
    pub module: &'a [u8],
    /// The function; if several contain the instruction, the first in which it was probed.
    pub function: &'a [u8],
    /// The offset from that function's start.
    pub offset: usize,
    /// The active ECBs of all its probes, over all consumers.
    pub ecbs: u32,
    /// Whether the trap is in place.
    pub armed: bool,
    /// Hits so far, whether or not a clause ran.
    pub hits: u64,
    /// The displaced instruction's bytes.
    pub instruction: &'a [u8],
    /// How it is executed: `emulate` or `relocate`.
    pub plan: &'static str,
}
