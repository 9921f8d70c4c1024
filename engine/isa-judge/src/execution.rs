//! Runs random cases on each processor, counted by row. A disagreement is retried on a processor
//! that has executed nothing before.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::case::{Page, Verdict, address};
use crate::prng::Rng;
use crate::regression::{self, Case};
use crate::set::{Machine, Set};
use crate::shrink;
use crate::state::State;

/// States per instruction, each run on every processor.
const STATES: usize = 8;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The deadline.
    pub until: Option<Instant>,
    /// The maximum number of comparisons.
    pub cases: u64,
    /// The maximum number of disagreements: more would not help in one run.
    pub disagreements: usize,
}

/// Of this many accepted words of a row, some must have been compared.
const MANY: u64 = 20;
/// The maximum number of disagreements about one row.
const OF_ONE_ROW: usize = 2;
/// How many pages with one row's instructions are tried before giving up.
const PAGES_OF_A_ROW: usize = 64;

/// The result of the cases of one row.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Accepted words.
    pub words: u64,
    /// Comparisons that agreed, or in which both faulted.
    pub agreed: u64,
    /// Executions that were undefined on the processor.
    pub undefined: u64,
    /// Words that no processor implements, and the first of them.
    pub unknown: (u64, String),
}

/// The result of all cases.
#[derive(Debug)]
pub struct Tally<S: Set> {
    /// By row.
    pub rows: Vec<Count>,
    /// Agreeing comparisons, by processor.
    pub processors: BTreeMap<&'static str, u64>,
    /// Skipped comparisons, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Disagreements, shrunk, with the difference.
    pub disagreements: Vec<(Case<S>, String)>,
    /// Disagreements that a new processor did not confirm: the words, and the difference.
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
    /// The number of comparisons.
    pub fn compared(&self) -> u64 {
        self.rows.iter().map(|row| row.agreed).sum::<u64>() + self.disagreements.len() as u64
    }

    /// The same for a run on only some processors: what they do not implement, another may.
    #[must_use]
    pub fn of_some(mut self) -> Self {
        for row in &mut self.rows {
            row.unknown = (0, String::new());
        }
        self
    }

    /// Whether a row has enough comparisons.
    fn is_settled(&self, row: usize) -> bool {
        let of_row = |case: &&(Case<S>, String)| S::row(case.0.instruction) == row;
        self.disagreements.iter().filter(of_row).count() >= OF_ONE_ROW
    }

    /// Adds another thread's results.
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

    /// A line for each row with accepted instructions that no processor implements, or with many
    /// instructions of which none was compared, unless the reason is known.
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

    /// Rows with accepted instructions none of which was compared for no known reason.
    pub fn unrepresented(&self) -> Vec<usize> {
        let rows = (0..).zip(&self.rows).zip(S::rows());
        let without = rows.filter(|((place, count), name)| {
            count.agreed == 0 && S::why_none(name).is_none() && S::accepts(*place)
        });
        without.map(|((place, _), _)| place).collect()
    }

    /// The number of rows of which nothing is compared on this host, by reason.
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

    /// A line for each row that occurs in real text but of which nothing was compared; and whether
    /// the reason is known.
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

    /// Whether more disagreements are unconfirmed than Unicorn's known rate of one in a million
    /// cases, plus a few.
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

/// Runs every regression case; returns those that disagree.
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

/// New processors with these names.
fn machines<S: Set>(names: &[&'static str]) -> Vec<Named> {
    let named = names.iter();
    named.map(|name| (*name, S::machine(name))).collect()
}

/// Runs random cases on these processors until the limit.
pub fn run<S: Set>(processors: &[&'static str], seed: u64, limit: Limit) -> Tally<S> {
    let mut rng = Rng::with_seed(seed);
    let mut machines = machines::<S>(processors);
    let mut tally = Tally::default();
    while !is_over(limit, &tally) {
        let page = Page::<S>::random(&mut rng);
        judge_page(&page, processors, &mut machines, &mut rng, &mut tally);
    }
    tally
}

/// Runs instructions of each row without a comparison until it has one.
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

    /// New processors loaded with this page, for instructions that affect later ones. They are used
    /// for one page only.
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

/// Retries on a new processor; what it confirms is shrunk.
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
