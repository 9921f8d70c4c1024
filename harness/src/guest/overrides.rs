//! How a job is run when it is not run as usual: again, with another setting, or under a debugger.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::guest::{Guest, Stop};
use crate::report::evidence::Evidence;
use crate::run::variation::Setting;

/// What is out of the ordinary; by default nothing is.
#[derive(Debug, Clone, Default)]
pub struct Manner<'a> {
    /// Where its evidence goes, if not to the job's own folder.
    pub folder: Option<PathBuf>,
    /// What its guest runs on.
    pub setting: Setting,
    /// Why its guest must boot, if it must.
    pub cold: Option<String>,
    /// The recording that QEMU makes of it.
    pub tape: Option<Tape>,
    /// Who wants to be there before the tracer is told to go.
    pub hold: Option<&'a dyn Hold>,
}

impl Manner<'_> {
    /// Why its guest must boot: the first reason there is.
    pub fn cold_because(&self) -> Option<String> {
        let recorded = self.tape.as_ref().map(|_| "recorded from its start");
        let recorded = recorded.map(str::to_owned);
        self.cold
            .clone()
            .or(recorded)
            .or_else(|| self.setting.cold_because())
    }
}

/// Someone to whom a guest is shown when everything is ready and nothing has been told to go.
pub trait Hold: fmt::Debug {
    /// Returns when it may go on.
    fn before_go(&self, guest: &mut Guest, evidence: &Evidence) -> Result<(), Stop>;
}

/// QEMU's record of everything that came into a guest from outside, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tape {
    /// It is made.
    Record(PathBuf),
    /// It is what the guest is given.
    Replay {
        /// The recording.
        path: PathBuf,
        /// Whether it begins only when a debugger says so.
        is_held: bool,
    },
}

impl Tape {
    /// The shift that a recording has if nothing else is asked for: about as quick as QEMU is.
    pub const SHIFT: u8 = 3;

    /// As `-icount` takes it.
    pub fn option(&self) -> (&'static str, &Path) {
        match self {
            Self::Record(path) => ("record", path),
            Self::Replay { path, .. } => ("replay", path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_boots_for_the_first_reason_there_is() {
        let mut manner = Manner::default();
        assert_eq!(manner.cold_because(), None);
        manner.setting.shift = Some(3);
        let why = manner.cold_because();
        assert_eq!(why.as_deref(), Some("its setting: shift 3"));
        manner.tape = Some(Tape::Record(PathBuf::from("t")));
        let why = manner.cold_because();
        assert_eq!(why.as_deref(), Some("recorded from its start"));
        manner.cold = Some("as before".to_owned());
        assert_eq!(manner.cold_because().as_deref(), Some("as before"));
    }
}
