//! The judge of instructions: QEMU's log of what two runs of a program executed, one of them traced.
//!
//! The log has a line for each instruction, in order. A trap is executed at the address of the
//! instruction that it displaced, so a traced instruction has a line for each time that control
//! came to it, whatever the tracer did then. Both runs have the same addresses, the traced one
//! comes second, and each ends with the system call that exits, which is nowhere executed before.
//!
//! An instruction that faults, and an x86 instruction that repeats, are logged more than once when
//! they are not traced. So control flow is compared without immediate repetitions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::guest::quote::quote;
use crate::guest::{Guest, Stop};
use crate::report::evidence::Evidence;

/// How many differences are shown.
const SHOWN: usize = 10;

/// The hits of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The instruction's address.
    pub address: u64,
    /// The probe's names.
    pub probe: String,
    /// The hits.
    pub hits: u64,
}

/// Parses the tracer's lines that are `0xADDRESS NAMES... HITS`; it prints others.
pub fn told(text: &str) -> Result<Vec<Told>, String> {
    let lines = text.lines().filter(|line| line.starts_with("0x"));
    lines
        .map(|line| told_in(line).ok_or_else(|| format!("no address, names and hits: {line}")))
        .collect()
}

fn told_in(line: &str) -> Option<Told> {
    let (address, rest) = line.strip_prefix("0x")?.split_once(' ')?;
    let (probe, hits) = rest.trim().rsplit_once(' ')?;
    Some(Told {
        address: u64::from_str_radix(address, 16).ok()?,
        probe: probe.trim().to_owned(),
        hits: hits.parse().ok()?,
    })
}

/// The addresses that two runs executed, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Execution {
    /// Of the run that was not traced.
    pub plain: Vec<u64>,
    /// Of the run that was.
    pub traced: Vec<u64>,
}

impl Execution {
    /// Reads QEMU's log. The error says why it has no two runs.
    pub fn read(log: impl BufRead) -> Result<Self, String> {
        let mut plain = Vec::new();
        for line in log.split(b'\n') {
            let line = line.map_err(|error| format!("QEMU's log: {error}"))?;
            match entry(&String::from_utf8_lossy(&line)) {
                Some(Entry::Entered(address)) => plain.push(address),
                // An interrupt came first, so the instruction is logged again.
                Some(Entry::Stopped(address)) => {
                    plain.pop_if(|last| *last == address);
                }
                None => {}
            }
        }
        let last = plain.last().copied().ok_or("QEMU's log is empty")?;
        let mut ends = plain.iter().enumerate().filter(|(_, it)| **it == last);
        let first = ends.next().map_or(0, |(index, _)| index + 1);
        let ends = ends.count() + 1;
        if ends != 2 {
            return Err(format!(
                "QEMU's log has {ends} runs instead of two: so often it has {last:#x}, its last instruction"
            ));
        }
        let traced = plain.split_off(first);
        Ok(Self { plain, traced })
    }
}

enum Entry {
    Entered(u64),
    Stopped(u64),
}

/// Parses `Trace 0: HOST [CS_BASE/PC/FLAGS/CFLAGS] NAME` and `Stopped execution of TB chain before
/// HOST [PC] NAME`.
fn entry(line: &str) -> Option<Entry> {
    let (before, rest) = line.split_once('[')?;
    let (fields, _) = rest.split_once(']')?;
    let number = |field| u64::from_str_radix(field, 16).ok();
    if before.starts_with("Trace ") {
        return number(fields.split('/').nth(1)?).map(Entry::Entered);
    }
    let is_stop = before.starts_with("Stopped execution");
    is_stop.then(|| number(fields).map(Entry::Stopped))?
}

/// Compares QEMU's log with the file `counts` in the guest, and leaves the result in the evidence.
/// The inner error says why they cannot be compared.
pub fn judge(
    guest: &mut Guest,
    counts: &str,
    evidence: &Evidence,
) -> Result<Result<Compared, String>, Stop> {
    let counts = guest.ask(&format!("cat {}", quote(counts)))?;
    let compared = of_files(&counts, &evidence.execution_log());
    let text = match &compared {
        Ok(compared) => format!(
            "{}\n{}\n",
            compared.summary,
            compared.differences.join("\n")
        ),
        Err(why) => format!("{why}\n"),
    };
    evidence.write("execution.txt", &text)?;
    Ok(compared)
}

fn of_files(counts: &str, log: &Path) -> Result<Compared, String> {
    let told = told(counts)?;
    let file = File::open(log).map_err(|error| format!("QEMU's log: {error}"))?;
    Ok(compare(&told, &Execution::read(BufReader::new(file))?))
}

/// Log and tracer side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// What was compared, in one line.
    pub summary: String,
    /// In what the two disagree; empty if in nothing.
    pub differences: Vec<String>,
}

impl Compared {
    /// The differences that a report shows.
    pub fn detail(&self) -> String {
        let mut text = String::new();
        for difference in self.differences.iter().take(SHOWN) {
            text.push_str(difference);
            text.push('\n');
        }
        let more = self.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            // Writing to a string does not fail.
            let _ = writeln!(text, "and {more} more");
        }
        text
    }
}

/// Compares the hits of each probe with the log of the traced run, and that with the plain one.
pub fn compare(told: &[Told], execution: &Execution) -> Compared {
    let executed = tally(&execution.traced);
    let mut differences: Vec<String> = told
        .iter()
        .filter_map(|probe| hits_differ(probe, &executed))
        .collect();
    let probed: BTreeMap<u64, u64> = told.iter().map(|it| (it.address, it.hits)).collect();
    let [plain, traced] =
        [&execution.plain, &execution.traced].map(|run| flow(run, |it| probed.contains_key(it)));
    differences.extend(flow_differs(&plain, &traced));
    if probed.is_empty() {
        differences.push("the tracer reported no hit".to_owned());
    }
    let hits: u64 = probed.values().sum();
    let natively = natively(&probed, &executed);
    Compared {
        summary: format!(
            "{} probes at {} instructions, {hits} hits; {} instructions between them were executed \
             without a probe, {} times; {} and {} lines of QEMU's log",
            told.len(),
            probed.len(),
            natively.len(),
            natively.iter().map(|(_, times)| **times).sum::<u64>(),
            execution.plain.len(),
            execution.traced.len(),
        ),
        differences,
    }
}

fn tally(run: &[u64]) -> BTreeMap<u64, u64> {
    let mut times = BTreeMap::new();
    for address in run {
        *times.entry(*address).or_default() += 1;
    }
    times
}

fn hits_differ(probe: &Told, executed: &BTreeMap<u64, u64>) -> Option<String> {
    let Told {
        address,
        probe,
        hits,
    } = probe;
    let times = executed.get(address).copied().unwrap_or_default();
    (times != *hits).then(|| {
        format!(
            "{address:#x} {probe}: the tracer told of {hits} hits, QEMU executed it {times} times"
        )
    })
}

/// What was executed, among the probed instructions, though no probe was hit there.
fn natively<'a>(
    probed: &BTreeMap<u64, u64>,
    executed: &'a BTreeMap<u64, u64>,
) -> Vec<(&'a u64, &'a u64)> {
    let (Some((first, _)), Some((last, _))) = (probed.first_key_value(), probed.last_key_value())
    else {
        return Vec::new();
    };
    let between = executed.range(first..=last);
    between.filter(|(it, _)| !probed.contains_key(it)).collect()
}

/// The instructions that `is_of_interest`, each once where it is executed again at once.
fn flow(run: &[u64], is_of_interest: impl Fn(&u64) -> bool) -> Vec<u64> {
    let mut flow: Vec<u64> = run
        .iter()
        .copied()
        .filter(|it| is_of_interest(it))
        .collect();
    flow.dedup();
    flow
}

fn flow_differs(plain: &[u64], traced: &[u64]) -> Option<String> {
    let same = plain.iter().zip(traced).take_while(|(a, b)| a == b).count();
    let at = |run: &[u64]| match run.get(same) {
        Some(address) => format!("at {address:#x}"),
        None => "at its end".to_owned(),
    };
    let is_over = same == plain.len() && same == traced.len();
    (!is_over).then(|| {
        let after = match same.checked_sub(1).and_then(|last| plain.get(last)) {
            Some(address) => format!("after {address:#x}"),
            None => "at the start".to_owned(),
        };
        format!(
            "control flow differs {after}, {same} instructions in: the plain run is {}, the traced one {}",
            at(plain),
            at(traced)
        )
    })
}

#[cfg(test)]
mod tests;
