//! Functions of Linux that take no trap although the kernel's own blacklist does not have them, and labels that are
//! listed among functions but are thunks, jumped to on the way to a trap's handler.
//!
//! Trap dispatch is direct while a trap is armed: nothing that can be traced or probed runs on its way. What is left is
//! what an architecture runs before it can take a trap at all, what runs in another mode of the processor, and thunks.
//! Names are those of one build, where another compiler or another configuration calls other functions. So there are
//! [paths](Path) besides, which are followed in the text of the running kernel.

mod arm;
mod arm64;
mod x86;

use crate::probe::glob::matches;

pub use arm::ARM;
pub use arm64::ARM64;
pub use x86::X86;

/// A name, as a glob, and why no trap may be there.
pub type Listed = (&'static [u8], &'static str);

/// What an architecture adds to [`FUNCTIONS`] and [`THUNKS`].
#[derive(Debug, Clone, Copy)]
pub struct Blacklist {
    /// Functions.
    pub functions: &'static [Listed],
    /// Labels that are no functions.
    pub thunks: &'static [Listed],
    /// Paths on which no trap can be taken.
    pub paths: &'static [Path],
}

/// A path on which no trap can be taken: all that its roots call, and what that calls.
#[derive(Debug)]
pub struct Path {
    /// The first and the last function of a stretch of text, or one function twice. Those that this kernel lacks begin
    /// nothing.
    pub roots: &'static [[&'static [u8]; 2]],
    /// A call of one of these ends the path, and is not part of it.
    pub ends: &'static [&'static [u8]],
    /// Functions that it calls and that are not followed.
    pub passes: &'static [&'static [u8]],
    /// Why no trap can be taken.
    pub why: &'static str,
}

const LISTENS: &str =
    "the function tracer runs it at each call, and so several traps would come with each entry";
const SLOTS: &str =
    "it is no function: where the function tracer traces, calls and returns come by it";

/// What the function tracer runs for each call before it finds the callback. A trap there does no harm, but where all
/// calls are traced there would be a dozen for each.
static FUNCTIONS: [Listed; 4] = [
    (b"arch_ftrace_ops_list_func", LISTENS),
    (b"ftrace_ops_test", LISTENS),
    (b"hash_contains_ip", LISTENS),
    (b"ftrace_lookup_ip", LISTENS),
];

/// The function tracer's trampolines, and the labels within them.
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
    /// Why no probe may be in the function of this name, if so.
    pub fn function(&self, name: &[u8]) -> Option<&'static str> {
        find(FUNCTIONS.iter().chain(self.functions), name)
    }

    /// Why the label of this name has no probe, if it is a thunk.
    pub fn thunk(&self, name: &[u8]) -> Option<&'static str> {
        find(THUNKS.iter().chain(self.thunks), name)
    }
}

fn find(mut all: impl Iterator<Item = &'static Listed>, name: &[u8]) -> Option<&'static str> {
    let name = without_suffix(name);
    all.find(|(glob, _)| matches(glob, name))
        .map(|(_, why)| *why)
}

/// The name as it stands in the source: compilers append `.isra.0`, `.part.0` and the like.
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
