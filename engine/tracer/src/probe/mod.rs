//! Vocabulary of probes: roles, descriptions, names and ECBs.
//!
//! A provider numbers its probes from 0; one that provides an `entry` and a `return` for each
//! object derives a probe's number from the object's and the [`Role`]. Descriptions are matched by
//! [`glob::Pattern`], on the control path only. Nothing here has locks or state of its own:
//! [`names::Names`] and [`ecb::Enabling`] are parts of the live table and of sessions, and are
//! read-only once those are published, so everything that takes `&self` may be called from the fire
//! path.

pub mod ecb;
pub mod glob;
pub mod names;

/// Which probe of a function or a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Role {
    /// At the first instruction, or at the one after ftrace's patch area.
    Entry = 0,
    /// At every instruction that leaves it.
    Return = 1,
}

impl Role {
    /// Both roles, in the order of their probe numbers.
    pub const ALL: [Self; 2] = [Self::Entry, Self::Return];

    /// The probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Entry => b"entry",
            Self::Return => b"return",
        }
    }

    /// The number of this role's probe of the object `number`.
    pub const fn probe_of(self, number: usize) -> usize {
        number
            .wrapping_mul(Self::ALL.len())
            .wrapping_add(self as usize)
    }

    /// The inverse of [`Role::probe_of`]: the object and the role of a probe number.
    pub const fn of(probe: usize) -> (usize, Self) {
        let role = match probe % Self::ALL.len() {
            0 => Self::Entry,
            _ => Self::Return,
        };
        (probe / Self::ALL.len(), role)
    }
}
