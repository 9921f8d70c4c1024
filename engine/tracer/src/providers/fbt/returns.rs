//! Provides `return` probes: walks a function's control flow for its exits, and plans for each.
//!
//! A `return` that misses an exit would be worse than none, so one exit that cannot be probed
//! refuses the whole probe.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use engine_isa::Arch;
use engine_isa::body::{Exit, Leaves, Unwalked};

use super::Fbt;
use super::function::{Function, Returns};
use super::walk_context::WalkContext;
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::Platform;
use crate::site::Site;
use crate::site::eligible;
use crate::site::reason::Reason;

/// Accepted sizes of a function, in bytes. The largest in a kernel have some tens of thousands; one
/// that seems much larger is followed by something that has no symbol.
const LENGTHS: Range<usize> = 1..1 << 18;

/// Limit of a walk's working memory, in words: no function has parts that need more.
const ROOM_MAX: usize = 1 << 15;

/// The address of an instruction that leaves a function, and how it does.
type ExitAt = (usize, Leaves);

impl<P: Platform, A: Arch> WalkContext<'_, P, A> {
    /// Collects the function's exits in `found`.
    fn exits(
        &self,
        memory: &mut [u64],
        found: &mut Vec<ExitAt>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let (mut pushed, mut foreign) = (Ok(()), false);
        let mut see = |address, exit| {
            if let Exit::Tail(Some(to)) = exit {
                foreign |= eligible::is_foreign(self.platform, to);
            }
            if pushed.is_ok() {
                pushed = push(found, (address, exit.leaves()));
            }
        };
        let walked = self.with_text(|text, extent| A::exits(text, extent, memory, &mut see));
        pushed.map(|()| match walked {
            Ok(()) if foreign => Err(Reason::Foreign),
            walked => walked.map_err(Reason::Unwalked),
        })
    }
}

impl<A: Arch> Fbt<A> {
    /// Analyses the returns of a function.
    pub(super) fn find_returns<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
    ) -> Result<Returns, OutOfMemory> {
        let mut exits = Vec::new();
        match self.find_exits(platform, number, &mut exits)? {
            Ok(()) if exits.is_empty() => Ok(Returns::Refused(Reason::NoReturn)),
            Ok(()) => self.provide_returns(platform, number, &exits),
            Err(reason) => Ok(Returns::Refused(reason)),
        }
    }

    /// Collects the exits of a function in `exits`, with more working memory if the walk needs it.
    #[inline(never)]
    fn find_exits<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        exits: &mut Vec<ExitAt>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let Some(function) = self.functions.get(number) else {
            return Ok(Err(Reason::NoSize));
        };
        if let Err(reason) = may_return(platform, function, self.names.get(function.name)) {
            return Ok(Err(reason));
        }
        let bytes = function.end.wrapping_sub(function.address);
        let mut words = A::room(bytes, A::KERNEL);
        loop {
            if self.memory.len() < words {
                self.memory = filled(words, || 0)?;
            }
            exits.clear();
            match self.walk(platform, number, words, exits)? {
                // It has more or larger parts than most.
                Err(Reason::Unwalked(Unwalked::Room)) if words < ROOM_MAX => {
                    words = words.saturating_mul(2);
                }
                walked => return Ok(walked),
            }
        }
    }

    #[inline(never)]
    fn walk<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        words: usize,
        exits: &mut Vec<ExitAt>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let mut memory = mem::take(&mut self.memory);
        // Only that much, as the walk clears what it is given.
        let lent = memory.get_mut(..words).unwrap_or_default();
        let walked = match self.walk_context(platform, number) {
            Some(context) => context.exits(lent, exits),
            None => Ok(Err(Reason::NoSize)),
        };
        self.memory = memory;
        walked
    }

    /// Provides sites for all exits of a function, or for none.
    #[inline(never)]
    fn provide_returns<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        exits: &[ExitAt],
    ) -> Result<Returns, OutOfMemory> {
        let (mut sites, mut own) = (Vec::new(), None);
        for exit in exits {
            match self.plan_exit(platform, number, *exit) {
                Ok(None) => own = Some(exit.1),
                Ok(Some(site)) => push(&mut sites, site)?,
                Err(reason) => return Ok(Returns::Refused(reason)),
            }
        }
        let count = sites.len() as u32;
        let first = self.put_exits(number, sites)?;
        if let Some(site) = own.and_then(|_| self.entry_site(number)) {
            site.leaves = own;
        }
        Ok(Returns::Sites {
            first,
            count,
            entry: own.is_some(),
        })
    }

    /// Stores the exit sites over the function's previous ones if those are enough, otherwise after
    /// all sites; returns the number of the first.
    fn put_exits(&mut self, number: usize, exits: Vec<Site<A>>) -> Result<u32, OutOfMemory> {
        let mut first = self.sites.len();
        if let Some(before) = self.exits_before(number)
            && before.len() >= exits.len()
        {
            first = before.start;
        }
        for (place, mut site) in (first..).zip(exits) {
            match self.sites.get_mut(place) {
                Some(before) => {
                    if before.slot.is_some() {
                        // The slot holds a copy of another instruction. Empty text forces a review,
                        // which gives the slot back.
                        (site.slot, site.text) = (before.slot, A::Text::default());
                    }
                    *before = site;
                }
                None => push(&mut self.sites, site)?,
            }
        }
        Ok(first as u32)
    }

    /// The exit sites the function had before its module was reloaded.
    fn exits_before(&self, number: usize) -> Option<Range<usize>> {
        let Returns::Unknown { before } = self.functions.get(number)?.returns else {
            return None;
        };
        let first = before? as usize;
        let sites = self.sites.get(first..)?.iter();
        let is_its = |site: &&Site<A>| site.function as usize == number && !site.is_entry;
        Some(first..first.wrapping_add(sites.take_while(is_its).count()))
    }

    /// Plans a site for an exit; none if it is the entry's site.
    #[inline(never)]
    fn plan_exit<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        (address, leaves): ExitAt,
    ) -> Result<Option<Site<A>>, Reason> {
        let entry = self.entry_site(number);
        if entry.is_some_and(|site| site.address == address && !site.ftrace_only) {
            return Ok(None);
        }
        let function = self.functions.get(number).ok_or(Reason::NoSize)?;
        // The function's own range was checked by its symbol; an exit in a separate part needs a
        // check of that part.
        if !(function.address..function.end).contains(&address) {
            eligible::allowed(platform, address)?;
        }
        let text = eligible::exit::<A, P>(platform, address)?;
        Ok(Some(Site {
            leaves: Some(leaves),
            ..Site::new(address, number as u32, text)
        }))
    }

    fn entry_site(&mut self, number: usize) -> Option<&mut Site<A>> {
        let site = self.functions.get(number)?.entry.ok()?;
        self.sites.get_mut(site as usize)
    }
}

/// Checks whether a function may be walked for its returns.
fn may_return<P: Platform>(platform: &P, function: &Function, name: &[u8]) -> Result<(), Reason> {
    eligible::check_name(platform.blacklist(), name)?;
    eligible::allowed(platform, function.address)?;
    match function.entry {
        Err(Reason::Data | Reason::Part) => Err(Reason::Data),
        _ if !LENGTHS.contains(&function.end.wrapping_sub(function.address)) => Err(Reason::NoSize),
        _ => Ok(()),
    }
}
