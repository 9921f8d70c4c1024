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
}
