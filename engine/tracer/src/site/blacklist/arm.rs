//! The blacklist for Linux on ARM.

use super::{Blacklist, Path};

const ABORTS: &str =
    "it reads what the processor says of a fault, which one in the trap's handler would overwrite";
const COPIED: &str = "a copy of it runs where a kernel gives way to the next and takes no trap";
const WAKES: &str = "a resuming CPU runs it before there is translation";
const HEAD: &str = "it is no function, but a place in what a kernel begins with";
const UNWINDS: &str =
    "the unwinder runs it with its list of tables in pieces, which stack() would walk";
const ON_TRAP_PATH: &str = "it runs between a trap and its handler, or on the way back";

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
