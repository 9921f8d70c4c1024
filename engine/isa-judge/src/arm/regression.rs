//! Cases on which there once was a disagreement: one line each, which is tried before anything else.

use std::fmt;
use std::str::FromStr;

use engine_isa::arm::Version;

use super::case::{Page, Verdict};
use super::machine::{Machine, WORDS, pc};
use super::state::State;

/// A word, where it stands, and what it is executed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The instruction.
    pub word: u32,
    /// The processor.
    pub version: Version,
    /// Which word of the page it is.
    pub place: usize,
    /// What the data is made of.
    pub seed: u64,
    /// The registers.
    pub state: State,
}

impl Case {
    /// Judges the case on a processor that has executed nothing before.
    pub fn judge(&self) -> Verdict {
        let mut machine = Machine::new(self.version);
        let page = Page::of_one(self.word, self.place, self.seed);
        page.load(&mut machine);
        page.judge(&mut machine, self.place, &self.state)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            word,
            version,
            place,
            seed,
            state,
        } = self;
        let name = name_of(*version);
        write!(
            out,
            "{word:08x} {name} place={place:x} seed={seed:x} {state}"
        )
    }
}

fn name_of(version: Version) -> &'static str {
    match version {
        Version::V6 => "v6",
        Version::V7 => "v7",
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let number = words.next().unwrap_or_default();
        let word =
            u32::from_str_radix(number, 16).map_err(|_| format!("`{number}` is no instruction"))?;
        let version = match words.next() {
            Some("v6") => Version::V6,
            Some("v7") => Version::V7,
            other => return Err(format!("`{}` is no processor", other.unwrap_or_default())),
        };
        let state = State {
            r: [0; 16],
            cpsr: 0,
            d: [0; 32],
            fpscr: 0,
        };
        let mut case = Self {
            word,
            version,
            place: 0,
            seed: 0,
            state,
        };
        for setting in words {
            case.set(setting)
                .ok_or_else(|| format!("`{setting}` says nothing"))?;
        }
        case.state.r[15] = pc(case.place);
        Ok(case)
    }
}

impl Case {
    fn set(&mut self, setting: &str) -> Option<()> {
        let (name, value) = setting.split_once('=')?;
        let value = u64::from_str_radix(value, 16).ok()?;
        let narrow = || u32::try_from(value).ok();
        match name {
            "place" => self.place = usize::try_from(value).ok().filter(|place| *place < WORDS)?,
            "seed" => self.seed = value,
            "cpsr" => self.state.cpsr = narrow()?,
            "fpscr" => self.state.fpscr = narrow()?,
            _ => match (name.strip_prefix('r'), name.strip_prefix('d')) {
                (Some(number), _) => {
                    *self.state.r.get_mut(number.parse::<usize>().ok()?)? = narrow()?
                }
                (_, Some(number)) => *self.state.d.get_mut(number.parse::<usize>().ok()?)? = value,
                _ => return None,
            },
        }
        Some(())
    }
}

/// The kept cases.
///
/// # Panics
/// If a line cannot be read: it is named.
pub fn kept() -> Vec<Case> {
    let text = include_str!("../../regressions/arm.txt");
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(number, line): (usize, &str)| {
        line.parse()
            .unwrap_or_else(|why| panic!("regressions/arm.txt:{number}: {why}"))
    };
    lines.map(read).collect()
}
