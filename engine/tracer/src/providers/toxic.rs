//! Functions that no trap may be put in although the kernel's own blacklist does not have them.
//!
//! A trap's way to the engine runs through functions that the kernel's function tracer may be
//! tracing. What that tracer runs before it guards itself against recursion would trap on the way
//! to every trap.

use crate::glob::matches;

const FTRACE: &str = "the kernel's function tracer runs it on the way to every trap";

/// A name, as a glob, and why no trap may be there.
pub type Toxic = (&'static [u8], &'static str);

static TOXIC: [Toxic; 18] = [
    (b"*mcount*", FTRACE),
    (b"*fentry*", FTRACE),
    (b"*ftrace*", FTRACE),
    (b"function_*trace_call", FTRACE),
    (b"function_graph_*", FTRACE),
    (b"function_profile_call", FTRACE),
    (b"stack_trace_call", FTRACE),
    (b"*return_to_handler*", FTRACE),
    // What a graph tracer runs when a function returns, without a guard of its own.
    (b"*trace_graph_*", FTRACE),
    (b"trace_function*", FTRACE),
    (b"trace_buffer_*", FTRACE),
    (b"trace_event_buffer_*", FTRACE),
    (b"trace_clock*", FTRACE),
    (b"ring_buffer_*", FTRACE),
    (b"rb_*", FTRACE),
    (b"__rb_*", FTRACE),
    (b"__bpf_prog_enter*", FTRACE),
    (b"__bpf_prog_exit*", FTRACE),
];

/// Why no probe may be in the function of this name, if so. The way is `own` to the instruction
/// set in part.
pub fn reason(function: &[u8], own: &'static [Toxic]) -> Option<&'static Toxic> {
    let mut all = TOXIC.iter().chain(own);
    all.find(|(glob, _)| matches(glob, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_function_tracer_runs_first_is_toxic() {
        for name in [
            "__gnu_mcount_nc",
            "ftrace_caller",
            "ftrace_regs_caller",
            "function_trace_call",
            "function_stack_trace_call",
            "arch_ftrace_ops_list_func",
            "ftrace_ops_assist_func",
            "ftrace_return_to_handler",
            "trace_graph_return",
            "ring_buffer_lock_reserve",
            "stack_trace_call",
        ] {
            assert!(reason(name.as_bytes(), &[]).is_some(), "{name}");
        }
        assert_eq!(reason(b"sys_chdir", &[]), None);
        assert_eq!(reason(b"tracing_open", &[]), None);
    }

    #[test]
    fn an_instruction_set_adds_its_own() {
        static OWN: [Toxic; 1] = [(b"sys_ch*", "it says so")];
        assert_eq!(reason(b"sys_chdir", &OWN), OWN.first());
        assert_eq!(reason(b"sys_dup", &OWN), None);
    }
}
