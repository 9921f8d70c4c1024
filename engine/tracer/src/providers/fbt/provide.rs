//! Functions come and go with their modules.
//!
//! What is of a module that has gone keeps its numbers, since consumers may have records with them; and
//! gets them back when the same module comes again, so that one that does so all day takes no more
//! memory than one that stays.

use alloc::vec::Vec;
use core::ops::Range;

use super::function::{Function, Module, Returns};
use super::place;
use super::reason::Reason;
use super::site::Site;
use super::{Fbt, KERNEL_NAME};
use crate::grow::{OutOfMemory, push};
use crate::isa::Isa;
use crate::names::Span;
use crate::platform::{KERNEL, Listed, Platform};
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

impl<T: Copy + Default> Fbt<T> {
    /// Asks `platform` for all functions that there are, and plans for the entry of each.
    pub fn provide<I: Isa<Text = T>, P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut fbt = Self::default();
        fbt.load::<I, P>(platform, KERNEL, KERNEL_NAME)?;
        // What is loaded while this goes on is told of by itself.
        platform.each_module(&mut |number, name| {
            fbt.load::<I, P>(platform, number, name)?;
            Ok(())
        })?;
        Ok(fbt)
    }

    /// A module is loaded. It brings nothing where it is known already.
    pub fn load<I: Isa<Text = T>, P: Platform>(
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
        let loaded = self.try_load::<I, P>(platform, number, name);
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

    fn try_load<I: Isa<Text = T>, P: Platform>(
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
                self.revive(index, number, &found)
            }
            None => self.append::<I, P>(platform, number, name, &found)?,
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

    fn append<I: Isa<Text = T>, P: Platform>(
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
            self.add::<I, P>(platform, index, one)?;
            platform.breathe();
        }
        Ok(first..self.functions.len())
    }

    fn add<I: Isa<Text = T>, P: Platform>(
        &mut self,
        platform: &P,
        module: u32,
        found: &Found,
    ) -> Result<(), OutOfMemory> {
        let function = self.functions.len() as u32;
        let (address, planned) = self.entry_of::<I, P>(platform, found);
        let entry = match planned {
            Ok(text) => Ok(self.add_site(address, function, Some(text))?),
            Err(reason) if reason.is_of_instruction() && has_call(platform, found) => {
                Ok(self.add_site(address, function, None)?)
            }
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
            returns: Returns::Unasked,
            ecbs: [0; 2],
            called: 0,
            is_listed: false,
            live: None,
        };
        push(&mut self.functions, function)
    }

    /// Where the trap of an entry goes, and the text there, if it can.
    fn entry_of<I: Isa<Text = T>, P: Platform>(
        &self,
        platform: &P,
        found: &Found,
    ) -> (usize, Result<T, Reason>) {
        let address = found
            .address
            .wrapping_add(platform.ftrace_slot(found.address));
        let planned = match place::named::<I>(self.names.get(found.name)) {
            Err(reason) => Err(reason),
            // What is listed within the slot is no function.
            Ok(()) if address >= found.end && found.end > found.address => Err(Reason::Part),
            Ok(()) => place::entry::<I, P>(platform, address),
        };
        (address, planned)
    }

    /// A site for an entry, where a trap can displace `text`, or else a call alone can tell of it.
    fn add_site(
        &mut self,
        address: usize,
        function: u32,
        text: Option<T>,
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

    /// Gives a module that had gone its numbers back, at its new place. Its text is looked at anew before
    /// anything of it is armed.
    fn revive(&mut self, index: usize, number: usize, found: &[Found]) -> Range<usize> {
        let Some(module) = self.modules.get_mut(index) else {
            return 0..0;
        };
        module.number = Some(number);
        let numbers = module.numbers();
        let functions = self.functions.get_mut(numbers.clone()).unwrap_or_default();
        let from = functions.first().map_or(0, |function| function.address);
        let to = found.first().map_or(0, |one| one.address);
        let by = to.wrapping_sub(from);
        for function in functions {
            function.address = function.address.wrapping_add(by);
            function.end = function.end.wrapping_add(by);
            function.is_there = true;
        }
        let is_its = |site: &&mut Site<T>| numbers.contains(&(site.function as usize));
        for site in self.sites.iter_mut().filter(is_its) {
            site.address = site.address.wrapping_add(by);
            site.text = T::default();
            // Whatever it had went with the module's text.
            site.armed = false;
        }
        numbers
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
