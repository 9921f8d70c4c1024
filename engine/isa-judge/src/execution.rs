//! Cases by chance without end: executed on each processor, counted by row, and where there is a
//! disagreement tried once more on a processor that has executed nothing before.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::case::{Page, Verdict, address};
use crate::chance::Rng;
use crate::regression::{self, Case};
use crate::set::{Machine, Set};
use crate::shrink;
use crate::state::State;

/// How many states an instruction is executed on, each by every processor.
const STATES: usize = 8;

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
/// So many disagreements about one row are enough.
const OF_ONE_ROW: usize = 2;
/// So many pages with one row's instructions are tried before none of them can be compared.
const PAGES_OF_A_ROW: usize = 64;

/// What the cases of one row came to.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Words that were accepted.
    pub words: u64,
    /// Comparisons in which all was the same, or both faulted.
    pub agreed: u64,
    /// Executions of an instruction that the processor does not have.
    pub undefined: u64,
    /// Words that no processor has, and the first of them.
    pub unknown: (u64, String),
}

/// What all cases came to.
#[derive(Debug)]
pub struct Tally<S: Set> {
    /// By row.
    pub rows: Vec<Count>,
    /// How many comparisons each processor has agreed on.
    pub processors: BTreeMap<&'static str, u64>,
    /// What was not compared, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Disagreements, made small, with what differs.
    pub disagreements: Vec<(Case<S>, String)>,
    /// Disagreements that a processor which had executed nothing before did not confirm: the words,
    /// and what differed.
    pub unconfirmed: Vec<(S::Instruction, String)>,
}

impl<S: Set> Default for Tally<S> {
    fn default() -> Self {
        Self {
            rows: vec![Count::default(); S::rows().len()],
            processors: BTreeMap::new(),
            skipped: BTreeMap::new(),
            disagreements: Vec::new(),
            unconfirmed: Vec::new(),
        }
    }
}

impl<S: Set> Tally<S> {
    /// How many comparisons there were.
    pub fn compared(&self) -> u64 {
        self.rows.iter().map(|row| row.agreed).sum::<u64>() + self.disagreements.len() as u64
    }

    /// The same of a run that did not ask all processors: what those that it asked do not have, another
    /// may.
    #[must_use]
    pub fn of_some(mut self) -> Self {
        for row in &mut self.rows {
            row.unknown = (0, String::new());
        }
        self
    }

    /// Whether there is nothing more to learn of a row.
    fn is_settled(&self, row: usize) -> bool {
        let of_row = |case: &&(Case<S>, String)| S::row(case.0.instruction) == row;
        self.disagreements.iter().filter(of_row).count() >= OF_ONE_ROW
    }

    /// Adds what another thread has found.
    pub fn add(&mut self, other: Self) {
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.words += more.words;
            row.agreed += more.agreed;
            row.undefined += more.undefined;
            row.add_unknown(more.unknown);
        }
        for (processor, more) in other.processors {
            *self.processors.entry(processor).or_default() += more;
        }
        for (why, more) in other.skipped {
            *self.skipped.entry(why).or_default() += more;
        }
        self.disagreements.extend(other.disagreements);
        self.unconfirmed.extend(other.unconfirmed);
    }

    /// Lines about rows with accepted instructions that no processor has, or none of whose many
    /// instructions was compared, though that is not known of them.
    pub fn unknown(&self) -> Vec<String> {
        let rows = S::rows().into_iter().zip(&self.rows);
        let unknown =
            rows.filter(|(name, count)| !count.is_judged() && S::why_not_known(name).is_none());
        let line = |(name, count): (&str, &Count)| {
            let (words, first) = &count.unknown;
            format!("{name}: {words} of {}, as {first}", count.words)
        };
        unknown.map(line).collect()
    }

    /// The rows that accept instructions of which none was compared, though it is not known why.
    pub fn unrepresented(&self) -> Vec<usize> {
        let rows = (0..).zip(&self.rows).zip(S::rows());
        let without = rows.filter(|((place, count), name)| {
            count.agreed == 0 && S::why_none(name).is_none() && S::accepts(*place)
        });
        without.map(|((place, _), _)| place).collect()
    }

    /// How many rows accept instructions of which none is compared on this host, by the reason.
    pub fn excused(&self) -> BTreeMap<&'static str, u64> {
        let rows = (0..).zip(&self.rows).zip(S::rows());
        let mut excused = BTreeMap::new();
        for ((place, count), name) in rows {
            let why = S::why_none(name).filter(|_| count.agreed == 0 && S::accepts(place));
            if let Some(why) = why {
                *excused.entry(why).or_default() += 1;
            }
        }
        excused
    }

    /// Lines about rows that real text has instructions of, of which none was compared; and whether it is
    /// known why.
    pub fn only_in_text(&self) -> Vec<(String, bool)> {
        let rows = (0..).zip(&self.rows).zip(S::rows());
        let found = rows.filter_map(|((place, count), name)| {
            let times = S::in_text(place);
            let is_judged = times == 0 || count.agreed > 0 || !S::accepts(place);
            let why = S::why_none(name);
            let line = format!("{name} ({times} times): {}", why.unwrap_or("nobody knows"));
            (!is_judged).then_some((line, why.is_some()))
        });
        found.collect()
    }

    /// Whether there are more disagreements that a new processor does not confirm than Unicorn is
    /// known for, which is one in a million cases, and a few to begin with.
    pub fn is_unsteady(&self) -> bool {
        self.unconfirmed.len() as u64 > 20 + self.compared() / 1_000_000
    }
}

impl Count {
    fn is_judged(&self) -> bool {
        self.unknown.0 == 0 && (self.agreed > 0 || self.words < MANY)
    }

    fn add_unknown(&mut self, (words, first): (u64, String)) {
        if self.unknown.0 == 0 {
            self.unknown.1 = first;
        }
        self.unknown.0 += words;
    }
}

/// Judges every kept case again; what they are that disagree.
pub fn replay<S: Set>() -> Vec<(Case<S>, String)> {
    let judged = regression::kept::<S>()
        .into_iter()
        .map(|case| (case.judge().disagreement(), case));
    judged
        .filter_map(|(what, case)| Some((case, what?)))
        .collect()
}

/// A processor and its name.
type Named = (&'static str, Box<dyn Machine>);

/// Processors of these names that have executed nothing.
fn machines<S: Set>(names: &[&'static str]) -> Vec<Named> {
    let named = names.iter();
    named.map(|name| (*name, S::machine(name))).collect()
}

/// Executes cases by chance on each of these processors until the limit.
pub fn run<S: Set>(processors: &[&'static str], seed: u64, limit: Limit) -> Tally<S> {
    let mut rng = Rng::with_seed(seed);
    let mut machines = machines::<S>(processors);
    let mut tally = Tally::default();
    while !is_over(limit, &tally) {
        let page = Page::<S>::by_chance(&mut rng);
        judge_page(&page, processors, &mut machines, &mut rng, &mut tally);
    }
    tally
}

/// Executes instructions of each row that chance has left without a comparison, until it has one.
pub fn complete<S: Set>(processors: &[&'static str], seed: u64, tally: &mut Tally<S>) {
    let mut rng = Rng::with_seed(seed);
    let mut machines = machines::<S>(processors);
    for row in tally.unrepresented() {
        for _ in 0..PAGES_OF_A_ROW {
            if tally.rows[row].agreed > 0 {
                break;
            }
            let page = Page::<S>::of_row(row, &mut rng);
            judge_page(&page, processors, &mut machines, &mut rng, tally);
        }
    }
}

fn judge_page<S: Set>(
    page: &Page<S>,
    processors: &[&'static str],
    machines: &mut [Named],
    rng: &mut Rng,
    tally: &mut Tally<S>,
) {
    page.load_each(machines);
    let mut spent = None;
    for place in (0..S::PLACES).filter(|place| page.is_accepted(*place)) {
        if tally.is_settled(S::row(page.instructions[place])) {
            continue;
        }
        let machines = if S::changes_system(page.instructions[place]) {
            spent.get_or_insert_with(|| page.fresh(processors))
        } else {
            &mut *machines
        };
        judge_one(page, place, machines, rng, tally);
    }
}

impl<S: Set> Page<S> {
    fn load_each(&self, machines: &mut [Named]) {
        for (_, machine) in machines {
            self.load(&mut **machine);
        }
    }

    /// Processors that have executed nothing, with this page: for instructions that change what
    /// those after them do. They are used for one page only.
    fn fresh(&self, processors: &[&'static str]) -> Vec<Named> {
        let mut machines = machines::<S>(processors);
        self.load_each(&mut machines);
        machines
    }
}

fn is_over<S: Set>(limit: Limit, tally: &Tally<S>) -> bool {
    tally.compared() >= limit.cases
        || tally.disagreements.len() >= limit.disagreements
        || limit.until.is_some_and(|until| Instant::now() >= until)
}

fn judge_one<S: Set>(
    page: &Page<S>,
    place: usize,
    machines: &mut [Named],
    rng: &mut Rng,
    tally: &mut Tally<S>,
) {
    let instruction = page.instructions[place];
    let row = S::row(instruction);
    tally.rows[row].words += 1;
    let undefined = tally.rows[row].undefined;
    for _ in 0..STATES {
        let state = S::state(instruction, address::<S>(place), rng);
        for (processor, machine) in &mut *machines {
            match page.judge(&mut **machine, processor, place, &state) {
                Verdict::Agree => {
                    tally.rows[row].agreed += 1;
                    *tally.processors.entry(processor).or_default() += 1;
                }
                Verdict::Undefined => tally.rows[row].undefined += 1,
                Verdict::Skipped(why) => *tally.skipped.entry(why).or_default() += 1,
                Verdict::Disagree(what) => {
                    disagreed(page, place, processor, &state, what, tally);
                    return;
                }
            }
        }
    }
    let executions = (STATES * machines.len()) as u64;
    if tally.rows[row].undefined - undefined == executions {
        tally.rows[row].add_unknown((1, S::text(instruction)));
    }
}

/// Asks a new processor; what it confirms is made small.
fn disagreed<S: Set>(
    page: &Page<S>,
    place: usize,
    processor: &'static str,
    state: &State,
    what: String,
    tally: &mut Tally<S>,
) {
    let instruction = page.instructions[place];
    let mut fresh = S::machine(processor);
    page.load(&mut *fresh);
    let again = page.judge(&mut *fresh, processor, place, state);
    if again.disagreement().is_none() {
        tally.unconfirmed.push((instruction, what));
        return;
    }
    let case = Case {
        instruction,
        processor,
        place,
        seed: page.seed,
        state: state.clone(),
    };
    tally.disagreements.push(if shrink::disagrees(&case) {
        let case = shrink::shrink(case);
        let what = case.judge().disagreement().unwrap_or(what);
        (case, what)
    } else {
        (case, format!("beside others only: {what}"))
    });
}
