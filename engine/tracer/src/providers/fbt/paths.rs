//! Finds the functions that run where no trap can be taken, by following calls in the running
//! kernel's text.
//!
//! The blacklist's names are those of particular builds; with another compiler or configuration
//! other functions are called. So its paths are followed from their roots, and every function
//! reached is refused.

use alloc::vec::Vec;
use core::mem;

use engine_isa::Arch;

use super::Fbt;
use super::function::{Function, Returns};
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::{OffLimits, Platform};
use crate::probe::glob::matches;
use crate::site::blacklist::Path;
use crate::site::reason::Reason;

/// Calls of these occur only after something has gone wrong; a path ends there.
const DIAGNOSTICS: [&[u8]; 11] = [
    b"__warn_printk",
    b"warn_slowpath_fmt",
    b"_printk",
    b"printk",
    b"panic",
    b"nmi_panic",
    b"die",
    b"__stack_chk_fail",
    b"handle_bad_stack",
    b"dump_stack",
    b"__ubsan_handle_*",
];

/// Factor on a walk's working memory, which [`Arch::room`] sizes for a function with parts of
/// common size.
const MEMORY_FACTOR: usize = 4;

/// Upper bound on the size, in bytes, that a walk's memory is allocated for. A longer function is
/// followed by something that has no symbol.
const LONGEST: usize = 1 << 18;

/// Where a path leads: a function, and where in it the path goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    number: usize,
    /// Behind the function's start. Not 0 where assembly without a symbol of its own follows the
    /// function, or is jumped to in it.
    offset: usize,
}

/// The places that a path reaches, in the order in which they are found.
struct Reached {
    places: Vec<Place>,
    /// For each function, whether its start is reached.
    is_reached: Vec<bool>,
}

impl Reached {
    fn add(&mut self, place: Place) -> Result<(), OutOfMemory> {
        let is_new = if place.offset == 0 {
            let is_reached = self.is_reached.get_mut(place.number);
            is_reached.is_some_and(|is_reached| !mem::replace(is_reached, true))
        } else {
            !self.places.contains(&place)
        };
        if is_new {
            push(&mut self.places, place)
        } else {
            Ok(())
        }
    }
}

impl<A: Arch> Fbt<A> {
    /// Refuses every function of the kernel proper that runs where no trap can be taken.
    ///
    /// Out of line, so that its locals are not in the frame of the registry's constructor as well.
    #[inline(never)]
    pub(super) fn refuse_untrappable<P: Platform>(
        &mut self,
        platform: &P,
    ) -> Result<(), OutOfMemory> {
        for path in platform.blacklist().paths {
            for place in self.reached(platform, path)? {
                self.refuse(place.number, Reason::Toxic(path.why));
            }
        }
        Ok(())
    }

    fn reached<P: Platform>(&self, platform: &P, path: &Path) -> Result<Vec<Place>, OutOfMemory> {
        let mut reached = Reached {
            places: Vec::new(),
            is_reached: filled(self.functions.len(), || false)?,
        };
        for [first, last] in path.roots {
            let from = self.named(first);
            let to = if first == last {
                from
            } else {
                self.named(last)
            };
            if let Some((from, to)) = from.zip(to) {
                (from..=to).try_for_each(|number| reached.add(Place { number, offset: 0 }))?;
            }
        }
        let mut next = 0;
        while let Some(place) = reached.places.get(next).copied() {
            self.follow(platform, path, place, &mut reached)?;
            platform.cond_resched();
            next = next.saturating_add(1);
        }
        Ok(reached.places)
    }

    /// Adds what the function calls on this path, from where that leads to.
    fn follow<P: Platform>(
        &self,
        platform: &P,
        path: &Path,
        place: Place,
        reached: &mut Reached,
    ) -> Result<(), OutOfMemory> {
        let has_text = |function: &&Function| {
            platform.off_limits(function.address) != Some(OffLimits::Discarded)
        };
        let Some(function) = self.functions.get(place.number).filter(has_text) else {
            return Ok(());
        };
        let bytes = function.end.wrapping_sub(function.address).min(LONGEST);
        let mut memory = filled(
            A::room(bytes, A::KERNEL).saturating_mul(MEMORY_FACTOR),
            || 0,
        )?;
        let mut added = Ok(());
        let mut see = |to: u64| {
            let Some(place) = self.at(to as usize) else {
                return true;
            };
            let name = self.name_of(place.number);
            if path
                .ends
                .iter()
                .chain(&DIAGNOSTICS)
                .any(|end| matches(end, name))
            {
                return false;
            }
            if added.is_ok() && !path.passes.iter().any(|pass| matches(pass, name)) {
                added = reached.add(place);
            }
            true
        };
        if let Some(context) = self.walk_context(platform, place.number) {
            // A function that cannot be walked is refused by itself; its calls remain unknown.
            _ = context.with_text(|text, extent| {
                let from = extent.start.saturating_add(place.offset);
                A::calls(text, from..extent.end, &mut memory, &mut see)
            });
        }
        added
    }

    /// Number of the kernel function of this name.
    fn named(&self, name: &[u8]) -> Option<usize> {
        let mut numbers = self.modules.first()?.numbers();
        numbers.find(|number| self.name_of(*number) == name)
    }

    /// The place of an address in the kernel.
    fn at(&self, address: usize) -> Option<Place> {
        let functions = self.functions.get(self.modules.first()?.numbers())?;
        let behind = functions.partition_point(|function| function.address <= address);
        let number = behind.checked_sub(1)?;
        let function = functions.get(number)?;
        let offset = address.wrapping_sub(function.address);
        (address < function.end).then_some(Place { number, offset })
    }

    fn name_of(&self, number: usize) -> &[u8] {
        let function = self.functions.get(number);
        function.map_or(&[], |function| self.names.get(function.name))
    }

    fn refuse(&mut self, number: usize, reason: Reason) {
        // A refusal of the function itself takes precedence; one of its instruction is replaced.
        if let Some(function) = self.functions.get_mut(number)
            && function
                .entry
                .map_or_else(Reason::is_of_instruction, |_| true)
        {
            function.entry = Err(reason);
            function.returns = Returns::Refused(reason);
        }
    }
}
