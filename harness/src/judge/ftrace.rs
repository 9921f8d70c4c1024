//! The judge of counts: ftrace's function tracer on the same function in the same run.
//!
//! It is armed before the first copy of the kernel's text is taken and stays armed until the guest
//! ends, so that the text it patches is the same in every copy. `tracing_on` opens and closes its
//! window.

use crate::guest::quote::quote;
use crate::guest::{ASK_LIMIT, Guest, Stop};
use crate::judge::verdict::{Failure, Kind};

const TRACEFS: &str = "/sys/kernel/tracing";

/// ftrace's function tracer, armed on one function.
#[derive(Debug)]
pub struct Ftrace;

impl Ftrace {
    /// Arms it on `function`, or on an alias of it that ftrace lists. The inner error is a
    /// [`Kind::Disagreement`].
    pub fn arm(guest: &mut Guest, function: &str) -> Result<Result<Self, Failure>, Stop> {
        let Some(name) = ftrace_name(guest, function)? else {
            let what = format!("ftrace has no function at the address of `{function}`");
            return Ok(Err(Failure::new(Kind::Disagreement, what)));
        };
        let name = quote(&name);
        let arm = format!(
            "cd {TRACEFS} && echo 0 > tracing_on && echo {name} > set_ftrace_filter \
             && echo function > current_tracer && echo > trace"
        );
        if guest.run(&arm, ASK_LIMIT)?.is_good() {
            return Ok(Ok(Self));
        }
        let what = format!("ftrace could not be armed on `{name}`");
        Ok(Err(Failure::new(Kind::Disagreement, what)))
    }

    /// Starts or stops recording, with an agent write that starts no process; the inner error is
    /// the agent's.
    pub fn record(&self, guest: &mut Guest, is_on: bool) -> Result<Result<(), String>, Stop> {
        let path = format!("{TRACEFS}/tracing_on");
        guest.write(&path, if is_on { "1\n" } else { "0\n" })
    }

    /// The number of hits recorded so far, or why it is unknown.
    pub fn count(&self, guest: &mut Guest) -> Result<Result<u64, String>, Stop> {
        let stats = guest.ask(&format!("cat {TRACEFS}/per_cpu/cpu*/stats"))?;
        Ok(hits(&stats).ok_or_else(|| format!("ftrace's statistics have no count: {stats}")))
    }
}

/// The name under which ftrace lists the function: aliases share an address, and only one is
/// listed.
fn ftrace_name(guest: &mut Guest, function: &str) -> Result<Option<String>, Stop> {
    if let Some(name) = known(guest, &[function])? {
        return Ok(Some(name));
    }
    let wanted = quote(&format!(" {function}$"));
    let aliases = guest.ask(&format!(
        "at=$(grep -m1 {wanted} /proc/kallsyms | cut -d' ' -f1); \
         [ -z \"$at\" ] || grep \"^$at \" /proc/kallsyms"
    ))?;
    let names = aliases
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2));
    known(guest, &names.collect::<Vec<_>>())
}

/// The first of `names` that `available_filter_functions` has.
fn known(guest: &mut Guest, names: &[&str]) -> Result<Option<String>, Stop> {
    if names.is_empty() {
        return Ok(None);
    }
    let patterns: Vec<String> = names.iter().map(|n| format!("-e {}", quote(n))).collect();
    let patterns = patterns.join(" ");
    // grep exits with 1 if there is no match, which is no error here.
    let found = guest.ask(&format!(
        "grep -xF -m1 {patterns} {TRACEFS}/available_filter_functions || [ $? -eq 1 ]"
    ))?;
    Ok(found.lines().next().map(str::to_owned))
}

/// Sums entries kept, overwritten and dropped, over all CPUs: each was a hit. `None` if there are
/// none of these fields, or one is no number.
fn hits(stats: &str) -> Option<u64> {
    let counted = ["entries", "overrun", "dropped events"];
    stats
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| counted.contains(&key.trim()))
        .map(|(_, count)| count.trim().parse::<u64>().ok())
        .reduce(|sum, count| Some(sum? + count?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_summed_over_cpus_and_counters() {
        let cpu = "entries: 3\noverrun: 2\ncommit overrun: 9\nbytes: 60\n\
                   oldest event ts:     3.1\nnow ts:     9.5\ndropped events: 1\nread events: 0\n";
        assert_eq!(hits(&cpu.repeat(2)), Some(12));
        assert_eq!(hits("entries: 0\n"), Some(0));
        assert_eq!(hits(""), None);
        assert_eq!(hits("entries: many\noverrun: 2\n"), None);
    }
}
