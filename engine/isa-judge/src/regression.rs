//! Regression cases: past disagreements, one to a line, tried before anything else.

use std::fmt;
use std::str::FromStr;

use crate::case::{Page, Verdict, address};
use crate::set::Set;
use crate::state::State;

/// An instruction, its place, and the state that it runs on.
#[derive(Clone, Debug, PartialEq)]
pub struct Case<S: Set> {
    /// The instruction.
    pub instruction: S::Instruction,
    /// The processor.
    pub processor: &'static str,
    /// Its place on the page.
    pub place: usize,
    /// The seed of the data.
    pub seed: u64,
    /// The registers.
    pub state: State,
}

impl<S: Set> Case<S> {
    /// Checks the case on a new processor.
    pub fn judge(&self) -> Verdict {
        let mut machine = S::machine(self.processor);
        let page = Page::<S>::of_one(self.instruction, self.place, self.seed);
        page.load(&mut *machine);
        page.judge(&mut *machine, self.processor, self.place, &self.state)
    }
}

impl<S: Set> fmt::Display for Case<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction = S::text(self.instruction);
        let Self {
            processor,
            place,
            seed,
            state,
            ..
        } = self;
        write!(
            out,
            "{instruction} {processor} place={place:x} seed={seed:x} {state}"
        )
    }
}

impl<S: Set> FromStr for Case<S> {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let digits = words.next().unwrap_or_default();
        let instruction = S::read(digits).ok_or_else(|| format!("`{digits}` is no instruction"))?;
        let name = words.next().unwrap_or_default();
        let mut known = S::PROCESSORS.iter().chain(S::MORE_PROCESSORS);
        let processor = known.find(|known| **known == name);
        let processor = processor.ok_or_else(|| format!("`{name}` is no processor"))?;
        let mut case = Self {
            instruction,
            processor,
            place: 0,
            seed: 0,
            state: State::zero(S::names()),
        };
        for setting in words {
            case.set(setting)
                .ok_or_else(|| format!("`{setting}` says nothing"))?;
        }
        case.state[S::PC] = address::<S>(case.place);
        Ok(case)
    }
}

impl<S: Set> Case<S> {
    fn set(&mut self, setting: &str) -> Option<()> {
        let (name, value) = setting.split_once('=')?;
        let value = u64::from_str_radix(value, 16).ok()?;
        match name {
            "place" => {
                let place = usize::try_from(value).ok();
                self.place = place.filter(|place| *place < S::PLACES)?;
            }
            "seed" => self.seed = value,
            name => self.state.set(name, value)?,
        }
        Some(())
    }
}

/// The regression cases.
///
/// # Panics
/// If a line cannot be parsed; the message names it.
pub fn kept<S: Set>() -> Vec<Case<S>> {
    let lines = (1..)
        .zip(S::KEPT.lines())
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(number, line): (usize, &str)| {
        line.parse()
            .unwrap_or_else(|why| panic!("regressions/{}.txt:{number}: {why}", S::NAME))
    };
    lines.map(read).collect()
}
