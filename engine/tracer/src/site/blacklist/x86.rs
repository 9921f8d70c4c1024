//! The blacklist for Linux on x86-64.

use super::{Blacklist, Path};

const WAKES: &str = "a starting or resuming CPU runs it before it can take a trap";
const LEAVES: &str = "it or a copy of it runs during kexec, where no trap can be taken";
const THUNK: &str = "returns and indirect calls on the trap path go through it";
const XEN: &str = "it is on the return path of every trap";
const SWITCHED: &str = "it is a static call trampoline: the kernel rewrites it at run time and must find it unmodified";
const ON_TRAP_PATH: &str =
    "it runs between the exception vector and the trap handler, or on the return path";
const RESTORED: &str =
    "it runs with another kernel's data on resume from hibernation, before a trap can be taken";

/// x86-64's additions to the blacklist.
pub const X86: Blacklist = Blacklist {
    functions: &[
        (b"verify_cpu", WAKES),
        (b"sev_verify_cbit", WAKES),
        (b"early_setup_idt", WAKES),
        (b"startup_64_load_idt", WAKES),
        (b"setup_ghcb", WAKES),
        (b"*cc_platform_has*", WAKES),
        (b"set_bringup_idt_handler*", WAKES),
        (b"start_secondary", WAKES),
        (b"cr4_init", WAKES),
        (b"cpu_init_secondary", WAKES),
        (b"cpu_init_exception_handling", WAKES),
        (b"setup_getcpu", WAKES),
        (b"native_write_msr", WAKES),
        (b"do_trace_write_msr", WAKES),
        (b"native_write_gdt_entry", WAKES),
        (b"memset*", WAKES),
        (b"__memset", WAKES),
        (b"get_cpu_entry_area", WAKES),
        (b"native_load_tr_desc", WAKES),
        (b"load_direct_gdt", WAKES),
        (b"load_fixmap_gdt", WAKES),
        (b"native_load_gdt", WAKES),
        (b"cr4_set_bits", WAKES),
        (b"cr4_update_irqsoff", WAKES),
        (b"native_write_cr4", WAKES),
        (b"load_current_idt", WAKES),
        (b"native_load_idt", WAKES),
        (b"wakeup_long64", WAKES),
        (b"do_suspend_lowlevel", WAKES),
        (b"*restore_processor_state", WAKES),
        (b"native_write_cr0", WAKES),
        (b"restore_registers", RESTORED),
    ],
    thunks: &[
        (b"__SCT__*", SWITCHED),
        (b"secondary_startup_64*", WAKES),
        (b"common_startup_64", WAKES),
        (b"relocate_kernel", LEAVES),
        (b"identity_mapped", LEAVES),
        (b"virtual_mapped", LEAVES),
        (b"swap_pages", LEAVES),
        (b"*_return_thunk", THUNK),
        (b"srso_*safe_ret", THUNK),
        (b"__x86_indirect_*thunk_*", THUNK),
        (b"xen_iret", XEN),
    ],
    // In order: from the vector to the call of the handler, and the return; what a CPU runs before
    // its IDT is loaded.
    paths: &[
        Path {
            roots: &[
                [b"asm_exc_int3", b"asm_exc_int3"],
                [b"irqentry_nmi_exit", b"irqentry_nmi_exit"],
            ],
            // Preemption is disabled, though a spin lock's release may ask. Only user-mode traps reach
            // the others, some of which are inlined in some kernels; the last is behind our handler.
            // The last but one, a tracepoint of osnoise, is not called while a trap is armed.
            ends: &[
                b"*preempt_schedule*",
                b"irqentry_enter_from_user_mode",
                b"irqentry_exit_to_user_mode",
                b"__ct_user_exit",
                b"__ct_user_enter",
                b"rcu_nocb_flush_deferred_wakeup",
                b"__hrtimer_rearm_deferred",
                b"exit_to_user_mode_loop",
                b"arch_exit_to_user_mode_prepare*",
                b"do_trap",
                b"*nmi_noise",
                b"notify_die",
            ],
            passes: &[b"kprobe_int3_handler", b"do_int3"],
            why: ON_TRAP_PATH,
        },
        Path {
            roots: &[
                [b"secondary_startup_64", b"secondary_startup_64"],
                [b"common_startup_64", b"common_startup_64"],
                [b"start_secondary", b"start_secondary"],
                [b"cpu_init_secondary", b"cpu_init_secondary"],
                [
                    b"cpu_init_exception_handling",
                    b"cpu_init_exception_handling",
                ],
                [b"load_current_idt", b"load_current_idt"],
            ],
            // Each is a root of its own. Once the call from another root returns, the CPU can take
            // traps.
            ends: &[
                b"cpu_init_secondary",
                b"cpu_init_exception_handling",
                b"load_current_idt",
            ],
            passes: &[],
            why: WAKES,
        },
    ],
};
