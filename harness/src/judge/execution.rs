//! The judge of instructions: QEMU's record of what two runs of a program executed, one of them traced.
//!
//! The record has an entry for each instruction, in order. A trap is executed at the address of the
//! instruction that it displaced, so a traced instruction has an entry for each time that control
//! came to it, whatever the tracer did then. Both runs have the same addresses, the traced one
//! comes second, and each ends with the system call that exits, which is nowhere executed before.
//!
//! An instruction that faults, and an x86 instruction that repeats, are recorded more than once when
//! they are not traced. So control flow is compared without immediate repetitions. A loop around
//! an exclusive store of ARM's is compared as one round, since that store may fail at any time.
//!
//! An instruction in an IT block of Thumb code is recorded whether its condition holds or not, but
//! QEMU takes a trap there only if it does. So such an instruction may have fewer hits, and where a
//! block's arms are both hit, their hits make up what was executed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::guest::execution_log::{Arm, Executed, ExecutionLog};
use crate::guest::quote::quote;
use crate::guest::{Guest, Stop};
use crate::report::evidence::Evidence;

/// How many differences are shown.
const SHOWN: usize = 10;

/// How far from an exclusive store, in bytes, its loop may reach.
const RETRY_REACH: u32 = 64;

/// How many more rounds such loops may have in one run than in the other. A store fails if the thread was
/// interrupted since its load.
const RETRIES: u64 = 16;

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

/// What two runs executed, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Execution {
    executed: Executed,
    /// Where the traced run begins.
    second: usize,
}

impl Execution {
    /// Finds the two runs. The error says why there are none.
    ///
    /// Each ends with the system call that ends the process. Where all system calls share one
    /// instruction, as in armhf's libc, both runs execute it equally often.
    pub fn of(executed: Executed) -> Result<Self, String> {
        let run = &executed.offsets;
        let last = *run.last().ok_or("QEMU's record is empty")?;
        let places = run.iter().enumerate().filter(|(_, it)| **it == last);
        let ends: Vec<usize> = places.map(|(index, _)| index + 1).collect();
        if !ends.len().is_multiple_of(2) {
            let (count, last) = (ends.len(), executed.start + u64::from(last));
            return Err(format!(
                "QEMU's record is not of two runs: {count} times it has {last:#x}, its last instruction"
            ));
        }
        let second = ends[ends.len() / 2 - 1];
        Ok(Self { executed, second })
    }

    /// The run that was not traced.
    pub fn plain(&self) -> &[u32] {
        &self.executed.offsets[..self.second]
    }

    /// The run that was.
    pub fn traced(&self) -> &[u32] {
        &self.executed.offsets[self.second..]
    }

    fn address(&self, offset: u32) -> u64 {
        self.executed.start + u64::from(offset)
    }

    /// The place of an address in a [`Tally`]; `None` if it is not recorded.
    fn offset(&self, address: u64) -> Option<u32> {
        address.checked_sub(self.executed.start)?.try_into().ok()
    }
}

/// A number for each instruction, by its offset.
#[derive(Debug, Default)]
struct Tally(Vec<u64>);

impl Tally {
    fn of(offsets: impl IntoIterator<Item = u32>) -> Self {
        let mut tally = Self::default();
        for offset in offsets {
            let place = offset as usize;
            if tally.0.len() <= place {
                tally.0.resize(place + 1, 0);
            }
            tally.0[place] += 1;
        }
        tally
    }

    fn times(&self, offset: u32) -> u64 {
        self.0.get(offset as usize).copied().unwrap_or_default()
    }
}

/// Compares QEMU's record with the file `counts` in the guest, and leaves the result in the
/// evidence. The inner error says why they cannot be compared.
pub fn judge(
    guest: &mut Guest,
    counts: &str,
    log: &ExecutionLog,
    evidence: &Evidence,
) -> Result<Result<Compared, String>, Stop> {
    let counts = guest.ask(&format!("cat {}", quote(counts)))?;
    let compared = log.read()?.and_then(Execution::of);
    let compared = compared.and_then(|execution| Ok(compare(&told(&counts)?, &execution)));
    let text = match &compared {
        Ok(compared) => format!(
            "{}\n{}\n",
            compared.summary,
            compared.differences.join("\n")
        ),
        Err(why) => format!("{why}\n"),
    };
    evidence.write("counts.txt", &counts)?;
    evidence.write("execution.txt", &text)?;
    Ok(compared)
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

/// Compares the hits of each probe with the record of the traced run, and that with the plain one.
pub fn compare(told: &[Told], execution: &Execution) -> Compared {
    let executed = Tally::of(execution.traced().iter().copied());
    let blocks = &execution.executed.blocks;
    let conditional: BTreeSet<u32> = blocks.iter().flatten().map(|(offset, _)| *offset).collect();
    let mut differences: Vec<String> = told
        .iter()
        .filter_map(|probe| hits_differ(probe, execution, &executed, &conditional))
        .collect();
    let hits: BTreeMap<u64, u64> = told.iter().map(|it| (it.address, it.hits)).collect();
    let arms = blocks
        .iter()
        .filter_map(|block| arms_differ(block, &hits, execution, &executed));
    differences.extend(arms);
    let probed = hits.keys().filter_map(|it| execution.offset(*it));
    let probed = Tally::of(probed);
    differences.extend(flow_differs(execution, &probed));
    if hits.is_empty() {
        differences.push("the tracer reported no hit".to_owned());
    }
    let plain = Tally::of(execution.plain().iter().copied());
    let natively = natively(&probed, &plain);
    let offsets = hits.keys().filter_map(|it| execution.offset(*it));
    let in_blocks = match offsets.filter(|it| conditional.contains(it)).count() {
        0 => String::new(),
        count => format!(" ({count} in IT blocks)"),
    };
    Compared {
        summary: format!(
            "{} probes at {} instructions{in_blocks}, {} hits; {} instructions between them had no hit, and \
             were executed {} times in the plain run; {} and {} entries of QEMU's record",
            told.len(),
            hits.len(),
            hits.values().sum::<u64>(),
            natively.len(),
            natively.iter().sum::<u64>(),
            execution.plain().len(),
            execution.traced().len(),
        ),
        differences,
    }
}

fn hits_differ(
    probe: &Told,
    execution: &Execution,
    executed: &Tally,
    conditional: &BTreeSet<u32>,
) -> Option<String> {
    let Told {
        address,
        probe,
        hits,
    } = probe;
    let offset = execution.offset(*address);
    let times = offset.map_or(0, |it| executed.times(it));
    let may_be_passed_over = offset.is_some_and(|it| conditional.contains(&it));
    let is_right = *hits == times || may_be_passed_over && *hits < times;
    (!is_right).then(|| {
        format!(
            "{address:#x} {probe}: the tracer told of {hits} hits, QEMU executed it {times} times"
        )
    })
}

/// Compares the hits in both arms of a block with each other, by its first instructions that were
/// hit. What is behind an instruction that sets the flags may go otherwise.
fn arms_differ(
    block: &[(u32, Arm)],
    hits: &BTreeMap<u64, u64>,
    execution: &Execution,
    executed: &Tally,
) -> Option<String> {
    let first = |arm| {
        let mut offsets = block.iter().filter(|it| it.1 == arm).map(|it| it.0);
        offsets.find_map(|it| Some((it, *hits.get(&execution.address(it))?)))
    };
    let (then, otherwise) = (first(Arm::Then)?, first(Arm::Else)?);
    let times = executed.times(block[0].0);
    (then.1 + otherwise.1 != times).then(|| {
        let [holds, fails] = [then.0, otherwise.0].map(|it| execution.address(it));
        format!(
            "{holds:#x} and {fails:#x} are the arms of an IT block: the tracer told of {} and {} hits, \
             QEMU executed it {times} times",
            then.1, otherwise.1
        )
    })
}

/// How often each instruction was executed that is among the probed ones, but was not hit. To be
/// asked of the plain run: the traced one executes slots too, which may be among them.
fn natively(probed: &Tally, executed: &Tally) -> Vec<u64> {
    let pairs = probed.0.iter().zip(&executed.0);
    let from_first = pairs.skip_while(|(probed, _)| **probed == 0);
    let natively = from_first.filter(|(probed, times)| **probed == 0 && **times > 0);
    natively.map(|(_, times)| *times).collect()
}

/// A run's instructions that are probed, in order, each once where it is executed again at once.
#[derive(Default)]
struct Flow {
    /// Of a loop around an exclusive store only one round.
    offsets: Vec<u32>,
    /// How many rounds that leaves out.
    rounds: u64,
}

impl Flow {
    fn of(run: &[u32], probed: &Tally, exclusives: &BTreeSet<u32>) -> Self {
        let mut flow = Self::default();
        // The last exclusive store, and the length of the flow up to it, until its loop is left.
        let mut store: Option<(u32, usize)> = None;
        for &offset in run {
            let (is_probed, is_store) = (probed.times(offset) > 0, exclusives.contains(&offset));
            if !is_probed && !is_store {
                continue;
            }
            store = store.filter(|(store, _)| offset.abs_diff(*store) <= RETRY_REACH);
            if is_probed && flow.offsets.last() != Some(&offset) {
                flow.offsets.push(offset);
            }
            if is_store {
                if let Some((_, length)) = store.filter(|(store, _)| offset == *store) {
                    flow.offsets.truncate(length);
                    flow.rounds += 1;
                }
                store = Some((offset, flow.offsets.len()));
            }
        }
        flow
    }
}

fn flow_differs(execution: &Execution, probed: &Tally) -> Option<String> {
    let flow = |run| Flow::of(run, probed, &execution.executed.exclusives);
    let (plain, traced) = (flow(execution.plain()), flow(execution.traced()));
    if plain.rounds.abs_diff(traced.rounds) > RETRIES {
        return Some(format!(
            "loops around exclusive stores were repeated {} times in the plain run, {} times in the traced one",
            plain.rounds, traced.rounds
        ));
    }
    let (mut plain, mut traced) = (plain.offsets.into_iter(), traced.offsets.into_iter());
    let mut same = 0_u64;
    let mut before = None;
    let [plain, traced] = loop {
        match (plain.next(), traced.next()) {
            (None, None) => return None,
            (left, right) if left == right => {
                same += 1;
                before = left;
            }
            (left, right) => break [left, right],
        }
    };
    let at = |place: Option<u32>| match place {
        Some(offset) => format!("at {:#x}", execution.address(offset)),
        None => "at its end".to_owned(),
    };
    let after = match before {
        Some(offset) => format!("after {:#x}", execution.address(offset)),
        None => "at the start".to_owned(),
    };
    Some(format!(
        "control flow differs {after}, {same} instructions in: the plain run is {}, the traced one {}",
        at(plain),
        at(traced)
    ))
}

#[cfg(test)]
mod tests;
