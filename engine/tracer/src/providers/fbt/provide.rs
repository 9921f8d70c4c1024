//! Provides the functions of a module when it is loaded, and drops them when it is unloaded.
//!
//! The functions of an unloaded module keep their numbers, since consumers may hold records with
//! their IDs. The same module loaded again takes them over, so that reloading a module all day does
//! not use more memory.

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

/// A symbol of the module being loaded: its range, its name, and its position in the kernel's
/// listing.
#[derive(Debug, Clone, Copy)]
struct Found {
    address: usize,
    end: usize,
    name: Span,
    order: u32,
}

/// The result of loading a module.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The numbers of its functions.
    pub numbers: Range<usize>,
    /// Whether the numbers are new, so that no ECB can refer to them.
    pub is_new: bool,
}

/// Lengths of all tables, to roll back to.
struct Checkpoint {
    names: usize,
    modules: usize,
    functions: usize,
    sites: usize,
}

impl<A: Arch> Fbt<A> {
    /// Provides all functions of `platform`, and plans for the entry of each.
    pub(super) fn of_kernel<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut fbt = Self::default();
        fbt.load(platform, KERNEL, KERNEL_NAME)?;
        fbt.refuse_untrappable(platform)?;
        // A module loaded meanwhile is reported separately.
        platform.each_module(&mut |number, name| {
            fbt.load(platform, number, name)?;
            Ok(())
        })?;
        Ok(fbt)
    }

    /// Provides the functions of a module; none if it is already known. Rolls back on failure.
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
        let checkpoint = self.checkpoint();
        let loaded = self.try_load(platform, number, name);
        if loaded.is_err() {
            self.roll_back(&checkpoint);
        }
        loaded
    }

    /// Marks the module's functions as unloaded, so that nothing wants them any more.
    pub fn unload(&mut self, number: usize) {
        let module = self.index_of(number);
        if let Some(module) = module.and_then(|index| self.modules.get_mut(index)) {
            module.number = None;
            let functions = self.functions.get_mut(module.numbers());
            for function in functions.unwrap_or_default() {
                function.is_loaded = false;
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
        let unloaded = self.find_unloaded(name, &found);
        let numbers = match unloaded {
            Some(index) => {
                self.names.truncate(names);
                self.reload(platform, index, number, &found)?
            }
            None => self.append(platform, number, name, &found)?,
        };
        Ok(Loaded {
            numbers,
            is_new: unloaded.is_none(),
        })
    }

    /// Collects the module's symbols, one per address, ordered by address.
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
        fill_ends(&mut found);
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
        self.reserve_enabled(found.len())?;
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
            is_loaded: true,
            entry,
            is_entry_known: false,
            returns: Returns::Unknown { before: None },
            ecbs: [0; 2],
            call_ecbs: 0,
            is_listed: false,
            live: None,
        };
        push(&mut self.functions, function)
    }

    /// The address of an entry's site, and the text there if a trap can displace it; no text if
    /// only ftrace can report the entry.
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

    /// The address for an entry's trap, behind the function's head, and the text there, if a trap
    /// can displace it.
    fn entry_of<P: Platform>(
        &self,
        platform: &P,
        found: &Found,
    ) -> (usize, Result<A::Text, Reason>) {
        let address = found.address.wrapping_add(platform.head(found.address));
        let planned = match eligible::check_name(platform.blacklist(), self.names.get(found.name)) {
            Err(reason) => Err(reason),
            // A symbol whose end is within the head is not a function.
            Ok(()) if address >= found.end && found.end > found.address => Err(Reason::Part),
            Ok(()) => eligible::entry::<A, P>(platform, address),
        };
        (address, planned)
    }

    /// Adds a site for an entry; without `text`, only ftrace can arm it.
    fn add_site(
        &mut self,
        address: usize,
        function: u32,
        text: Option<A::Text>,
    ) -> Result<u32, OutOfMemory> {
        let site = Site {
            is_entry: true,
            ftrace_only: text.is_none(),
            ..Site::new(address, function, text.unwrap_or_default())
        };
        let number = self.sites.len() as u32;
        push(&mut self.sites, site)?;
        Ok(number)
    }

    /// Finds an unloaded module of this name, with the same functions at the same distances.
    fn find_unloaded(&self, name: &[u8], found: &[Found]) -> Option<usize> {
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

    /// Gives an unloaded module its numbers back, at its new address. Only the names and sizes of
    /// its functions are known to match, so each entry is planned again and the returns are to be
    /// found again.
    ///
    /// Without memory the module stays unloaded.
    fn reload<P: Platform>(
        &mut self,
        platform: &P,
        index: usize,
        number: usize,
        found: &[Found],
    ) -> Result<Range<usize>, OutOfMemory> {
        let numbers = self.modules.get(index).map_or(0..0, Module::numbers);
        let missing = self.reset(&numbers);
        self.sites.try_reserve(missing).map_err(|_| OutOfMemory)?;
        for (function, one) in numbers.clone().zip(found) {
            self.rebind(platform, function, one)?;
            platform.cond_resched();
        }
        if let Some(module) = self.modules.get_mut(index) {
            module.number = Some(number);
        }
        Ok(numbers)
    }

    /// Resets what was derived from the text of these functions, but keeps their sites for reuse.
    /// Returns how many functions have no site for their entry.
    fn reset(&mut self, numbers: &Range<usize>) -> usize {
        for function in self.functions.get_mut(numbers.clone()).unwrap_or_default() {
            function.is_entry_known = false;
            function.returns = Returns::Unknown { before: None };
        }
        let (mut entries, mut last) = (0_usize, None);
        for (place, site) in (0..).zip(&mut self.sites) {
            let function = site.function as usize;
            let exit_of = (!site.is_entry).then_some(function);
            let is_first = exit_of != mem::replace(&mut last, exit_of);
            if !numbers.contains(&function) {
                continue;
            }
            // The trap, if any, went away with the module's text.
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
                // The last run of exit sites is the largest: a new run is only added where the
                // previous one was too small.
                function.returns = Returns::Unknown {
                    before: Some(place),
                };
            }
        }
        numbers.len().saturating_sub(entries)
    }

    /// Puts a function of a reloaded module at its new address.
    fn rebind<P: Platform>(
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
        function.is_loaded = true;
        let site = function.entry;
        let entry = match (entry, site) {
            (Ok(text), Ok(site)) => {
                if let Some(site) = self.sites.get_mut(site as usize) {
                    site.address = address;
                    site.ftrace_only = text.is_none();
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

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            names: self.names.len(),
            modules: self.modules.len(),
            functions: self.functions.len(),
            sites: self.sites.len(),
        }
    }

    fn roll_back(&mut self, checkpoint: &Checkpoint) {
        self.names.truncate(checkpoint.names);
        self.modules.truncate(checkpoint.modules);
        self.functions.truncate(checkpoint.functions);
        self.sites.truncate(checkpoint.sites);
    }
}

fn has_call<P: Platform>(platform: &P, found: &Found) -> bool {
    platform.call_of(found.address).is_some()
}

/// Sets unknown ends to the start of the next symbol; the last one stays empty.
fn fill_ends(found: &mut [Found]) {
    let mut next = None;
    for one in found.iter_mut().rev() {
        if one.end == one.address {
            one.end = next.unwrap_or(one.address);
        }
        next = Some(one.address);
    }
}
