//! The vectors, as `engine/isa/vectors` has them: `bytes | text | plan`.

use std::fs;
use std::path::Path;

use engine_isa::Plan as Planned;
use engine_isa::arm;
use fastrand::Rng;

use crate::Error;

/// What the engine does for an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The trap's handler does it.
    Emulate,
    /// A copy of it does.
    Relocate,
    /// It cannot be probed.
    Refuse,
}

/// A vector.
pub struct Vector {
    /// The instruction.
    pub word: u32,
    /// What it is called.
    pub text: String,
    /// What is done for it.
    pub plan: Plan,
}

impl Vector {
    /// A word that differs from this one in a few bits, but not in its condition.
    pub fn neighbour(&self, chance: &mut Rng) -> Self {
        let bits = (0..3).fold(0, |bits, _| bits | 1 << chance.u32(..28));
        let word = self.word ^ bits;
        Self {
            word,
            text: format!("a neighbour of {}", self.text),
            plan: match arm::plan(word) {
                Planned::Emulate(_) => Plan::Emulate,
                Planned::Relocate(_) => Plan::Relocate,
                Planned::Refuse(_) => Plan::Refuse,
            },
        }
    }
}

/// Those in a file.
pub fn read(path: &Path) -> Result<Vec<Vector>, Error> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|why| Error::File {
        name: name.clone(),
        why,
    })?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let vectors = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    let vector = |(line, text): (usize, &str)| {
        parse(text).ok_or_else(|| Error::NoVector {
            name: name.clone(),
            line,
            text: text.to_owned(),
        })
    };
    vectors.map(vector).collect()
}

fn parse(line: &str) -> Option<Vector> {
    let mut columns = line.split('|').map(str::trim);
    let word = u32::from_str_radix(columns.next()?, 16).ok()?;
    let text = columns.next()?.to_owned();
    let plan = match columns.next()?.split(' ').next()? {
        "emulate" => Plan::Emulate,
        "relocate" => Plan::Relocate,
        "refuse" => Plan::Refuse,
        _ => return None,
    };
    Some(Vector { word, text, plan })
}
