//! The state at branch targets. Branches only go forward, so the state of each is kept only until
//! its target is reached.

use crate::invalid::Why;
use crate::limits::TARGETS_MAX;

/// What holds at an instruction on every path to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    set: u16,
    /// Whether a record is open.
    pub(super) open: Open,
}

/// Whether a record is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// On no path.
    Never,
    /// On some paths.
    Perhaps,
    /// On all paths.
    Always,
}

impl State {
    /// The state at the beginning of a clause: `r0` is set.
    pub(super) const START: Self = Self {
        set: 1,
        open: Open::Never,
    };

    /// Whether a register is set on every path.
    pub(super) fn has(self, register: u8) -> bool {
        self.set.wrapping_shr(register.into()) & 1 == 1
    }

    /// Sets a register.
    pub(super) fn set(&mut self, register: u8) {
        self.set |= 1_u16.wrapping_shl(register.into());
    }

    /// The state that holds on both paths.
    fn meet(self, other: Self) -> Self {
        Self {
            set: self.set & other.set,
            open: if self.open == other.open {
                self.open
            } else {
                Open::Perhaps
            },
        }
    }
}

/// The pending targets, with the merged state of the branches to each.
pub(super) struct Targets([Option<(u32, State)>; TARGETS_MAX]);

impl Targets {
    /// None.
    #[inline(never)]
    pub(super) const fn none() -> Self {
        Self([None; TARGETS_MAX])
    }

    /// Adds a branch to `target`.
    pub(super) fn add(&mut self, target: u32, state: State) -> Result<(), Why> {
        let known = self.0.iter_mut().flatten().find(|known| known.0 == target);
        if let Some(known) = known {
            known.1 = known.1.meet(state);
            return Ok(());
        }
        let vacant = self.0.iter_mut().find(|place| place.is_none());
        *vacant.ok_or(Why::Targets)? = Some((target, state));
        Ok(())
    }

    /// Removes and returns the state of the branches to `at`, if any.
    pub(super) fn arrive(&mut self, at: u32) -> Option<State> {
        let arrives = |place: &&mut Option<(u32, State)>| place.is_some_and(|known| known.0 == at);
        let place = self.0.iter_mut().find(arrives)?;
        place.take().map(|(_, state)| state)
    }
}

/// Merges the fall-through state with that of the branches.
pub(super) fn meet(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.meet(other)),
        (one, other) => one.or(other),
    }
}
