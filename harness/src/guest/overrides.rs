//! How a job is run when it is not run as usual: again, with another setting, or under a debugger.

use std::fmt;
use std::path::PathBuf;

use crate::guest::image::{Clockwork, Image};
use crate::guest::tape::Tape;
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

impl Image {
    /// The same as a job is to be run.
    pub fn in_manner(mut self, manner: &Manner<'_>) -> Self {
        let setting = &manner.setting;
        self.cpus = setting.cpus.unwrap_or(self.cpus);
        if let Some(size) = setting.memory {
            self.memory = format!("{size}M");
        }
        self.clockwork = Clockwork {
            shift: setting.shift.or(self.clockwork.shift),
            seed: setting.seed,
            tape: manner.tape.clone(),
        };
        self
    }
}

/// Someone to whom a guest is shown when everything is ready and nothing has been told to go.
pub trait Hold: fmt::Debug {
    /// Returns when it may go on.
    fn before_go(&self, guest: &mut Guest, evidence: &Evidence) -> Result<(), Stop>;
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
