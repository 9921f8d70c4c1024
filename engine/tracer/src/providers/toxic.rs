//! Functions that no trap may be put in although the kernel's own blacklist does not have them, and places
//! that are no functions, but are jumped to on a trap's way.
//!
//! A trap's way is short while there are any: nothing that can be traced or probed runs on it
//! (`Platform::lead_here`). So what is left is what one instruction set has before it can take a trap at all,
//! and the little that calls come by.

use crate::glob::matches;

const LISTENS: &str =
    "the function tracer runs it at each call, and so several traps would come with each entry";
const SLOTS: &str =
    "it is no function: where the function tracer traces, calls and returns come by it";

/// A name, as a glob, and why no trap may be there.
pub type Toxic = (&'static [u8], &'static str);

/// What the function tracer runs for each call before it gets to who listens. A trap there would do no harm,
/// but where we listen to all calls there would be a dozen for each.
static TOXIC: [Toxic; 4] = [
    (b"arch_ftrace_ops_list_func", LISTENS),
    (b"ftrace_ops_test", LISTENS),
    (b"hash_contains_ip", LISTENS),
    (b"ftrace_lookup_ip", LISTENS),
];

/// The function tracer's own ways in and out, and what is listed within them.
static GLUE: [Toxic; 10] = [
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

/// Why no probe may be in the function of this name, if so.
pub fn reason(function: &[u8], own: &'static [Toxic]) -> Option<&'static Toxic> {
    find(TOXIC.iter().chain(own), function)
}

/// The same of what is no function, but is jumped to.
pub fn glue(name: &[u8], own: &'static [Toxic]) -> Option<&'static Toxic> {
    find(GLUE.iter().chain(own), name)
}

fn find(mut all: impl Iterator<Item = &'static Toxic>, name: &[u8]) -> Option<&'static Toxic> {
    let name = as_written(name);
    all.find(|(glob, _)| matches(glob, name))
}

/// The name without what a compiler has put behind it: `.isra.0`, `.part.0`.
fn as_written(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tracers_own_ways_are_no_functions() {
        for name in [
            "ftrace_caller",
            "ftrace_regs_caller_end",
            "return_to_handler",
        ] {
            assert!(glue(name.as_bytes(), &[]).is_some(), "{name}");
        }
        assert_eq!(glue(b"ftrace_call_replace", &[]), None);
    }

    #[test]
    fn what_a_compiler_puts_behind_a_name_does_not_count() {
        static OWN: [Toxic; 1] = [(b"sys_ch*", "it says so")];
        assert_eq!(reason(b"sys_chdir", &OWN), OWN.first());
        assert_eq!(reason(b"sys_chdir.isra.0", &OWN), OWN.first());
        assert_eq!(reason(b"sys_dup", &OWN), None);
    }
}
