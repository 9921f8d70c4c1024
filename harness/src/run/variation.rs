//! What a guest is given to run on beyond what its image says: more or fewer CPUs, another size of
//! memory, a clock that counts instructions, randomness that comes back. Pure.
//!
//! A failure that needs a rare moment needs it in one of these; a job keeps the ones it ran with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a job is run with; nothing of it is the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// How many CPUs the guest has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u8>,
    /// Its memory in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u32>,
    /// Its clock counts instructions, each for two to the power of so many nanoseconds: `-icount
    /// shift=N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<u8>,
    /// From what QEMU's randomness and the guest's is made: `-seed N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Setting {
    /// Whether it is what every guest has.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Why a guest with it cannot go on from one that was saved without, if that is so.
    pub fn cold_because(&self) -> Option<String> {
        (!self.is_usual()).then(|| format!("its setting: {self}"))
    }
}

/// `2 CPUs, 256 MiB, shift 3, seed 7`
impl fmt::Display for Setting {
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
            [] => f.write_str("as usual"),
            parts => f.write_str(&parts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Setting {
        Setting {
            cpus: Some(2),
            memory: Some(256),
            shift: Some(3),
            seed: Some(7),
        }
    }

    #[test]
    fn it_is_told_in_a_line_and_says_why_its_guest_boots() {
        assert_eq!(all().to_string(), "2 CPUs, 256 MiB, shift 3, seed 7");
        assert_eq!(Setting::default().to_string(), "as usual");
        assert_eq!(Setting::default().cold_because(), None);
        let alone = Setting {
            cpus: Some(1),
            ..Setting::default()
        };
        let why = alone.cold_because();
        assert_eq!(why.as_deref(), Some("its setting: 1 CPU"));
    }

    #[test]
    fn what_is_kept_is_only_what_is_unusual_and_comes_back() {
        let text = |setting: &Setting| serde_json::to_string(setting).expect("plain data");
        assert_eq!(text(&Setting::default()), "{}");
        let back: Setting = serde_json::from_str(&text(&all())).expect("as written");
        assert_eq!(back, all());
        assert!(serde_json::from_str::<Setting>(r#"{"cpu": 2}"#).is_err());
    }
}
