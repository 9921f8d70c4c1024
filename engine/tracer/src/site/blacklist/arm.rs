//! The blacklist for Linux on ARM.

use super::{Blacklist, Path};

const ABORTS: &str =
    "it reads the fault status registers, which a fault in the trap handler would overwrite";
const COPIED: &str = "a copy of it runs during kexec, where no trap can be taken";
const WAKES: &str = "a resuming CPU runs it with the MMU off";
const STARTS: &str = "a starting CPU runs it before it has a stack for the trap";
const HEAD: &str = "it is a label in the kernel's startup code, not a function";
const UNWINDS: &str =
    "the unwinder runs it while its list of tables is inconsistent, and stack() walks that list";
const STOPPED: &str = "a CPU runs it while another writes text, and could take a trap that is gone before it is recognised";
const ON_TRAP_PATH: &str =
    "it runs between the exception vector and the trap handler, or on the return path";

/// ARM's additions to the blacklist.
pub const ARM: Blacklist = Blacklist {
    functions: &[
        (b"*_early_abort", ABORTS),
        (b"*_pabort", ABORTS),
        (b"__list_add_valid", UNWINDS),
        (b"__list_del_entry_valid", UNWINDS),
        (b"relocate_new_kernel*", COPIED),
        (b"cpu_resume*", WAKES),
        (b"cpu_*_do_resume", WAKES),
        // The return address given to the processor's setup function.
        (b"__enable_mmu", STARTS),
        // Called through a table.
        (b"cpu_*_switch_mm", STARTS),
        (b"cpu_*_proc_init", STARTS),
        // Where the firmware of particular boards enters.
        (b"*secondary_startup*", STARTS),
        (b"*secondary_trampoline*", STARTS),
        (b"*_cpu_resume", WAKES),
        // In the loop of multi_cpu_stop().
        (b"stop_machine_yield", STOPPED),
        (b"touch_nmi_watchdog", STOPPED),
        (b"touch_softlockup_watchdog", STOPPED),
        (b"rcu_momentary_*", STOPPED),
        (b"rcu_preempt_*deferred_qs*", STOPPED),
    ],
    thunks: &[(b"__error", HEAD), (b"__do_fixup_smp_on_up", HEAD)],
    // In order: from the exception vector to the branch to the handler, and the return; the start
    // of a CPU, until cpu_init() has given it stacks.
    paths: &[
        Path {
            roots: &[
                [b"__und_svc", b"__und_svc"],
                [b"__und_fault", b"__und_fault"],
            ],
            ends: &[],
            passes: &[b"do_undefinstr"],
            why: ON_TRAP_PATH,
        },
        Path {
            roots: &[
                [b"secondary_startup", b"secondary_startup"],
                [b"__secondary_switched", b"__secondary_switched"],
                [b"secondary_start_kernel", b"secondary_start_kernel"],
                // Called through the processor's description.
                [b"__v7_ca5mp_setup", b"__v7_setup_cont"],
            ],
            ends: &[b"cpu_init"],
            passes: &[],
            why: STARTS,
        },
        Path {
            roots: &[[b"cpu_init", b"cpu_init"]],
            ends: &[],
            passes: &[],
            why: STARTS,
        },
    ],
};
