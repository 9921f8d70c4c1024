//! Rules that the keys of a scenario must keep together.

use super::scale::Extent;
use super::symptom::Stated;
use super::{Module, Scenario, Stop};

/// A rule about a scenario's keys: whether it is broken, the key to point to, and what is wrong.
type Rule = (bool, &'static str, &'static str);

/// The key and the message of the first rule that a scenario breaks.
pub fn broken(scenario: &Scenario, text: &str) -> Option<(&'static str, &'static str)> {
    let mut rules = of_guests(scenario)
        .into_iter()
        .chain(of_the_run(scenario, text));
    let (_, key, what) = rules.find(|(is_broken, ..)| *is_broken)?;
    Some((key, what))
}

fn of_guests(s: &Scenario) -> [Rule; 5] {
    [
        (
            s.in_turns && s.module == Module::SelfTest,
            "in-turns",
            "with the module `self-test` the plain run is the control of the mutants; drop `in-turns`",
        ),
        (
            s.guests.is_some() && !s.needs.is_empty(),
            "needs",
            "`needs` and `guests` exclude each other; keep the one that states the reason",
        ),
        (
            s.guests.is_some() && s.why.is_none(),
            "guests",
            "`guests` without `why`; state why the other guests are excluded",
        ),
        (
            s.guests.is_none() && s.why.is_some(),
            "why",
            "`why` without `guests`; it states why the other guests are excluded",
        ),
        (
            s.guests.as_ref().is_some_and(Vec::is_empty),
            "guests",
            "an empty `guests` runs nowhere; name one or leave it out",
        ),
    ]
}

fn of_the_run(s: &Scenario, text: &str) -> [Rule; 9] {
    let expect = &s.expect;
    let others = expect.agrees_with.as_ref();
    let others = others.map(|other| (other.ftrace.is_some(), other.execution.is_some()));
    [
        (
            expect.events.is_some() && expect.events_at_least.is_some(),
            "events-at-least",
            "`events` and `events-at-least` exclude each other",
        ),
        (
            others == Some((false, false)),
            "agrees-with",
            "`agrees-with` names no tracer; add `ftrace` or `execution`",
        ),
        (
            others.is_some_and(|(_, execution)| execution) && s.workload.is_none(),
            "execution",
            "`execution` without a `workload`, during which QEMU logs",
        ),
        (
            s.scale.is_some() && !text.contains("${scale}"),
            "scale",
            "`scale` without a `${scale}`",
        ),
        (
            s.scale
                .is_some_and(|s| !(1..s.at(Extent::Full)).contains(&s.at(Extent::Change))),
            "scale",
            "`change` must be less than `full`, and more than 0",
        ),
        (
            s.workload.is_none() && expect.workload_status.is_some(),
            "workload-status",
            "`workload-status` without a `workload`",
        ),
        (
            s.workload.is_none() && s.stop != Stop::Exits,
            "trace",
            "without a `workload` nothing ends the run; add `stop: exits`",
        ),
        (
            s.workload.is_some() && is_quiet(&s.trace),
            "trace",
            "with `-q` the tracer does not report that its probes are enabled, which the `workload` waits for; remove one of them",
        ),
        (
            s.mutants.values().any(Stated::is_vague),
            "mutants",
            "`says` is empty and matches every failure of that kind; state what the mutant prints",
        ),
    ]
}

/// Whether the tracer has the option `-q`, alone or combined with others.
fn is_quiet(trace: &str) -> bool {
    let options = trace
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('-'));
    options
        .filter(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()))
        .any(|letters| letters.contains('q'))
}
