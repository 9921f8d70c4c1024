//! Functions in which Linux allows kprobes but that cannot take this engine's trap, and thunks:
//! labels listed among functions that are jumped to on the way to a trap's handler.
//!
//! While a trap is armed it is dispatched directly, so nothing traceable runs on that path. What
//! remains is code that an architecture runs before it can take a trap at all, code that runs in
//! another processor mode, and thunks. The lists of names were read from particular kernel builds;
//! another compiler or configuration may call other functions. So there are also [paths](Path),
//! which are followed through the text of the running kernel, once, when the engine is created.

mod arm;
mod arm64;
mod x86;

use crate::probe::glob::matches;

pub use arm::ARM;
pub use arm64::ARM64;
pub use x86::X86;

/// A name pattern, and why no trap may be placed there.
pub type Listed = (&'static [u8], &'static str);

/// An architecture's additions to `FUNCTIONS` and `THUNKS`.
#[derive(Debug, Clone, Copy)]
pub struct Blacklist {
    /// Functions.
    pub functions: &'static [Listed],
    /// Labels that are not functions.
    pub thunks: &'static [Listed],
    /// Paths on which no trap can be taken.
    pub paths: &'static [Path],
}

/// A call graph in which no trap can be taken: its roots and all that they call, directly or not.
#[derive(Debug)]
pub struct Path {
    /// Ranges of functions, first and last by name; equal for a single function. Roots that this
    /// kernel lacks are ignored.
    pub roots: &'static [[&'static [u8]; 2]],
    /// Functions at whose call the path ends; they are not part of it.
    pub ends: &'static [&'static [u8]],
    /// Functions that are neither followed nor part of it; the path continues after their call.
    pub passes: &'static [&'static [u8]],
    /// Why no trap can be taken.
    pub why: &'static str,
}

const LISTENS: &str =
    "the function tracer runs it at each call, so each function entry would cost several traps";
const SLOTS: &str = "it is a trampoline of the function tracer, not a function";

/// What ftrace runs for each call before it finds the callback. A trap there is harmless, but with
/// all functions traced there would be a dozen for each call.
static FUNCTIONS: [Listed; 4] = [
    (b"arch_ftrace_ops_list_func", LISTENS),
    (b"ftrace_ops_test", LISTENS),
    (b"hash_contains_ip", LISTENS),
    (b"ftrace_lookup_ip", LISTENS),
];

/// ftrace's trampolines and the labels within them.
static THUNKS: [Listed; 10] = [
    (b"__gnu_mcount_nc", SLOTS),
    (b"__fentry__", SLOTS),
    (b"ftrace_caller*", SLOTS),
    (b"ftrace_regs_caller*", SLOTS),
    (b"ftrace_common*", SLOTS),
    (b"ftrace_call", SLOTS),
    (b"ftrace_regs_call", SLOTS),
    (b"ftrace_graph_call*", SLOTS),
    (b"ftrace_graph_regs_call*", SLOTS),
    (b"return_to_handler", SLOTS),
];

impl Blacklist {
    /// Why the function of this name may have no probe, if it is listed.
    pub fn function(&self, name: &[u8]) -> Option<&'static str> {
        find(FUNCTIONS.iter().chain(self.functions), name)
    }

    /// Why the label of this name may have no probe, if it is a thunk.
    pub fn thunk(&self, name: &[u8]) -> Option<&'static str> {
        find(THUNKS.iter().chain(self.thunks), name)
    }
}

fn find(mut all: impl Iterator<Item = &'static Listed>, name: &[u8]) -> Option<&'static str> {
    let name = without_suffix(name);
    all.find(|(glob, _)| matches(glob, name))
        .map(|(_, why)| *why)
}

/// The name in the source: without suffixes such as `.isra.0` and `.part.0` that compilers append.
fn without_suffix(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Blacklist = Blacklist {
        functions: &[(b"sys_ch*", "it says so")],
        thunks: &[],
        paths: &[],
    };

    #[test]
    fn trampolines_are_no_functions() {
        for name in [
            "ftrace_caller",
            "ftrace_regs_caller_end",
            "return_to_handler",
        ] {
            assert!(OWN.thunk(name.as_bytes()).is_some(), "{name}");
        }
        assert_eq!(OWN.thunk(b"ftrace_call_replace"), None);
    }

    #[test]
    fn suffixes_of_compilers_do_not_count() {
        assert_eq!(OWN.function(b"sys_chdir"), Some("it says so"));
        assert_eq!(OWN.function(b"sys_chdir.isra.0"), Some("it says so"));
        assert_eq!(OWN.function(b"sys_dup"), None);
    }
}
