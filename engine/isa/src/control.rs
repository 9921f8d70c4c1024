//! Where control goes after an instruction, as far as the instruction alone determines it.

/// Where control goes after an instruction.
///
/// A call goes to the next instruction, assuming that the callee returns. So does a warning trap.
/// An exception return has neither a successor nor a known target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Whether it may go to the next instruction.
    pub next: bool,
    /// Where else it may go.
    pub away: Option<Away>,
}

/// Where an instruction that does not fall through goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// To this address.
    To(u64),
    /// Through a register or memory.
    Indirect,
    /// Through a jump table or a row of branches, within the function.
    Switch,
    /// Back to the caller.
    Return,
}

impl Control {
    /// Whether it may go anywhere but to the next instruction.
    #[must_use]
    pub const fn branches(self) -> bool {
        !self.next || self.away.is_some()
    }

    /// To the next instruction only.
    pub(crate) const NEXT: Self = Self {
        next: true,
        away: None,
    };
    /// Nowhere known.
    pub(crate) const END: Self = Self {
        next: false,
        away: None,
    };

    /// To `away`, or also to the next instruction if conditional.
    pub(crate) const fn to(away: Away, is_conditional: bool) -> Self {
        Self {
            next: is_conditional,
            away: Some(away),
        }
    }
}
