//! Variations of a guest: number of CPUs, memory size, instruction-counting clock, seed. Pure.
//!
//! They shift timing, which is what a rare failure depends on. A job file records the variation of
//! its job.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The variation of a job; by default there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Number of CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u8>,
    /// Memory size in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u32>,
    /// Virtual clock: each instruction takes 2^N ns (`-icount shift=N`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<u8>,
    /// Seed of QEMU's and the guest's random numbers (`-seed N`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Variation {
    /// Whether nothing varies.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Why a guest with this variation cannot be restored from a saved one, if so.
    pub fn cold_because(&self) -> Option<String> {
        (!self.is_usual()).then(|| format!("its variation: {self}"))
    }
}

/// Shown as `2 CPUs, 256 MiB, shift 3, seed 7`.
impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus = self.cpus.map(|count| match count {
            1 => "1 CPU".to_owned(),
            many => format!("{many} CPUs"),
        });
        let memory = self.memory.map(|size| format!("{size} MiB"));
        let shift = self.shift.map(|shift| format!("shift {shift}"));
        let seed = self.seed.map(|seed| format!("seed {seed}"));
        let parts: Vec<_> = [cpus, memory, shift, seed].into_iter().flatten().collect();
        match parts.as_slice() {
            [] => f.write_str("no variation"),
            parts => f.write_str(&parts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Variation {
        Variation {
            cpus: Some(2),
            memory: Some(256),
            shift: Some(3),
            seed: Some(7),
        }
    }

    #[test]
    fn variation_is_displayed_and_requires_a_boot() {
        assert_eq!(all().to_string(), "2 CPUs, 256 MiB, shift 3, seed 7");
        assert_eq!(Variation::default().to_string(), "no variation");
        assert_eq!(Variation::default().cold_because(), None);
        let alone = Variation {
            cpus: Some(1),
            ..Variation::default()
        };
        let why = alone.cold_because();
        assert_eq!(why.as_deref(), Some("its variation: 1 CPU"));
    }

    #[test]
    fn variation_round_trips_without_defaults() {
        let text = |setting: &Variation| serde_json::to_string(setting).expect("plain data");
        assert_eq!(text(&Variation::default()), "{}");
        let back: Variation = serde_json::from_str(&text(&all())).expect("as written");
        assert_eq!(back, all());
        assert!(serde_json::from_str::<Variation>(r#"{"cpu": 2}"#).is_err());
    }
}
