//! The disassembly check: an independent disassembler decodes a word, and its text is compared with
//! ours.

use std::collections::BTreeMap;
use std::time::Instant;

use capstone::{Capstone, CsResult};

/// A disassembled instruction: `addne` and `r0, r1, #4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The mnemonic, including the condition.
    pub mnemonic: String,
    /// The operands.
    pub operands: String,
    /// The length in bytes.
    pub length: usize,
}

/// What we say about a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Its text.
    Text(String),
    /// The name of its row; the word itself is executed.
    Name(String),
    /// It is undefined.
    Nothing,
    /// It is refused for another reason.
    Refused,
}

/// An instruction set with instructions of type `I`.
pub struct Set<I: 'static> {
    /// Its name.
    pub name: &'static str,
    /// The reference disassembler.
    pub disassembler: fn() -> CsResult<Capstone>,
    /// A random instruction.
    pub any: fn(&mut crate::prng::Rng) -> I,
    /// Its bytes, and any that follow.
    pub bytes: fn(&I) -> Vec<u8>,
    /// Its length by our decoder, if lengths vary.
    pub length: fn(&I) -> Option<usize>,
    /// What we say about an instruction.
    pub said: fn(I) -> Said,
    /// Whether our text and a reading are equivalent.
    pub same_text: fn(I, &str, &Reading) -> bool,
    /// Whether our name and a reading's mnemonic are equivalent, ignoring the condition.
    pub same_name: fn(I, &str, &Reading) -> bool,
    /// Whether a reading is pc-relative, which a relocated instruction must not be.
    pub names_its_place: fn(&Reading) -> bool,
    /// Permitted differences, tried in order: the first that applies explains it.
    pub differences: &'static [Difference<I>],
}

/// A way in which the two may differ without either being wrong.
pub struct Difference<I> {
    /// The reason.
    pub reason: &'static str,
    /// Whether it applies.
    pub explains: fn(I, Option<&Reading>, &Said) -> bool,
}

/// The result of many words.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of words.
    pub words: u64,
    /// Those that agree, or are undefined for both.
    pub same: u64,
    /// Those that are refused; they are not checked further.
    pub refused: u64,
    /// Explained differences, with the first word of each.
    pub explained: BTreeMap<&'static str, (u64, String)>,
    /// Unexplained differences, as lines.
    pub unexplained: Vec<String>,
}

/// The maximum number of unexplained differences: more would not help in one run.
const ENOUGH: usize = 40;

impl Tally {
    /// Adds another thread's results.
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

/// Checks random words up to a number or a deadline.
///
/// # Panics
/// If the disassembler cannot be created.
pub fn run<I: Copy + 'static>(
    set: &Set<I>,
    seed: u64,
    words: u64,
    until: Option<Instant>,
) -> Tally {
    let mut rng = crate::prng::Rng::with_seed(seed);
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

/// The check in progress.
pub struct Judge<'a, I: 'static> {
    set: &'a Set<I>,
    capstone: Capstone,
    /// The result so far.
    pub tally: Tally,
}

impl<'a, I: Copy + 'static> Judge<'a, I> {
    /// A check without results.
    ///
    /// # Panics
    /// If the disassembler cannot be created.
    pub fn new(set: &'a Set<I>) -> Self {
        let capstone = (set.disassembler)().expect("capstone was built with this set");
        Self {
            set,
            capstone,
            tally: Tally::default(),
        }
    }

    /// Checks one word.
    pub fn judge(&mut self, word: I) {
        let reading = self.read(word);
        let said = (self.set.said)(word);
        self.tally.words += 1;
        if said == Said::Refused && self.is_as_long(word, reading.as_ref()) {
            self.tally.refused += 1;
        } else if self.agree(word, reading.as_ref(), &said) {
            self.tally.same += 1;
        } else {
            self.differ(word, reading.as_ref(), &said);
        }
    }

    fn agree(&self, word: I, reading: Option<&Reading>, said: &Said) -> bool {
        let agreed = match (reading, said) {
            (Some(reading), Said::Text(text)) => (self.set.same_text)(word, text, reading),
            (Some(reading), Said::Name(name)) => {
                !(self.set.names_its_place)(reading) && (self.set.same_name)(word, name, reading)
            }
            (None, Said::Nothing) => true,
            _ => false,
        };
        agreed && (*said == Said::Nothing || self.is_as_long(word, reading))
    }

    /// Whether both give the same length to an instruction that both know.
    fn is_as_long(&self, word: I, reading: Option<&Reading>) -> bool {
        let ours = (self.set.length)(&word);
        let pair = ours.zip(reading);
        pair.is_none_or(|(ours, reading)| ours == reading.length)
    }

    fn digits(&self, word: I) -> String {
        let bytes = (self.set.bytes)(&word);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn differ(&mut self, word: I, reading: Option<&Reading>, said: &Said) {
        let found = self
            .set
            .differences
            .iter()
            .find(|known| (known.explains)(word, reading, said));
        if let Some(known) = found {
            let first = (0, self.digits(word));
            let explained = self.tally.explained.entry(known.reason);
            explained.or_insert(first).0 += 1;
        } else {
            let reading = reading.map_or("nothing".to_owned(), |read| {
                format!("{} {} ({})", read.mnemonic, read.operands, read.length)
            });
            let length = (self.set.length)(&word);
            let length = length.map_or_else(String::new, |bytes| format!(" ({bytes})"));
            let digits = self.digits(word);
            self.tally.unexplained.push(format!(
                "{digits}: capstone says {reading}; ours {said:?}{length}"
            ));
        }
    }

    fn read(&self, word: I) -> Option<Reading> {
        let bytes = (self.set.bytes)(&word);
        let found = self.capstone.disasm_count(&bytes, 0, 1).ok()?;
        let one = found.iter().next()?;
        Some(Reading {
            mnemonic: one.mnemonic()?.to_owned(),
            operands: one.op_str().unwrap_or_default().to_owned(),
            length: one.bytes().len(),
        })
    }
}
