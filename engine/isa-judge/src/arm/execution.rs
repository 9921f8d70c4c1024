//! Cases by chance without end: executed on each processor, counted by row, and where there is a
//! disagreement tried once more on a processor that has executed nothing before.

use std::collections::BTreeMap;
use std::time::Instant;

use engine_isa::Row;
use engine_isa::arm::{self, ROWS, Version};

use super::case::{self, Page, Verdict};
use super::machine::{Machine, WORDS, pc};
use super::regression::{self, Case};
use super::shrink;
use super::state::State;
use super::words;
use crate::chance::Rng;

/// The processors.
const VERSIONS: [Version; 2] = [Version::V6, Version::V7];
/// How many states a word is executed on, each by every processor.
const STATES: usize = 8;
/// Rows of which some words are accepted that neither processor has, each with the reason.
const NOT_KNOWN: &[(&str, &str)] = &[
    ("ldc p14", REGISTERS),
    ("mcr p14", REGISTERS),
    ("mcr p15", REGISTERS),
    ("mcrr p15", REGISTERS),
    ("mrc p14", REGISTERS),
    ("mrc p15", REGISTERS),
    ("mrrc p14", REGISTERS),
    ("mrrc p15", REGISTERS),
    ("stc p14", REGISTERS),
    ("mrs rd, banked", MODES),
    ("msr banked, rn", MODES),
];
const REGISTERS: &str = "which system registers there are is the processor's affair";
const MODES: &str = "which can be reached depends on the mode, and on extensions of the processor";

/// Why neither processor has some words that the row of this name accepts, if that is known.
pub fn why_not_known(name: &str) -> Option<&'static str> {
    let entry = NOT_KNOWN.iter().find(|(row, _)| *row == name);
    entry.map(|(_, why)| *why)
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Not after this.
    pub until: Option<Instant>,
    /// Not more than this many comparisons.
    pub cases: u64,
    /// Not after this many disagreements: there is nothing more to learn from one run.
    pub disagreements: usize,
}

/// Of so many accepted words of a row, some must have been compared.
const MANY: u64 = 20;
/// After so many cases each row has had some.
const ENOUGH_FOR_ALL: u64 = 1_000_000;

/// What the cases of one row came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Words that were accepted.
    pub words: u64,
    /// Comparisons in which all was the same, or both faulted.
    pub agreed: u64,
    /// Executions of an instruction that the processor does not have.
    pub undefined: u64,
    /// Words that no processor has, and the first of them.
    pub unknown: (u64, u32),
}

/// What all cases came to.
#[derive(Debug)]
pub struct Tally {
    /// By row.
    pub rows: Vec<Count>,
    /// What was not compared, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Disagreements, made small, with what differs.
    pub disagreements: Vec<(Case, String)>,
    /// Disagreements that a processor which had executed nothing before did not confirm: the words,
    /// and what differed.
    pub unconfirmed: Vec<(u32, String)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rows: vec![Count::default(); ROWS.len()],
            skipped: BTreeMap::new(),
            disagreements: Vec::new(),
            unconfirmed: Vec::new(),
        }
    }
}

impl Tally {
    /// How many comparisons there were.
    pub fn compared(&self) -> u64 {
        self.rows.iter().map(|row| row.agreed).sum::<u64>() + self.disagreements.len() as u64
    }

    /// Adds what another thread has found.
    pub fn add(&mut self, other: Self) {
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.words += more.words;
            row.agreed += more.agreed;
            row.undefined += more.undefined;
            row.add_unknown(more.unknown);
        }
        for (why, more) in other.skipped {
            *self.skipped.entry(why).or_default() += more;
        }
        self.disagreements.extend(other.disagreements);
        self.unconfirmed.extend(other.unconfirmed);
    }

    /// Lines about rows with accepted words that no processor has, or none of whose many words was
    /// compared, though that is not known of them.
    pub fn unknown(&self) -> Vec<String> {
        let rows = ROWS.iter().zip(&self.rows);
        let is_judged =
            |count: &Count| count.unknown.0 == 0 && (count.agreed > 0 || count.words < MANY);
        let unknown =
            rows.filter(|(row, count)| !is_judged(count) && why_not_known(row.name).is_none());
        let line = |(row, count): (&Row, &Count)| {
            let (words, first) = count.unknown;
            format!("{}: {words} words, as {first:08x}", row.name)
        };
        unknown.map(line).collect()
    }

    /// The names of rows that accept words of which none was compared, if there were cases enough to
    /// expect some of each.
    pub fn unrepresented(&self) -> Vec<&'static str> {
        if self.compared() < ENOUGH_FOR_ALL {
            return Vec::new();
        }
        let rows = (0..).zip(&self.rows).zip(ROWS);
        let without =
            rows.filter(|((place, count), _)| count.agreed == 0 && words::accepts(*place));
        without.map(|(_, row)| row.name).collect()
    }

    /// Whether there are more disagreements that a new processor does not confirm than Unicorn is
    /// known for, which is one in a million cases.
    pub fn is_unsteady(&self) -> bool {
        self.unconfirmed.len() as u64 > 20 + self.compared() / 50_000
    }
}

impl Count {
    fn add_unknown(&mut self, (words, first): (u64, u32)) {
        if self.unknown.0 == 0 {
            self.unknown.1 = first;
        }
        self.unknown.0 += words;
    }
}

/// Judges every kept case again; what they are that disagree.
pub fn replay() -> Vec<(Case, String)> {
    let judged = regression::kept()
        .into_iter()
        .map(|case| (case.judge(), case));
    judged
        .filter_map(|(verdict, case)| Some((case, told(verdict)?)))
        .collect()
}

fn told(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Disagree(what) => Some(what),
        _ => None,
    }
}

/// Executes cases by chance until the limit.
pub fn run(seed: u64, limit: Limit) -> Tally {
    let mut rng = Rng::with_seed(seed);
    let mut machines = VERSIONS.map(Machine::new);
    let mut tally = Tally::default();
    while !is_over(limit, &tally) {
        let page = Page::by_chance(&mut rng);
        for machine in &mut machines {
            page.load(machine);
        }
        let mut spent = None;
        for place in (0..WORDS).filter(|place| page.is_accepted(*place)) {
            let machines = if case::changes_system(page.words[place]) {
                spent.get_or_insert_with(|| page.fresh())
            } else {
                &mut machines
            };
            judge_word(&page, place, machines, &mut rng, &mut tally);
        }
    }
    tally
}

impl Page {
    /// Processors that have executed nothing, with this page: for instructions that change what
    /// those after them do. They are used for one page only.
    fn fresh(&self) -> [Machine; 2] {
        VERSIONS.map(|version| {
            let mut machine = Machine::new(version);
            self.load(&mut machine);
            machine
        })
    }
}

fn is_over(limit: Limit, tally: &Tally) -> bool {
    tally.compared() >= limit.cases
        || tally.disagreements.len() >= limit.disagreements
        || limit.until.is_some_and(|until| Instant::now() >= until)
}

fn judge_word(
    page: &Page,
    place: usize,
    machines: &mut [Machine; 2],
    rng: &mut Rng,
    tally: &mut Tally,
) {
    let word = page.words[place];
    let row = arm::row(word);
    tally.rows[row].words += 1;
    let undefined = tally.rows[row].undefined;
    for _ in 0..STATES {
        let state = State::by_chance(word, pc(place), rng);
        for machine in &mut *machines {
            match page.judge(machine, place, &state) {
                Verdict::Agree => tally.rows[row].agreed += 1,
                Verdict::Undefined => tally.rows[row].undefined += 1,
                Verdict::Skipped(why) => *tally.skipped.entry(why).or_default() += 1,
                Verdict::Disagree(what) => {
                    disagreed(page, place, machine.version(), &state, what, tally);
                    return;
                }
            }
        }
    }
    let executions = (STATES * VERSIONS.len()) as u64;
    if tally.rows[row].undefined - undefined == executions {
        tally.rows[row].add_unknown((1, word));
    }
}

/// Asks a new processor; what it confirms is made small.
fn disagreed(
    page: &Page,
    place: usize,
    version: Version,
    state: &State,
    what: String,
    tally: &mut Tally,
) {
    let mut fresh = Machine::new(version);
    page.load(&mut fresh);
    if told(page.judge(&mut fresh, place, state)).is_none() {
        tally.unconfirmed.push((page.words[place], what));
        return;
    }
    let case = Case {
        word: page.words[place],
        version,
        place,
        seed: page.seed,
        state: *state,
    };
    if shrink::disagrees(&case) {
        let case = shrink::shrink(case);
        let what = told(case.judge()).unwrap_or(what);
        tally.disagreements.push((case, what));
    } else {
        tally
            .disagreements
            .push((case, format!("beside other words only: {what}")));
    }
}
