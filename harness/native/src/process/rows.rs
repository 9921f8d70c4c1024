//! Which rows of the set's table have a vector that was executed.

use std::fmt;

use engine_isa::Row;

use crate::cases::REFUSED;

/// Why a row without a vector is not run.
const NONE: &str = "it has no vector";

/// What became of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was not run, for this reason.
    NotRun(&'static str),
    /// Each run ended by a fault.
    Faulted,
    /// It had its effect.
    Executed,
}

impl Fate {
    /// How much this says of a row.
    fn rank(self) -> u8 {
        match self {
            Self::NotRun(NONE) => 0,
            Self::NotRun(REFUSED) => 1,
            Self::NotRun(_) => 2,
            Self::Faulted => 3,
            Self::Executed => 4,
        }
    }
}

/// The most that became of each row's vectors.
pub struct Rows {
    rows: Vec<(&'static Row, Fate)>,
}

impl Rows {
    /// None of these has a vector yet.
    pub fn of(rows: &'static [Row]) -> Self {
        let rows = rows.iter().map(|row| (row, Fate::NotRun(NONE)));
        Self {
            rows: rows.collect(),
        }
    }

    /// Notes what became of a vector of this row.
    pub fn note(&mut self, row: usize, fate: Fate) {
        if let Some((_, most)) = self.rows.get_mut(row)
            && fate.rank() > most.rank()
        {
            *most = fate;
        }
    }
}

/// How many were executed and how many are refused altogether, and a line for each of the others.
impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |fate| self.rows.iter().filter(move |(_, most)| *most == fate);
        if self.rows.is_empty() {
            return Ok(());
        }
        for (row, fate) in &self.rows {
            let Row { name, section, .. } = row;
            match fate {
                Fate::NotRun(REFUSED) | Fate::Executed => {}
                Fate::NotRun(why) => writeln!(f, "row not run, {why}: {name} ({section})")?,
                Fate::Faulted => writeln!(f, "row always faults: {name} ({section})")?,
            }
        }
        writeln!(f, "rows executed: {}", with(Fate::Executed).count())?;
        writeln!(f, "rows refused: {}", with(Fate::NotRun(REFUSED)).count())
    }
}
