//! A function, and the module that it is of.

use core::ops::Range;

use engine_isa::Arch;

use crate::probe::Role;
use crate::probe::names::Span;
use crate::site::Site;
use crate::site::reason::Reason;

/// The kernel proper, or a module.
#[derive(Debug)]
pub struct Module {
    /// By which the platform knows it; none when it is gone.
    pub number: Option<usize>,
    /// Its name.
    pub name: Span,
    /// The number of its first function.
    pub first: u32,
    /// How many it has.
    pub count: u32,
}

impl Module {
    /// The numbers of its functions.
    pub fn numbers(&self) -> Range<usize> {
        self.first as usize..self.first.wrapping_add(self.count) as usize
    }
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Where it begins.
    pub address: usize,
    /// Where what is listed behind it begins, or it is known to end.
    pub end: usize,
    /// Its name.
    pub name: Span,
    /// Its module, by its index.
    pub module: u32,
    /// Whether its module is loaded.
    pub is_there: bool,
    /// The site of its entry.
    pub entry: Result<u32, Reason>,
    /// Whether it is known whether the function comes back to that.
    pub is_entry_known: bool,
    /// The sites of its returns.
    pub returns: Returns,
    /// How many active ECBs its probes have, over all consumers.
    pub ecbs: [u32; 2],
    /// How many of its entry's are of consumers that would have the function tracer call.
    pub called: u32,
    /// Whether it is among those that are dealt with when something is armed or disarmed.
    pub is_listed: bool,
    /// Its number in the live table that is being made.
    pub live: Option<u32>,
}

/// What is known of the ways out of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// Nobody has asked yet.
    Unasked {
        /// The first of the sites that were those of its ways out before its module came again.
        before: Option<u32>,
    },
    /// They cannot be probed, or there are none.
    Refused(Reason),
    /// They are at so many sites from the first on, and at the entry's if it leaves the function itself.
    Sites {
        /// The first.
        first: u32,
        /// How many.
        count: u32,
        /// Whether the entry's is one too.
        entry: bool,
    },
}

impl Returns {
    /// Whether there is something to be found out.
    pub fn may_be_asked(self) -> bool {
        match self {
            Self::Unasked { .. } => true,
            Self::Refused(reason) => reason.may_pass(),
            Self::Sites { .. } => false,
        }
    }
}

impl Function {
    /// How many active ECBs its probe of that role has, as long as it is there.
    pub fn wanted(&self, role: Role) -> u32 {
        let ecbs = self.ecbs.get(role as usize).filter(|_| self.is_there);
        ecbs.copied().unwrap_or_default()
    }

    /// Whether a probe that `site` is of has active ECBs.
    pub fn wants<A: Arch>(&self, site: &Site<A>) -> bool {
        site.roles().any(|role| self.wanted(role) > 0)
    }

    /// Whether any of its probes has active ECBs, also while it is not there.
    pub fn is_enabled(&self) -> bool {
        self.ecbs != [0; 2]
    }

    /// All its sites.
    pub fn sites(&self) -> impl Iterator<Item = usize> + use<> {
        let exits = match self.returns {
            Returns::Sites { first, count, .. } => first..first.wrapping_add(count),
            Returns::Unasked { .. } | Returns::Refused(_) => 0..0,
        };
        let sites = self.entry.ok().into_iter().chain(exits);
        sites.map(|site| site as usize)
    }

    /// The sites at which it leaves.
    pub fn exits(&self) -> impl Iterator<Item = u32> {
        let (first, count, entry) = match self.returns {
            Returns::Sites {
                first,
                count,
                entry,
            } => (first, count, entry),
            Returns::Unasked { .. } | Returns::Refused(_) => (0, 0, false),
        };
        let entry = self.entry.ok().filter(|_| entry);
        (first..first.wrapping_add(count)).chain(entry)
    }
}
