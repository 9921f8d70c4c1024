//! Functions come and go with their modules.
//!
//! What is of a module that has gone keeps its numbers, since consumers may have records with them; and
//! gets them back when the same module comes again, so that one that does so all day takes no more
//! memory than one that stays.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use engine_isa::Arch;

use super::Fbt;
use super::function::{Function, Module, Returns};
use crate::grow::{OutOfMemory, push};
use crate::platform::{KERNEL, KERNEL_NAME, Listed, Platform};
use crate::probe::names::Span;
use crate::site::Site;
use crate::site::eligible;
use crate::site::reason::Reason;
use crate::sort::sort_by_key;

/// A function of a module that is looked at: where it begins and ends, and its name.
#[derive(Debug, Clone, Copy)]
struct Found {
    address: usize,
    end: usize,
    name: Span,
    order: u32,
}

/// What a module has brought.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The numbers of its functions.
    pub numbers: Range<usize>,
    /// Whether nobody can have enabled any of them.
    pub is_new: bool,
}

/// How much there is of everything.
struct Mark {
    names: usize,
    modules: usize,
    functions: usize,
    sites: usize,
}

impl<A: Arch> Fbt<A> {
    /// Asks `platform` for all functions that there are, and plans for the entry of each.
    pub(super) fn of_kernel<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut fbt = Self::default();
        fbt.load(platform, KERNEL, KERNEL_NAME)?;
        fbt.refuse_untrappable(platform)?;
        // What is loaded while this goes on is told of by itself.
        platform.each_module(&mut |number, name| {
            fbt.load(platform, number, name)?;
            Ok(())
        })?;
        Ok(fbt)
    }

    /// A module is loaded. It brings nothing where it is known already.
    #[inline(never)]
    pub fn load<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        name: &[u8],
    ) -> Result<Loaded, OutOfMemory> {
        if self.index_of(number).is_some() {
            let numbers = 0..0;
            return Ok(Loaded {
                numbers,
                is_new: true,
            });
        }
        let mark = self.mark();
        let loaded = self.try_load(platform, number, name);
        if loaded.is_err() {
            self.go_back_to(&mark);
        }
        loaded
    }

    /// A module goes: none of its functions is wanted any more.
    pub fn unload(&mut self, number: usize) {
        let module = self.index_of(number);
        if let Some(module) = module.and_then(|index| self.modules.get_mut(index)) {
            module.number = None;
            let functions = self.functions.get_mut(module.numbers());
            for function in functions.unwrap_or_default() {
                function.is_there = false;
            }
        }
    }

    fn index_of(&self, number: usize) -> Option<usize> {
        let mut modules = self.modules.iter();
        modules.position(|module| module.number == Some(number))
    }

    fn try_load<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        name: &[u8],
    ) -> Result<Loaded, OutOfMemory> {
        let names = self.names.len();
        let found = self.find(platform, number)?;
        let gone = self.gone_like(name, &found);
        let numbers = match gone {
            Some(index) => {
                self.names.truncate(names);
                self.revive(platform, index, number, &found)?
            }
            None => self.append(platform, number, name, &found)?,
        };
        Ok(Loaded {
            numbers,
            is_new: gone.is_none(),
        })
    }

    /// What the platform lists of a module, each place once, in the order of their addresses.
    fn find<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
    ) -> Result<Vec<Found>, OutOfMemory> {
        let mut found = Vec::new();
        let names = &mut self.names;
        platform.each_function(number, &mut |listed: Listed<'_>| {
            let one = Found {
                address: listed.address,
                end: listed.address.wrapping_add(listed.size),
                name: names.add(listed.name)?,
                order: found.len() as u32,
            };
            push(&mut found, one)
        })?;
        sort_by_key(&mut found, |one| (one.address, one.order));
        found.dedup_by_key(|one| one.address);
        end_each(&mut found);
        Ok(found)
    }

    fn append<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        name: &[u8],
        found: &[Found],
    ) -> Result<Range<usize>, OutOfMemory> {
        let first = self.functions.len();
        let module = Module {
            number: Some(number),
            name: self.names.add(name)?,
            first: first as u32,
            count: found.len() as u32,
        };
        let index = self.modules.len() as u32;
        push(&mut self.modules, module)?;
        self.make_room(found.len())?;
        for one in found {
            self.add(platform, index, one)?;
            platform.cond_resched();
        }
        Ok(first..self.functions.len())
    }

    fn add<P: Platform>(
        &mut self,
        platform: &P,
        module: u32,
        found: &Found,
    ) -> Result<(), OutOfMemory> {
        let function = self.functions.len() as u32;
        let (address, planned) = self.plan_entry(platform, found);
        let entry = match planned {
            Ok(text) => Ok(self.add_site(address, function, text)?),
            Err(reason) => Err(reason),
        };
        let function = Function {
            address: found.address,
            end: found.end,
            name: found.name,
            module,
            is_there: true,
            entry,
            is_entry_known: false,
            returns: Returns::Unasked { before: None },
            ecbs: [0; 2],
            called: 0,
            is_listed: false,
            live: None,
        };
        push(&mut self.functions, function)
    }

    /// Where an entry's site is, and the text there where a trap can displace it; none where a call alone can tell of
    /// the entry.
    fn plan_entry<P: Platform>(
        &self,
        platform: &P,
        found: &Found,
    ) -> (usize, Result<Option<A::Text>, Reason>) {
        let (address, planned) = self.entry_of(platform, found);
        let planned = match planned {
            Err(reason) if reason.is_of_instruction() && has_call(platform, found) => Ok(None),
            planned => planned.map(Some),
        };
        (address, planned)
    }

    /// Where the trap of an entry goes, and the text there, if it can.
    fn entry_of<P: Platform>(
        &self,
        platform: &P,
        found: &Found,
    ) -> (usize, Result<A::Text, Reason>) {
        let address = found
            .address
            .wrapping_add(platform.ftrace_slot(found.address));
        let planned = match eligible::named(platform.blacklist(), self.names.get(found.name)) {
            Err(reason) => Err(reason),
            // What is listed within the slot is no function.
            Ok(()) if address >= found.end && found.end > found.address => Err(Reason::Part),
            Ok(()) => eligible::entry::<A, P>(platform, address),
        };
        (address, planned)
    }

    /// A site for an entry, where a trap can displace `text`, or else a call alone can tell of it.
    fn add_site(
        &mut self,
        address: usize,
        function: u32,
        text: Option<A::Text>,
    ) -> Result<u32, OutOfMemory> {
        let site = Site {
            address,
            function,
            is_entry: true,
            leaves: None,
            text: text.unwrap_or_default(),
            call: None,
            is_called_only: text.is_none(),
            is_taken: false,
            armed: false,
            slot: None,
            hits: 0,
        };
        let number = self.sites.len() as u32;
        push(&mut self.sites, site)?;
        Ok(number)
    }

    /// A module that is gone, of that name and with just these functions, as far from one another.
    fn gone_like(&self, name: &[u8], found: &[Found]) -> Option<usize> {
        self.modules.iter().position(|module| {
            let functions = self.functions.get(module.numbers()).unwrap_or_default();
            let from = functions.first().map_or(0, |function| function.address);
            let to = found.first().map_or(0, |one| one.address);
            let alike = |(function, one): (&Function, &Found)| {
                self.names.get(function.name) == self.names.get(one.name)
                    && function.address.wrapping_sub(from) == one.address.wrapping_sub(to)
                    && function.end.wrapping_sub(from) == one.end.wrapping_sub(to)
            };
            module.number.is_none()
                && self.names.get(module.name) == name
                && functions.len() == found.len()
                && functions.iter().zip(found).all(alike)
        })
    }

    /// Gives a module that had gone its numbers back, at its new place. Only the names and the sizes of its functions
    /// are known to be the same: each entry is planned for anew, and what was known of ways out is forgotten.
    ///
    /// Where there is no memory it stays gone.
    fn revive<P: Platform>(
        &mut self,
        platform: &P,
        index: usize,
        number: usize,
        found: &[Found],
    ) -> Result<Range<usize>, OutOfMemory> {
        let numbers = self.modules.get(index).map_or(0..0, Module::numbers);
        let missing = self.forget(&numbers);
        self.sites.try_reserve(missing).map_err(|_| OutOfMemory)?;
        for (function, one) in numbers.clone().zip(found) {
            self.place_again(platform, function, one)?;
            platform.cond_resched();
        }
        if let Some(module) = self.modules.get_mut(index) {
            module.number = Some(number);
        }
        Ok(numbers)
    }

    /// Forgets what was known of the text of these functions, but which sites they have had; how many have none for
    /// their entry.
    fn forget(&mut self, numbers: &Range<usize>) -> usize {
        for function in self.functions.get_mut(numbers.clone()).unwrap_or_default() {
            function.is_entry_known = false;
            function.returns = Returns::Unasked { before: None };
        }
        let (mut entries, mut last) = (0_usize, None);
        for (place, site) in (0..).zip(&mut self.sites) {
            let function = site.function as usize;
            let exit_of = (!site.is_entry).then_some(function);
            let is_first = exit_of != mem::replace(&mut last, exit_of);
            if !numbers.contains(&function) {
                continue;
            }
            // Whatever it had went with the module's text.
            site.armed = false;
            site.text = A::Text::default();
            let Some(function) = self.functions.get_mut(function) else {
                continue;
            };
            if site.is_entry {
                site.leaves = None;
                function.entry = Ok(place);
                entries = entries.wrapping_add(1);
            } else if is_first {
                // The last are the most: they are added where those before are too few.
                function.returns = Returns::Unasked {
                    before: Some(place),
                };
            }
        }
        numbers.len().saturating_sub(entries)
    }

    /// The function of that number is there again, at its new place.
    fn place_again<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        found: &Found,
    ) -> Result<(), OutOfMemory> {
        let (address, entry) = self.plan_entry(platform, found);
        let Some(function) = self.functions.get_mut(number) else {
            return Ok(());
        };
        function.address = found.address;
        function.end = found.end;
        function.is_there = true;
        let site = function.entry;
        let entry = match (entry, site) {
            (Ok(text), Ok(site)) => {
                if let Some(site) = self.sites.get_mut(site as usize) {
                    site.address = address;
                    site.is_called_only = text.is_none();
                }
                Ok(site)
            }
            (Ok(text), Err(_)) => Ok(self.add_site(address, number as u32, text)?),
            (Err(reason), _) => Err(reason),
        };
        if let Some(function) = self.functions.get_mut(number) {
            function.entry = entry;
        }
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark {
            names: self.names.len(),
            modules: self.modules.len(),
            functions: self.functions.len(),
            sites: self.sites.len(),
        }
    }

    fn go_back_to(&mut self, mark: &Mark) {
        self.names.truncate(mark.names);
        self.modules.truncate(mark.modules);
        self.functions.truncate(mark.functions);
        self.sites.truncate(mark.sites);
    }
}

fn has_call<P: Platform>(platform: &P, found: &Found) -> bool {
    platform.call_of(found.address).is_some()
}

/// Where a size is not known, a function ends where the next begins; of the last it stays unknown.
fn end_each(found: &mut [Found]) {
    let mut next = None;
    for one in found.iter_mut().rev() {
        if one.end == one.address {
            one.end = next.unwrap_or(one.address);
        }
        next = Some(one.address);
    }
}
