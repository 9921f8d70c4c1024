//! The judge of names and operands: what a disassembler of other making reads in a word, beside
//! what we say that it is.

use std::collections::BTreeMap;
use std::time::Instant;

use capstone::{Capstone, CsResult};

/// An instruction as text: `addne` and `r0, r1, #4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it does, its condition included.
    pub mnemonic: String,
    /// To what.
    pub operands: String,
}

/// What we say of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// All of its text.
    Text(String),
    /// The name of its row; the word itself is what will be executed.
    Name(String),
    /// That there is no such instruction.
    Nothing,
    /// That it is not accepted, for a reason other than that.
    Refused,
}

/// What is asked of an instruction set whose instructions are words.
pub struct Set {
    /// What it is called.
    pub name: &'static str,
    /// The other disassembler.
    pub disassembler: fn() -> CsResult<Capstone>,
    /// A word by chance.
    pub any: fn(&mut crate::chance::Rng) -> u32,
    /// What we say of a word.
    pub said: fn(u32) -> Said,
    /// Whether a text of ours and a reading are the same, but for how things are written.
    pub same_text: fn(u32, &str, &Reading) -> bool,
    /// Whether a name of ours and a reading's are the same, but for the condition.
    pub same_name: fn(u32, &str, &Reading) -> bool,
    /// Whether a reading names the place where the instruction stands, which one that is relocated must not.
    pub names_its_place: fn(&Reading) -> bool,
    /// In what else the two may differ: tried in this order, the first that fits explains it.
    pub differences: &'static [Difference],
}

/// A way in which the two may differ without either being wrong.
pub struct Difference {
    /// Why.
    pub reason: &'static str,
    /// Whether this is it.
    pub explains: fn(u32, Option<&Reading>, &Said) -> bool,
}

/// What many words came to.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many words there were.
    pub words: u64,
    /// How many of them were read the same, or are nothing to both.
    pub same: u64,
    /// How many were refused, of which nothing more is said.
    pub refused: u64,
    /// Differences that have an explanation, with the first word of each.
    pub explained: BTreeMap<&'static str, (u64, u32)>,
    /// Those that have none, as lines.
    pub unexplained: Vec<String>,
}

/// After so many there is nothing more to learn from one run.
const ENOUGH: usize = 40;

impl Tally {
    /// Adds what another thread has found.
    pub fn add(&mut self, other: Self) {
        self.words += other.words;
        self.same += other.same;
        self.refused += other.refused;
        for (reason, (more, word)) in other.explained {
            self.explained.entry(reason).or_insert((0, word)).0 += more;
        }
        self.unexplained.extend(other.unexplained);
    }
}

/// Reads words by chance until there were so many, or the time is over.
///
/// # Panics
/// If the disassembler cannot be had.
pub fn run(set: &Set, seed: u64, words: u64, until: Option<Instant>) -> Tally {
    let mut rng = crate::chance::Rng::with_seed(seed);
    let mut judge = Judge::new(set);
    while judge.tally.words < words && judge.tally.unexplained.len() < ENOUGH {
        judge.judge((set.any)(&mut rng));
        let look = judge.tally.words.is_multiple_of(1024);
        if look && until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
    }
    judge.tally
}

/// The other disassembler at work.
pub struct Judge<'a> {
    set: &'a Set,
    capstone: Capstone,
    /// What has been judged so far.
    pub tally: Tally,
}

impl<'a> Judge<'a> {
    /// A judge who has seen nothing.
    ///
    /// # Panics
    /// If the disassembler cannot be had.
    pub fn new(set: &'a Set) -> Self {
        let capstone = (set.disassembler)().expect("capstone was built with this set");
        Self {
            set,
            capstone,
            tally: Tally::default(),
        }
    }

    /// Judges one word.
    pub fn judge(&mut self, word: u32) {
        let reading = self.read(word);
        let said = (self.set.said)(word);
        self.tally.words += 1;
        if said == Said::Refused {
            self.tally.refused += 1;
        } else if self.agree(word, reading.as_ref(), &said) {
            self.tally.same += 1;
        } else {
            self.differ(word, reading.as_ref(), &said);
        }
    }

    fn agree(&self, word: u32, reading: Option<&Reading>, said: &Said) -> bool {
        match (reading, said) {
            (Some(reading), Said::Text(text)) => (self.set.same_text)(word, text, reading),
            (Some(reading), Said::Name(name)) => {
                !(self.set.names_its_place)(reading) && (self.set.same_name)(word, name, reading)
            }
            (None, Said::Nothing) => true,
            _ => false,
        }
    }

    fn differ(&mut self, word: u32, reading: Option<&Reading>, said: &Said) {
        let found = self
            .set
            .differences
            .iter()
            .find(|known| (known.explains)(word, reading, said));
        if let Some(known) = found {
            self.tally
                .explained
                .entry(known.reason)
                .or_insert((0, word))
                .0 += 1;
        } else {
            let reading = reading.map_or("nothing".to_owned(), |read| {
                format!("{} {}", read.mnemonic, read.operands)
            });
            self.tally.unexplained.push(format!(
                "{word:08x}: capstone says {reading}; ours {said:?}"
            ));
        }
    }

    fn read(&self, word: u32) -> Option<Reading> {
        let bytes = word.to_le_bytes();
        let found = self.capstone.disasm_count(&bytes, 0, 1).ok()?;
        let one = found.iter().next()?;
        Some(Reading {
            mnemonic: one.mnemonic()?.to_owned(),
            operands: one.op_str().unwrap_or_default().to_owned(),
        })
    }
}
