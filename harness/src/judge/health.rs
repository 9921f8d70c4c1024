//! Classification of the kernel's messages about trouble, by one table.

use std::fmt;

/// What can go wrong with a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// A panic before the agent answered.
    BootPanic,
    /// A panic.
    Panic,
    /// A fault or an undefined instruction in the kernel.
    Oops,
    /// A CPU did not schedule (soft or hard lockup).
    Lockup,
    /// A task was blocked in uninterruptible sleep for too long.
    HungTask,
    /// RCU saw no quiescent state for too long.
    RcuStall,
    /// The kernel detected an inconsistency and continued: BUG, lockdep, KASAN and the like.
    Bug,
    /// A WARN.
    Warn,
    /// The machine reset, as by a triple fault, or powered off, and the console does not say why.
    Reset,
    /// QEMU exited unasked.
    EarlyExit,
    /// The agent did not answer in time after the start.
    BootTimeOut,
    /// The agent does not answer any more.
    Hang,
    /// The ssh connection broke.
    SshLost,
    /// The line to the agent broke.
    LineLost,
    /// The console exceeded its limit.
    Flooded,
    /// A command's output exceeded its limit.
    TooMuch,
    /// A command of the harness took too long although the agent answers.
    Overdue,
    /// A command of the harness failed, so what it was to observe is unknown.
    CommandFailed,
    /// A program died of a signal that indicates a defect, even in the background.
    ProgramDied,
}

impl Trouble {
    /// Whether the guest cannot be used any further.
    pub fn is_fatal(self) -> bool {
        !matches!(
            self,
            Self::HungTask
                | Self::RcuStall
                | Self::Bug
                | Self::Warn
                | Self::Overdue
                | Self::TooMuch
                | Self::CommandFailed
                | Self::ProgramDied
        )
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::BootPanic => "boot panic",
            Self::Panic => "guest panic",
            Self::Oops => "guest oops",
            Self::Lockup => "guest lockup",
            Self::HungTask => "hung task",
            Self::RcuStall => "RCU stall",
            Self::Bug => "kernel BUG",
            Self::Warn => "kernel WARN",
            Self::Reset => "guest reset",
            Self::EarlyExit => "QEMU ended early",
            Self::BootTimeOut => "boot timed out",
            Self::Hang => "guest hung",
            Self::SshLost => "ssh lost",
            Self::LineLost => "line lost",
            Self::Flooded => "console flooded",
            Self::TooMuch => "too much output",
            Self::Overdue => "no answer, although the guest's kernel is running",
            Self::CommandFailed => "command failed",
            Self::ProgramDied => "program died",
        }
    }
}

/// A trouble and the line that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The class.
    pub trouble: Trouble,
    /// The kernel's line without its time stamp, or the harness's observation.
    pub line: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.trouble.name(), self.line)
    }
}

/// The first row whose strings all occur, in this order, classifies a line.
const ROWS: &[(Trouble, &[&str])] = &[
    (Trouble::Panic, &["Kernel panic - not syncing"]),
    (Trouble::Panic, &["PANIC: early exception "]),
    (Trouble::Oops, &["PANIC: double fault"]),
    (Trouble::Oops, &["Internal error: "]),
    (Trouble::Oops, &["Unable to handle kernel "]),
    (Trouble::Oops, &["Unhandled prefetch abort: "]),
    (Trouble::Oops, &["Unhandled fault: "]),
    (Trouble::Oops, &["Unhandled fault at "]),
    (Trouble::Oops, &["Unhandled ", " exception on CPU"]),
    (Trouble::Oops, &["Unexpected kernel ", " exception at EL1"]),
    (Trouble::Oops, &["SError Interrupt on CPU"]),
    (Trouble::Oops, &["Bad mode in ", " handler detected"]),
    (
        Trouble::Oops,
        &["Insufficient stack space to handle exception"],
    ),
    (Trouble::Oops, &["kernel BUG at "]),
    (Trouble::Oops, &["BUG: unable to handle "]),
    (Trouble::Oops, &["BUG: kernel NULL pointer dereference"]),
    (Trouble::Oops, &["BUG: ", " stack guard page was hit at "]),
    (Trouble::Oops, &["Oops: "]),
    (Trouble::Oops, &["Oops - "]),
    // The header of any x86 die(): `int3: 0000 [#1] PREEMPT SMP`.
    (Trouble::Oops, &[": ", " [#", "]"]),
    (Trouble::Oops, &["kernel stack overflow"]),
    (Trouble::Lockup, &["BUG: soft lockup - CPU#"]),
    (Trouble::Lockup, &["hard LOCKUP on cpu"]),
    (
        Trouble::HungTask,
        &["INFO: task ", " blocked", " for more than "],
    ),
    (Trouble::RcuStall, &["INFO: rcu", "detected ", "stall"]),
    (Trouble::RcuStall, &["rcu: ", " kthread starved for "]),
    // Reports of debug kernels: lockdep, RCU, UBSAN, kmemleak.
    (Trouble::Bug, &["WARNING: possible "]),
    (Trouble::Bug, &["WARNING: inconsistent lock state"]),
    (Trouble::Bug, &["WARNING: bad unlock balance detected"]),
    (Trouble::Bug, &["WARNING: held lock freed"]),
    (Trouble::Bug, &["WARNING: ", " still has locks held"]),
    (
        Trouble::Bug,
        &["WARNING: lock held when returning to user space"],
    ),
    (Trouble::Bug, &["WARNING: suspicious RCU usage"]),
    (Trouble::Bug, &["WARNING: Nested lock was not taken"]),
    (Trouble::Bug, &["UBSAN: "]),
    (Trouble::Bug, &["DEBUG_LOCKS_WARN_ON("]),
    (Trouble::Bug, &["kmemleak: ", " new suspected memory leaks"]),
    (Trouble::Warn, &["[ ftrace bug ]"]),
    (Trouble::Bug, &["BUG: "]),
    (Trouble::Bug, &["scheduling while atomic: "]),
    (Trouble::Warn, &["WARNING: CPU: "]),
    // Since 7.x, with and without the file's name.
    (Trouble::Warn, &["WARNING: ", "at ", ", CPU#"]),
    (Trouble::Warn, &["WARNING: stack recursion"]),
    (Trouble::Warn, &["WARNING: kernel stack "]),
    (
        Trouble::ProgramDied,
        &["potentially unexpected fatal signal "],
    ),
    (Trouble::ProgramDied, &["Out of memory: Killed process "]),
];

/// Classifies a line of the kernel's log; `None` if it reports no trouble.
pub fn diagnose(line: &str) -> Option<Finding> {
    let line = without_stamp(line.trim_end());
    let (trouble, _) = ROWS.iter().find(|(_, words)| in_order(line, words))?;
    Some(Finding {
        trouble: *trouble,
        line: line.to_owned(),
    })
}

/// All trouble in a log.
pub fn scan(log: &str) -> Vec<Finding> {
    log.lines().filter_map(diagnose).collect()
}

/// The task that was current at the last report.
pub fn victim(log: &str) -> Option<&str> {
    let (_, after) = log.rsplit_once(" Comm: ")?;
    after.split_whitespace().next()
}

fn in_order(line: &str, words: &[&str]) -> bool {
    words
        .iter()
        .try_fold(line, |rest, word| {
            rest.split_once(word).map(|(_, after)| after)
        })
        .is_some()
}

/// Strips the kernel's time stamp, so that the console and `dmesg` compare equal.
fn without_stamp(line: &str) -> &str {
    let stamped = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        .filter(|(stamp, _)| stamp.trim().parse::<f64>().is_ok());
    stamped.map_or(line, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &[(&str, Trouble)] = &[
        (
            "[    2.1] Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b",
            Trouble::Panic,
        ),
        (
            "Kernel panic - not syncing: sysrq triggered crash",
            Trouble::Panic,
        ),
        (
            "[   12.500000] Internal error: Oops - undefined instruction: 0 [#1] ARM",
            Trouble::Oops,
        ),
        ("Internal error: Oops: 805 [#1] ARM", Trouble::Oops),
        (
            "8<--- cut here ---\nUnable to handle kernel NULL pointer dereference at virtual address 00000000",
            Trouble::Oops,
        ),
        (
            "Unable to handle kernel paging request at virtual address ffffffc4",
            Trouble::Oops,
        ),
        (
            "Unhandled prefetch abort: breakpoint debug exception (0x002) at 0xc0008000",
            Trouble::Oops,
        ),
        (
            "BUG: kernel NULL pointer dereference, address: 0000000000000008",
            Trouble::Oops,
        ),
        ("kernel BUG at mm/slub.c:435!", Trouble::Oops),
        (
            "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [bash:120]",
            Trouble::Lockup,
        ),
        (
            "INFO: task kworker/0:1:12 blocked for more than 120 seconds.",
            Trouble::HungTask,
        ),
        (
            "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
            Trouble::RcuStall,
        ),
        (
            "rcu: INFO: rcu_sched self-detected stall on CPU",
            Trouble::RcuStall,
        ),
        (
            "BUG: scheduling while atomic: bash/120/0x00000002",
            Trouble::Bug,
        ),
        (
            "BUG: sleeping function called from invalid context at mm/slab.h:1",
            Trouble::Bug,
        ),
        (
            "WARNING: CPU: 0 PID: 120 at kernel/trace/ftrace.c:2010 ftrace_bug+0x100/0x2a0",
            Trouble::Warn,
        ),
        // debug kernels
        (
            "WARNING: possible circular locking dependency detected",
            Trouble::Bug,
        ),
        ("WARNING: possible recursive locking detected", Trouble::Bug),
        (
            "WARNING: possible irq lock inversion dependency detected",
            Trouble::Bug,
        ),
        ("WARNING: inconsistent lock state", Trouble::Bug),
        ("WARNING: bad unlock balance detected!", Trouble::Bug),
        ("WARNING: held lock freed!", Trouble::Bug),
        ("WARNING: dtrace/99 still has locks held!", Trouble::Bug),
        (
            "WARNING: lock held when returning to user space!",
            Trouble::Bug,
        ),
        ("WARNING: suspicious RCU usage", Trouble::Bug),
        ("WARNING: Nested lock was not taken", Trouble::Bug),
        ("[ BUG: Invalid wait context ]", Trouble::Bug),
        (
            "UBSAN: array-index-out-of-bounds in /src/kmod/main.c:1:2",
            Trouble::Bug,
        ),
        (
            "BUG: KASAN: slab-use-after-free in trapline_open+0x10/0x20 [trapline]",
            Trouble::Bug,
        ),
        (
            "BUG: KFENCE: use-after-free read in trapline_open+0x10/0x20",
            Trouble::Bug,
        ),
        ("BUG: KCSAN: data-race in a / b", Trouble::Bug),
        ("DEBUG_LOCKS_WARN_ON(lock->magic != lock)", Trouble::Bug),
        (
            "kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
            Trouble::Bug,
        ),
        ("------------[ ftrace bug ]------------", Trouble::Warn),
        // arm64
        (
            "Unable to handle kernel paging request at virtual address dfff800000000001",
            Trouble::Oops,
        ),
        (
            "[    7.1] Internal error: Oops: 0000000096000004 [#1] SMP",
            Trouble::Oops,
        ),
        (
            "Internal error: Oops - BUG: 00000000f2000800 [#1] SMP",
            Trouble::Oops,
        ),
        ("Unexpected kernel BRK exception at EL1", Trouble::Oops),
        (
            "Unexpected kernel single-step exception at EL1",
            Trouble::Oops,
        ),
        (
            "Unhandled 64-bit el1h sync exception on CPU1, ESR 0x0000000002000000 -- Unknown/Uncategorized",
            Trouble::Oops,
        ),
        ("Unhandled fault at 0xffff00000a5b4000", Trouble::Oops),
        (
            "SError Interrupt on CPU0, code 0x00000000be000000 -- SError",
            Trouble::Oops,
        ),
        (
            "Insufficient stack space to handle exception!",
            Trouble::Oops,
        ),
        (
            "Kernel panic - not syncing: kernel stack overflow",
            Trouble::Panic,
        ),
        // x86
        (
            "BUG: unable to handle page fault for address: ffffffffc0a01000\n\
             #PF: supervisor write access in kernel mode\n\
             #PF: error_code(0x0003) - permissions violation",
            Trouble::Oops,
        ),
        ("Oops: 0002 [#1] PREEMPT SMP NOPTI", Trouble::Oops),
        (
            "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] PREEMPT SMP NOPTI",
            Trouble::Oops,
        ),
        ("int3: 0000 [#1] PREEMPT SMP NOPTI", Trouble::Oops),
        (
            "kernel BUG at kernel/kprobes.c:1!\ninvalid opcode: 0000 [#1] PREEMPT SMP NOPTI",
            Trouble::Oops,
        ),
        (
            "BUG: TASK stack guard page was hit at 000000001a2b3c4d (stack is 0..1)",
            Trouble::Oops,
        ),
        ("traps: PANIC: double fault, error_code: 0x0", Trouble::Oops),
        (
            "PANIC: early exception 0x0d IP 10:ffffffff81a2b3c4 error 0 cr2 0x0",
            Trouble::Panic,
        ),
        (
            "Kernel panic - not syncing: Fatal exception in interrupt",
            Trouble::Panic,
        ),
        // all architectures
        (
            "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [dtrace:140]",
            Trouble::Lockup,
        ),
        (
            "NMI watchdog: Watchdog detected hard LOCKUP on cpu 1",
            Trouble::Lockup,
        ),
        (
            "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            Trouble::RcuStall,
        ),
        (
            "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-...D } 21 jiffies s: 57 root: 0x2/.",
            Trouble::RcuStall,
        ),
        (
            "rcu: INFO: rcu_tasks detected stalls on tasks:",
            Trouble::RcuStall,
        ),
        (
            "rcu: rcu_preempt kthread starved for 5250 jiffies! g57 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x402 ->cpu=1",
            Trouble::RcuStall,
        ),
        (
            "WARNING: CPU: 3 PID: 1201 at arch/x86/kernel/ftrace.c:88 ftrace_verify_code+0x3a/0x70",
            Trouble::Warn,
        ),
        (
            "WARNING: kernel/trace/ftrace.c:2010 at ftrace_bug+0x100/0x2a0, CPU#0: bash/120",
            Trouble::Warn,
        ),
        (
            "WARNING: at ftrace_bug+0x100/0x2a0, CPU#0: bash/120",
            Trouble::Warn,
        ),
        (
            "INFO: task kworker/0:1:12 blocked in I/O wait for more than 120 seconds.",
            Trouble::HungTask,
        ),
        ("WARNING: stack recursion on stack type 5", Trouble::Warn),
        (
            "WARNING: kernel stack regs at 00000000c0ffee00 in bash:99 has bad 'bp' value 0000000000000000",
            Trouble::Warn,
        ),
        (
            "[    7.734211] potentially unexpected fatal signal 11.\n\
             [    7.735019] CPU: 0 PID: 99 Comm: bash Tainted: G           O       6.1.0-50-rpi #1",
            Trouble::ProgramDied,
        ),
        (
            "Out of memory: Killed process 110 (bash) total-vm:3932kB, anon-rss:172kB, file-rss:4kB, shmem-rss:2024kB, UID:0 pgtables:36kB oom_score_adj:0",
            Trouble::ProgramDied,
        ),
    ];

    #[test]
    fn real_messages_are_classified() {
        for (text, trouble) in SAID {
            let found: Vec<Trouble> = scan(text).iter().map(|f| f.trouble).collect();
            assert!(found.iter().all(|t| t == trouble), "{text}: {found:?}");
            assert!(!found.is_empty(), "{text}");
        }
    }

    #[test]
    fn no_row_is_shadowed_by_one_above_it() {
        for (row, (trouble, words)) in ROWS.iter().enumerate() {
            let line = words.join("x") + "x";
            let found = diagnose(&line).map(|f| f.trouble);
            assert_eq!(found, Some(*trouble), "row {row} is shadowed: {line}");
        }
    }

    #[test]
    fn ordinary_lines_report_nothing() {
        let log = "[    0.000000] Kernel command line: console=ttyAMA0 panic=-1 oops=panic\n\
                   [    0.1] rcu: Hierarchical RCU implementation.\n\
                   [    1.0] bcm2835-mbox 20200000.mailbox: mailbox enabled\n\
                   [    1.2] trapline: loading out-of-tree module taints kernel.\n\
                   [    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on\n\
                   [    0.2] rcu: \tRCU event tracing is enabled.\n\
                   [    0.2] rcu: srcu_init: Setting srcu_struct sizes based on contention.\n\
                   [    0.3] EFI: Unhandled table, CPU0 up\n\
                   [    0.4] pci 0000:00:1f.0: [8086:2918] type 00 class 0x060100\n\
                   [    9.1] traps: bash[99] general protection fault ip:401000 sp:7ffd0 error:0\n\
                   [    9.2] Memory cgroup out of memory: Killed process 194 (trapline-storm) total-vm:66780kB, anon-rss:4120kB\n\
                   [    9.2] perf: interrupt took too long (2512 > 2500), lowering rate\n";
        assert_eq!(scan(log), []);
    }

    #[test]
    fn time_stamp_is_stripped() {
        let finding = diagnose("[   12.5] WARNING: CPU: 0 PID: 1 at x.c:1\r\n");
        let line = finding.map(|f| f.to_string());
        assert_eq!(
            line.as_deref(),
            Some("kernel WARN: WARNING: CPU: 0 PID: 1 at x.c:1")
        );
        assert_eq!(without_stamp("[bash] x"), "[bash] x");
    }

    #[test]
    fn victim_is_the_comm_of_the_oops() {
        let log = "Internal error: Oops: 5 [#1] ARM\n\
                   CPU: 0 PID: 99 Comm: bash Tainted: G           OE      6.1.0-50-rpi #1\n";
        assert_eq!(victim(log), Some("bash"));
        assert_eq!(victim("Internal error: Oops"), None);
    }
}
