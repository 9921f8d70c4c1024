//! Functions and their modules.

use core::ops::Range;

use engine_isa::Arch;

use crate::probe::Role;
use crate::probe::names::Span;
use crate::site::Site;
use crate::site::reason::Reason;

/// The kernel proper, or a module.
#[derive(Debug)]
pub struct Module {
    /// The platform's number of it; none once it is unloaded.
    pub number: Option<usize>,
    /// Its name.
    pub name: Span,
    /// Number of its first function.
    pub first: u32,
    /// Number of functions.
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
    /// Its first address.
    pub address: usize,
    /// Its end: from its size if that is known, otherwise the next symbol.
    pub end: usize,
    /// Its name.
    pub name: Span,
    /// Index of its module.
    pub module: u32,
    /// Whether its module is loaded.
    pub is_loaded: bool,
    /// The site of its entry, or why it has none.
    pub entry: Result<u32, Reason>,
    /// Whether it has been determined if the function loops back to its entry.
    pub is_entry_known: bool,
    /// What is known of its exits.
    pub returns: Returns,
    /// Active ECBs of its probes, over all consumers, by role.
    pub ecbs: [u32; 2],
    /// Active ECBs of its entry that belong to consumers that prefer ftrace calls to traps.
    pub call_ecbs: u32,
    /// Whether it is on the list of functions that arming visits.
    pub is_listed: bool,
    /// Index in the live table under construction.
    pub live: Option<u32>,
}

/// What is known of a function's exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// Not looked for yet.
    Unknown {
        /// The first of the exit sites it had before its module was reloaded, for reuse.
        before: Option<u32>,
    },
    /// They cannot all be probed, or there are none.
    Refused(Reason),
    /// Consecutive exit sites, and possibly the entry's site.
    Sites {
        /// Number of the first site.
        first: u32,
        /// Number of consecutive sites.
        count: u32,
        /// Whether the entry's site also leaves the function.
        entry: bool,
    },
}

impl Returns {
    /// Whether a walk could still add to this.
    pub fn may_change(self) -> bool {
        match self {
            Self::Unknown { .. } => true,
            Self::Refused(reason) => reason.is_transient(),
            Self::Sites { .. } => false,
        }
    }
}

impl Function {
    /// Active ECBs of this probe; 0 while the function is not loaded.
    pub fn wanted(&self, role: Role) -> u32 {
        let ecbs = self.ecbs.get(role as usize).filter(|_| self.is_loaded);
        ecbs.copied().unwrap_or_default()
    }

    /// Whether a probe at `site` has active ECBs.
    pub fn wants<A: Arch>(&self, site: &Site<A>) -> bool {
        site.roles().any(|role| self.wanted(role) > 0)
    }

    /// Whether any probe has active ECBs, loaded or not.
    pub fn is_enabled(&self) -> bool {
        self.ecbs != [0; 2]
    }

    /// The numbers of all its sites.
    pub fn sites(&self) -> impl Iterator<Item = usize> + use<> {
        let exits = match self.returns {
            Returns::Sites { first, count, .. } => first..first.wrapping_add(count),
            Returns::Unknown { .. } | Returns::Refused(_) => 0..0,
        };
        let sites = self.entry.ok().into_iter().chain(exits);
        sites.map(|site| site as usize)
    }

    /// The numbers of the sites at which it leaves, possibly the entry's among them.
    pub fn exits(&self) -> impl Iterator<Item = u32> {
        let (first, count, entry) = match self.returns {
            Returns::Sites {
                first,
                count,
                entry,
            } => (first, count, entry),
            Returns::Unknown { .. } | Returns::Refused(_) => (0, 0, false),
        };
        let entry = self.entry.ok().filter(|_| entry);
        (first..first.wrapping_add(count)).chain(entry)
    }
}
