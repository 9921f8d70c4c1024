//! Where functions leave: a walk along the control flow of each, and what can be probed of what it finds.
//!
//! A `return` that misses a way out would be worse than none, so one such refuses the whole probe.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use engine_isa::Arch;
use engine_isa::body::{Exit, Leaves, Unwalked};

use super::Fbt;
use super::around::Around;
use super::function::{Function, Returns};
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::Platform;
use crate::site::Site;
use crate::site::eligible;
use crate::site::reason::Reason;

/// How many bytes a function can have. The largest of a kernel have some tens of thousands; where there seem to
/// be many more, something else lies behind it that nobody lists.
const LENGTHS: Range<usize> = 1..1 << 18;

/// The most memory that a walk is given: no function has parts that need more.
const ROOM_MAX: usize = 1 << 15;

/// An instruction that leaves a function, and how.
type Way = (usize, Leaves);

impl<P: Platform, A: Arch> Around<'_, P, A> {
    /// The ways out of the function, to `found`.
    fn exits(
        &self,
        memory: &mut [u64],
        found: &mut Vec<Way>,
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
    /// What is known now of the returns of the function of that number.
    pub(super) fn look<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
    ) -> Result<Returns, OutOfMemory> {
        let mut ways = Vec::new();
        match self.ways(platform, number, &mut ways)? {
            Ok(()) if ways.is_empty() => Ok(Returns::Refused(Reason::Stays)),
            Ok(()) => self.provide_returns(platform, number, &ways),
            Err(reason) => Ok(Returns::Refused(reason)),
        }
    }

    /// The ways out of the function of that number.
    #[inline(never)]
    fn ways<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        ways: &mut Vec<Way>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let Some(function) = self.functions.get(number) else {
            return Ok(Err(Reason::Endless));
        };
        if let Err(reason) = may_return(platform, function, self.names.get(function.name)) {
            return Ok(Err(reason));
        }
        let bytes = function.end.wrapping_sub(function.address);
        let mut words = A::room(bytes);
        loop {
            if self.memory.len() < words {
                self.memory = filled(words, || 0)?;
            }
            ways.clear();
            match self.walk(platform, number, words, ways)? {
                // Its parts are more or larger than most.
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
        ways: &mut Vec<Way>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let mut memory = mem::take(&mut self.memory);
        // Not more than that: it clears what it is given.
        let lent = memory.get_mut(..words).unwrap_or_default();
        let walked = match self.around(platform, number) {
            Some(around) => around.exits(lent, ways),
            None => Ok(Err(Reason::Endless)),
        };
        self.memory = memory;
        walked
    }

    /// Sites for all these ways out of the function of that number, or for none.
    #[inline(never)]
    fn provide_returns<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        ways: &[Way],
    ) -> Result<Returns, OutOfMemory> {
        let (mut sites, mut own) = (Vec::new(), None);
        for way in ways {
            match self.way_out(platform, number, *way) {
                Ok(None) => own = Some(way.1),
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

    /// Puts the sites of the ways out of the function of that number where it has had some before, if they are not
    /// more now, and else behind all sites; the number of the first.
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
                        // Another's copy is in it: it is to be looked at anew, and the slot given back.
                        (site.slot, site.text) = (before.slot, A::Text::default());
                    }
                    *before = site;
                }
                None => push(&mut self.sites, site)?,
            }
        }
        Ok(first as u32)
    }

    /// The sites that were those of its ways out before its module came again.
    fn exits_before(&self, number: usize) -> Option<Range<usize>> {
        let Returns::Unasked { before } = self.functions.get(number)?.returns else {
            return None;
        };
        let first = before? as usize;
        let sites = self.sites.get(first..)?.iter();
        let is_its = |site: &&Site<A>| site.function as usize == number && !site.is_entry;
        Some(first..first.wrapping_add(sites.take_while(is_its).count()))
    }

    /// A site for a way out; none where the entry's trap is at the same instruction.
    #[inline(never)]
    fn way_out<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        (address, leaves): Way,
    ) -> Result<Option<Site<A>>, Reason> {
        let entry = self.entry_site(number);
        if entry.is_some_and(|site| site.address == address && !site.is_called_only) {
            return Ok(None);
        }
        let function = self.functions.get(number).ok_or(Reason::Endless)?;
        // What the kernel forbids, it forbids for a function and a part as they are listed.
        if !(function.address..function.end).contains(&address) {
            eligible::allowed(platform, address)?;
        }
        Ok(Some(Site {
            address,
            function: number as u32,
            is_entry: false,
            leaves: Some(leaves),
            text: eligible::exit::<A, P>(platform, address)?,
            call: None,
            is_called_only: false,
            is_taken: false,
            armed: false,
            slot: None,
            hits: 0,
        }))
    }

    fn entry_site(&mut self, number: usize) -> Option<&mut Site<A>> {
        let site = self.functions.get(number)?.entry.ok()?;
        self.sites.get_mut(site as usize)
    }
}

/// Whether a function may be walked over.
fn may_return<P: Platform>(platform: &P, function: &Function, name: &[u8]) -> Result<(), Reason> {
    eligible::named(platform.blacklist(), name)?;
    eligible::allowed(platform, function.address)?;
    match function.entry {
        Err(Reason::Data | Reason::Part) => Err(Reason::Data),
        _ if !LENGTHS.contains(&function.end.wrapping_sub(function.address)) => {
            Err(Reason::Endless)
        }
        _ => Ok(()),
    }
}
