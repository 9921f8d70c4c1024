//! Probes: how they are described, and what enables them.

pub mod ecb;
pub mod glob;
pub mod names;

/// Which of the probes of a function, or of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Role {
    /// Its first instruction, or the one behind the function tracer's slot.
    Entry = 0,
    /// Every instruction that leaves it.
    Return = 1,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Entry, Self::Return];

    /// The probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Entry => b"entry",
            Self::Return => b"return",
        }
    }

    /// The number of its probe, of something that has this number and has both.
    pub const fn probe_of(self, number: usize) -> usize {
        number
            .wrapping_mul(Self::ALL.len())
            .wrapping_add(self as usize)
    }

    /// What a probe of that number is of, and which of its probes it is.
    pub const fn of(probe: usize) -> (usize, Self) {
        let role = match probe % Self::ALL.len() {
            0 => Self::Entry,
            _ => Self::Return,
        };
        (probe / Self::ALL.len(), role)
    }
}
