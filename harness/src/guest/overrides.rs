//! Overrides for a job that is run again, varied, recorded or debugged.

use std::fmt;
use std::path::PathBuf;

use crate::guest::image::{Clockwork, Image};
use crate::guest::recording::Recording;
use crate::guest::{Guest, Stop};
use crate::report::evidence::Evidence;
use crate::run::variation::Variation;

/// What differs from a plain run; by default nothing does.
#[derive(Debug, Clone, Default)]
pub struct Overrides<'a> {
    /// The evidence folder, instead of the job's own.
    pub folder: Option<PathBuf>,
    /// The variation of the guest.
    pub setting: Variation,
    /// Why the guest must boot instead of being restored.
    pub cold: Option<String>,
    /// The recording to make.
    pub recording: Option<Recording>,
    /// Hook that runs before the tracer is released.
    pub hold: Option<&'a dyn Hold>,
}

impl Overrides<'_> {
    /// Why the guest must boot, or `None`: the first reason that applies.
    pub fn cold_because(&self) -> Option<String> {
        let recorded = self.recording.as_ref().map(|_| "recorded from its start");
        let recorded = recorded.map(str::to_owned);
        self.cold
            .clone()
            .or(recorded)
            .or_else(|| self.setting.cold_because())
    }
}

impl Image {
    /// The image with the overrides applied.
    pub fn with_overrides(mut self, overrides: &Overrides<'_>) -> Self {
        let setting = &overrides.setting;
        self.cpus = setting.cpus.unwrap_or(self.cpus);
        if let Some(size) = setting.memory {
            self.memory = format!("{size}M");
        }
        self.clockwork = Clockwork {
            shift: setting.shift.or(self.clockwork.shift),
            seed: setting.seed,
            recording: overrides.recording.clone(),
        };
        self
    }
}

/// Hook for a guest in which everything is prepared and no command was released.
pub trait Hold: fmt::Debug {
    /// Called once; the job continues when it returns.
    fn before_go(&self, guest: &mut Guest, evidence: &Evidence) -> Result<(), Stop>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_reason_to_boot_is_reported() {
        let mut overrides = Overrides::default();
        assert_eq!(overrides.cold_because(), None);
        overrides.setting.shift = Some(3);
        let why = overrides.cold_because();
        assert_eq!(why.as_deref(), Some("its variation: shift 3"));
        overrides.recording = Some(Recording::Record(PathBuf::from("t")));
        let why = overrides.cold_because();
        assert_eq!(why.as_deref(), Some("recorded from its start"));
        overrides.cold = Some("as before".to_owned());
        assert_eq!(overrides.cold_because().as_deref(), Some("as before"));
    }
}
