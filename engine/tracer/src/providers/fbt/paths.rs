//! What runs where no trap can be taken, by the calls of the running kernel.
//!
//! The names that an instruction set lists are those of one binary; another compiler or another configuration
//! calls other functions there. So its paths are followed, and each function that one gets to has no probes.

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

/// At a call of these something has gone wrong already.
const COMPLAINTS: [&[u8]; 10] = [
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
];

/// How much more memory a walk is given than a function needs that has parts as large as most are.
const ROOM: usize = 4;

/// What seems to be longer is not followed: something else lies behind it that nobody lists.
const LONGEST: usize = 1 << 18;

/// The functions that the paths get to.
struct Reached {
    numbers: Vec<u32>,
    is_reached: Vec<bool>,
}

impl Reached {
    fn add(&mut self, number: usize) -> Result<(), OutOfMemory> {
        let is_reached = self.is_reached.get_mut(number);
        let is_new = is_reached.is_some_and(|is_reached| !mem::replace(is_reached, true));
        if is_new {
            push(&mut self.numbers, number as u32)
        } else {
            Ok(())
        }
    }
}

impl<A: Arch> Fbt<A> {
    /// Refuses each function of the kernel proper that runs where no trap can be taken.
    pub(super) fn refuse_untrappable<P: Platform>(
        &mut self,
        platform: &P,
    ) -> Result<(), OutOfMemory> {
        for path in platform.blacklist().paths {
            for number in self.reached(platform, path)? {
                self.refuse(number as usize, Reason::Toxic(path.why));
            }
        }
        Ok(())
    }

    fn reached<P: Platform>(&self, platform: &P, path: &Path) -> Result<Vec<u32>, OutOfMemory> {
        let mut reached = Reached {
            numbers: Vec::new(),
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
                (from..=to).try_for_each(|number| reached.add(number))?;
            }
        }
        let mut next = 0;
        while let Some(number) = reached.numbers.get(next).copied() {
            self.follow(platform, path, number as usize, &mut reached)?;
            platform.cond_resched();
            next = next.saturating_add(1);
        }
        Ok(reached.numbers)
    }

    /// Adds what that function calls on those paths.
    fn follow<P: Platform>(
        &self,
        platform: &P,
        path: &Path,
        number: usize,
        reached: &mut Reached,
    ) -> Result<(), OutOfMemory> {
        let is_there = |function: &&Function| {
            platform.off_limits(function.address) != Some(OffLimits::Discarded)
        };
        let Some(function) = self.functions.get(number).filter(is_there) else {
            return Ok(());
        };
        let bytes = function.end.wrapping_sub(function.address).min(LONGEST);
        let mut memory = filled(A::room(bytes).saturating_mul(ROOM), || 0)?;
        let mut added = Ok(());
        let mut see = |to: u64| {
            let Some(number) = self.at(to as usize) else {
                return true;
            };
            let name = self.name_of(number);
            if path
                .ends
                .iter()
                .chain(&COMPLAINTS)
                .any(|end| matches(end, name))
            {
                return false;
            }
            if added.is_ok() && !path.passes.iter().any(|pass| matches(pass, name)) {
                added = reached.add(number);
            }
            true
        };
        if let Some(around) = self.around(platform, number) {
            // What cannot be walked over is refused itself; what it calls is not known.
            _ = around.with_text(|text, extent| A::calls(text, extent, &mut memory, &mut see));
        }
        added
    }

    /// The number of the function of the kernel proper that has this name.
    fn named(&self, name: &[u8]) -> Option<usize> {
        let mut numbers = self.modules.first()?.numbers();
        numbers.find(|number| self.name_of(*number) == name)
    }

    /// The number of the function of the kernel proper that this address is in.
    fn at(&self, address: usize) -> Option<usize> {
        let functions = self.functions.get(self.modules.first()?.numbers())?;
        let behind = functions.partition_point(|function| function.address <= address);
        let number = behind.checked_sub(1)?;
        let function = functions.get(number)?;
        (address < function.end).then_some(number)
    }

    fn name_of(&self, number: usize) -> &[u8] {
        let function = self.functions.get(number);
        function.map_or(&[], |function| self.names.get(function.name))
    }

    fn refuse(&mut self, number: usize, reason: Reason) {
        // What is refused for what it is stays refused for that.
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
