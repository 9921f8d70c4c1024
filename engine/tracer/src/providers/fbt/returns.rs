//! Where functions leave: a walk along the control flow of each, and what can be probed of what it finds.
//!
//! A `return` that misses a way out would be worse than none, so one such refuses the whole probe.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::Description;
use engine_isa::body::{Exit, Text, Unwalked};

use super::function::{Function, Returns};
use super::place;
use super::reason::Reason;
use super::site::{Leaves, Site};
use super::{Fbt, PROVIDER, Role, may_mean};
use crate::glob::describes;
use crate::grow::{OutOfMemory, filled, push};
use crate::isa::Isa;
use crate::names::Names;
use crate::platform::{OffLimits, Platform};

/// How many bytes a function can have. The largest of a kernel have some tens of thousands; where there seem to
/// be many more, something else lies behind it that nobody lists.
const LENGTHS: Range<usize> = 1..1 << 18;

/// The most memory that a walk is given: no function has parts that need more.
const ROOM_MAX: usize = 1 << 15;

/// What a walk can see of the module that it is in.
struct Around<'a, P, T> {
    platform: &'a P,
    names: &'a Names,
    functions: &'a [Function],
    /// The site of the function's entry.
    entry: Option<&'a Site<T>>,
}

impl<P: Platform, T: AsRef<[u8]>> Around<'_, P, T> {
    /// Reads text as it is without traps. Of ours, a function whose returns are not known has one at its
    /// entry at the most.
    fn loads<I: Isa<Text = T>>(&self, address: u64, bytes: &mut [u8]) -> bool {
        let address = address as usize;
        let is_read = self.platform.peek_original(address, bytes).is_ok();
        if let Some(site) = self.entry.filter(|site| site.armed) {
            let displaced = site.text.as_ref().iter().take(I::TRAP.len());
            for (place, byte) in (site.address..).zip(displaced) {
                let place = place.checked_sub(address);
                if let Some(to) = place.and_then(|place| bytes.get_mut(place)) {
                    *to = *byte;
                }
            }
        }
        is_read
    }

    /// Where the part of `function` is that has that address, if there is one.
    fn part(&self, function: &Function, address: u64) -> Option<Range<u64>> {
        let behind = self
            .functions
            .partition_point(|it| it.address as u64 <= address);
        let part = self.functions.get(behind.checked_sub(1)?)?;
        let names = [part, function].map(|it| self.names.get(it.name));
        let [part_name, name] = names;
        let is_one = address < part.end as u64 && place::is_part_of(part_name, name);
        is_one.then_some(part.address as u64..part.end as u64)
    }

    /// The ways out of `function`, to `found`.
    fn exits<I: Isa<Text = T>>(
        &self,
        function: &Function,
        memory: &mut [u64],
        found: &mut Vec<(usize, Leaves)>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let text = Text {
            load: &|address, bytes| self.loads::<I>(address, bytes),
            part: &|address| self.part(function, address),
            returns: &|address| self.platform.is_return_thunk(address as usize),
        };
        let (mut pushed, mut foreign) = (Ok(()), false);
        let walked = I::exits(
            &text,
            function.address..function.end,
            memory,
            &mut |address, exit| {
                let leaves = match exit {
                    Exit::Return => Leaves::Return,
                    Exit::Tail(to) => {
                        foreign |= to.is_some_and(|to| self.is_foreign(to));
                        Leaves::Tail
                    }
                };
                if pushed.is_ok() {
                    pushed = push(found, (address, leaves));
                }
            },
        );
        pushed.map(|()| match walked {
            Ok(()) if foreign => Err(Reason::Foreign),
            walked => walked.map_err(Reason::Unwalked),
        })
    }

    /// Whether what is at that address is nobody's function: where others have put a jump in place of
    /// instructions, it leads there.
    fn is_foreign(&self, address: u64) -> bool {
        let off_limits = self.platform.off_limits(address as usize);
        off_limits == Some(OffLimits::Discarded)
    }
}

/// An instruction that leaves a function, and how.
type Way = (usize, Leaves);

impl<T: Copy + Default + PartialEq + AsRef<[u8]>> Fbt<T> {
    /// Somebody asks for what `description` describes: of those of these functions whose return that is,
    /// the ways out are looked for.
    pub fn ask<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        description: &Description,
        numbers: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        if !may_mean(description, Role::Return) {
            return Ok(());
        }
        for number in numbers {
            if self.is_asked(number, description) {
                let returns = self.look::<I, P>(platform, number)?;
                if let Some(function) = self.functions.get_mut(number) {
                    function.returns = returns;
                }
                platform.breathe();
            }
        }
        Ok(())
    }

    /// Whether the return of the function of that number is described, and nothing known of it.
    fn is_asked(&self, number: usize, description: &Description) -> bool {
        let function = self.functions.get(number);
        function.is_some_and(|function| {
            let [module, name] = self.called(function);
            function.returns.may_be_asked()
                && function.is_there
                && describes(description, [PROVIDER, module, name, Role::Return.name()])
        })
    }

    fn look<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
    ) -> Result<Returns, OutOfMemory> {
        let mut ways = Vec::new();
        match self.ways::<I, P>(platform, number, &mut ways)? {
            Ok(()) if ways.is_empty() => Ok(Returns::Refused(Reason::Stays)),
            Ok(()) => self.provide_returns::<I, P>(platform, number, &ways),
            Err(reason) => Ok(Returns::Refused(reason)),
        }
    }

    /// The ways out of the function of that number.
    fn ways<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        ways: &mut Vec<Way>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let Some(function) = self.functions.get(number) else {
            return Ok(Err(Reason::Endless));
        };
        if let Err(reason) = may_return::<I, P>(platform, function, self.names.get(function.name)) {
            return Ok(Err(reason));
        }
        let bytes = function.end.wrapping_sub(function.address);
        let mut words = I::room(bytes);
        loop {
            if self.memory.len() < words {
                self.memory = filled(words, || 0)?;
            }
            ways.clear();
            match self.walk::<I, P>(platform, number, words, ways)? {
                // Its parts are more or larger than most.
                Err(Reason::Unwalked(Unwalked::Room)) if words < ROOM_MAX => {
                    words = words.saturating_mul(2);
                }
                walked => return Ok(walked),
            }
        }
    }

    fn walk<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        words: usize,
        ways: &mut Vec<Way>,
    ) -> Result<Result<(), Reason>, OutOfMemory> {
        let Some(function) = self.functions.get(number) else {
            return Ok(Err(Reason::Endless));
        };
        let module = self.modules.get(function.module as usize);
        let numbers = module.map_or(0..0, |module| module.numbers());
        let entry = function.entry.ok();
        let around = Around {
            platform,
            names: &self.names,
            functions: self.functions.get(numbers).unwrap_or_default(),
            entry: entry.and_then(|site| self.sites.get(site as usize)),
        };
        // Not more than that: it clears what it is given.
        let memory = self.memory.get_mut(..words).unwrap_or_default();
        around.exits::<I>(function, memory, ways)
    }

    /// Sites for all these ways out of the function of that number, or for none.
    fn provide_returns<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        ways: &[Way],
    ) -> Result<Returns, OutOfMemory> {
        let first = self.sites.len();
        let mut own = None;
        for way in ways {
            match self.way_out::<I, P>(platform, number, *way) {
                Ok(None) => own = Some(way.1),
                Ok(Some(site)) => push(&mut self.sites, site)?,
                Err(reason) => {
                    self.sites.truncate(first);
                    return Ok(Returns::Refused(reason));
                }
            }
        }
        if let Some(site) = own.and_then(|_| self.entry_site(number)) {
            site.leaves = own;
        }
        Ok(Returns::Sites {
            first: first as u32,
            count: self.sites.len().wrapping_sub(first) as u32,
            entry: own.is_some(),
        })
    }

    /// A site for a way out; none where the entry's is at the same instruction.
    fn way_out<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        (address, leaves): Way,
    ) -> Result<Option<Site<T>>, Reason> {
        let entry = self.entry_site(number).map(|site| site.address);
        if entry == Some(address) {
            return Ok(None);
        }
        let function = self.functions.get(number).ok_or(Reason::Endless)?;
        // What the kernel forbids, it forbids for a function and a part as they are listed.
        if !(function.address..function.end).contains(&address) {
            place::allowed(platform, address)?;
        }
        Ok(Some(Site {
            address,
            function: number as u32,
            is_entry: false,
            leaves: Some(leaves),
            text: place::exit::<I, P>(platform, address)?,
            armed: false,
            slot: None,
            hits: 0,
        }))
    }

    fn entry_site(&mut self, number: usize) -> Option<&mut Site<T>> {
        let site = self.functions.get(number)?.entry.ok()?;
        self.sites.get_mut(site as usize)
    }
}

/// Whether a function may be walked over.
fn may_return<I: Isa, P: Platform>(
    platform: &P,
    function: &Function,
    name: &[u8],
) -> Result<(), Reason> {
    place::named::<I>(name)?;
    place::allowed(platform, function.address)?;
    match function.entry {
        Err(Reason::Data | Reason::Part) => Err(Reason::Data),
        _ if !LENGTHS.contains(&function.end.wrapping_sub(function.address)) => {
            Err(Reason::Endless)
        }
        _ => Ok(()),
    }
}
