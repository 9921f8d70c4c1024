//! The blacklist for Linux on ARM.

use super::{Blacklist, Path};

const ABORTS: &str =
    "it reads the fault status registers, which a fault in the trap handler would overwrite";
const COPIED: &str = "a copy of it runs during kexec, where no trap can be taken";
const WAKES: &str = "a resuming CPU runs it with the MMU off";
const HEAD: &str = "it is a label in the kernel's startup code, not a function";
const UNWINDS: &str =
    "the unwinder runs it while its list of tables is inconsistent, and stack() walks that list";
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
    ],
    thunks: &[(b"__error", HEAD), (b"__do_fixup_smp_on_up", HEAD)],
    // From the exception vector to the branch to the handler, and the return.
    paths: &[Path {
        roots: &[
            [b"__und_svc", b"__und_svc"],
            [b"__und_fault", b"__und_fault"],
        ],
        ends: &[],
        passes: &[b"do_undefinstr"],
        why: ON_TRAP_PATH,
    }],
};
