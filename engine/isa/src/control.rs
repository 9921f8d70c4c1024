//! Where control goes behind an instruction, as far as the instruction itself tells.

/// Where control goes behind an instruction.
///
/// A call goes on with the next one, as what is called comes back. So does what only warns. Going back from
/// an exception is neither a return nor a way to anywhere that could be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Whether it may go on with the next instruction.
    pub next: bool,
    /// Where it may go otherwise.
    pub away: Option<Away>,
}

/// Where an instruction goes that does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// To this address.
    To(u64),
    /// To wherever a register, or memory, says.
    Indirect,
    /// To one of several places, by a table or by a row of branches: it stays in its function.
    Switch,
    /// Back to the caller.
    Return,
}

impl Control {
    /// Whether it may go elsewhere than on to the next instruction.
    #[must_use]
    pub const fn branches(self) -> bool {
        !self.next || self.away.is_some()
    }

    /// On to the next instruction, and nowhere else.
    pub(crate) const NEXT: Self = Self {
        next: true,
        away: None,
    };
    /// Nowhere that could be known.
    pub(crate) const END: Self = Self {
        next: false,
        away: None,
    };

    /// There, or on to the next instruction if there is a condition.
    pub(crate) const fn to(away: Away, is_conditional: bool) -> Self {
        Self {
            next: is_conditional,
            away: Some(away),
        }
    }
}
