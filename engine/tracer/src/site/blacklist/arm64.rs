//! The blacklist for Linux on AArch64.

use super::{Blacklist, Path};

const HYPERVISOR: &str = "it runs with the hypervisor's vectors, which do not handle the trap";
const WAKES: &str = "a starting or resuming CPU runs it before its vectors are installed";
const ON_TRAP_PATH: &str =
    "it runs between the exception vector and the trap handler, or on the return path";

/// AArch64's additions to the blacklist.
pub const ARM64: Blacklist = Blacklist {
    functions: &[
        (b"__kvm_adjust_pc", HYPERVISOR),
        (b"enter_exception*", HYPERVISOR),
        (b"kvm_hyp_handle_*", HYPERVISOR),
        (b"kvm_unexpected_el2_exception", HYPERVISOR),
        (b"handle_tx2_*", HYPERVISOR),
        (b"__vgic_v3_*", HYPERVISOR),
        (b"__guest_*", HYPERVISOR),
        (b"__debug_switch_to_*", HYPERVISOR),
        (b"__debug_save_state", HYPERVISOR),
        (b"__debug_restore_state", HYPERVISOR),
        (b"__fpsimd_*_state", HYPERVISOR),
        (b"__sve_*_state", HYPERVISOR),
        (b"finalise_el2", WAKES),
        (b"_cpu_resume", WAKES),
    ],
    thunks: &[
        (b"__kvm_hyp_vector*", HYPERVISOR),
        (b"hyp_stub_*", HYPERVISOR),
        (b"el1_sync", HYPERVISOR),
        (b"el2_sync", HYPERVISOR),
    ],
    // In order: from the exception vector to the call of the handler, and the return from it; the
    // start and resumption of a CPU, until its vectors are installed; KVM's objects that run with
    // the hypervisor's vectors, as a range from their first function to their vector tables, and
    // a function that is not in it; what schedules, or panics, has installed the kernel's before.
    paths: &[
        Path {
            roots: &[[b"el1h_64_sync", b"el1h_64_sync"], [b"el1_dbg", b"el1_dbg"]],
            ends: &[],
            passes: &[b"el1h_64_sync_handler", b"do_debug_exception"],
            why: ON_TRAP_PATH,
        },
        Path {
            roots: &[
                [b"secondary_entry", b"secondary_entry"],
                [b"__secondary_switched", b"__secondary_switched"],
                [b"cpu_resume", b"cpu_resume"],
                [b"_cpu_resume", b"_cpu_resume"],
            ],
            ends: &[b"secondary_start_kernel"],
            passes: &[],
            why: WAKES,
        },
        Path {
            roots: &[
                [b"sysreg_save_host_state_vhe", b"__bp_harden_hyp_vecs"],
                [b"__kvm_adjust_pc", b"__kvm_adjust_pc"],
            ],
            ends: &[b"*preempt_schedule*", b"panic"],
            passes: &[],
            why: HYPERVISOR,
        },
    ],
};
