//! Functions that no trap may be put in although the kernel's own blacklist does not have them.
//!
//! A trap's way to the engine runs through functions that the kernel's function tracers may be
//! tracing. What such a tracer runs before it guards itself against recursion would trap on the way
//! to every trap. Its guard lets one more call in, as if from an interrupt; so each trap in what writes a
//! record would write several, of which each traps again, and that comes to thousands for each hit.
//!
//! What is ARM's, arm64's or x86-64's alone is named there one by one. What all have is named by families
//! still, which have many functions that no trap ever runs.

use crate::glob::matches;

const CALLS: &str =
    "the kernel's function tracer runs it on the way to every trap, before it guards itself";
const GRAPHS: &str =
    "the kernel's graph tracer runs it on the way to every trap or back, before it guards itself";
const FTRACE: &str = "the kernel's function tracer runs it on the way to every trap";
const WRITES: &str = "the kernel's function tracers run it for each record, and so for several on the way to every trap";
const SLOTS: &str =
    "it is no function: where the function tracer traces, calls and returns come by it";

/// A name, as a glob, and why no trap may be there.
pub type Toxic = (&'static [u8], &'static str);

/// What any instruction set has.
static TOXIC: [Toxic; 32] = [
    (b"*mcount*", FTRACE),
    (b"*fentry*", FTRACE),
    (b"*ftrace*", FTRACE),
    (b"function_*trace_call", FTRACE),
    (b"function_graph_*", FTRACE),
    (b"function_profile_call", FTRACE),
    (b"stack_trace_call", FTRACE),
    (b"*return_to_handler*", FTRACE),
    (b"*trace_graph_*", FTRACE),
    (b"trace_function*", FTRACE),
    (b"trace_buffer_*", FTRACE),
    (b"trace_event_buffer_*", FTRACE),
    (b"trace_clock*", FTRACE),
    (b"*sched_clock*", FTRACE),
    (b"*_sched_read*", FTRACE),
    (b"arch_counter_get_*", FTRACE),
    (b"ring_buffer_*", FTRACE),
    (b"rb_*", FTRACE),
    (b"__rb_*", FTRACE),
    (b"__bpf_prog_enter*", FTRACE),
    (b"__bpf_prog_exit*", FTRACE),
    (b"irqsoff_tracer_call", CALLS),
    (b"wakeup_tracer_call", CALLS),
    (b"func_prolog_dec", CALLS),
    (b"func_prolog_preempt_disable", CALLS),
    (b"irqsoff_graph_*", GRAPHS),
    (b"wakeup_graph_*", GRAPHS),
    // Without a guard yet, it looks a function up in its filters.
    (b"hash_contains_ip", GRAPHS),
    (b"profile_graph_return", GRAPHS),
    (b"profile_graph_entry", GRAPHS),
    (b"tracing_gen_ctx_irq_test", WRITES),
    (b"call_filter_check_discard", WRITES),
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

/// Why no probe may be in the function of this name, if so. The way is `own` to the instruction
/// set in part.
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
    fn what_a_tracer_runs_before_its_guard_is_toxic() {
        for name in [
            "function_trace_call",
            "function_stack_trace_call",
            "ftrace_pid_func",
            "ftrace_return_to_handler",
            "trace_graph_return",
            "stack_trace_call",
            "sched_clock",
        ] {
            assert!(reason(name.as_bytes(), &[]).is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_only_called_alike_is_not() {
        for name in ["sys_chdir", "tracing_open"] {
            assert_eq!(reason(name.as_bytes(), &[]), None, "{name}");
        }
    }

    #[test]
    fn what_a_compiler_puts_behind_a_name_does_not_count() {
        assert!(reason(b"trace_graph_return.part.0", &[]).is_some());
        assert!(reason(b"sched_clock.isra.0", &[]).is_some());
    }

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
    fn an_instruction_set_adds_its_own() {
        static OWN: [Toxic; 1] = [(b"sys_ch*", "it says so")];
        assert_eq!(reason(b"sys_chdir", &OWN), OWN.first());
        assert_eq!(reason(b"sys_dup", &OWN), None);
    }
}
