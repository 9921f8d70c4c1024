//! A function's original text, without anyone's traps, and its surroundings.

use core::ops::Range;

use engine_isa::Arch;
use engine_isa::body::Text;

use super::Fbt;
use super::function::Function;
use crate::platform::Platform;
use crate::probe::names::Names;
use crate::site::Site;
use crate::site::eligible;

/// A function with what a walk over it needs of its module.
pub struct WalkContext<'a, P, A: Arch> {
    pub platform: &'a P,
    names: &'a Names,
    functions: &'a [Function],
    pub function: &'a Function,
    /// The site of its entry.
    pub entry: Option<&'a Site<A>>,
}

impl<P: Platform, A: Arch> WalkContext<'_, P, A> {
    /// Reads text with traps undone. A function is walked before it has other sites, so of our
    /// traps there can only be the entry's.
    fn loads(&self, address: u64, bytes: &mut [u8]) -> bool {
        let address = address as usize;
        let is_read = self.platform.peek_original(address, bytes).is_ok();
        if let Some(site) = self.entry.filter(|site| site.is_trapped()) {
            let displaced = site.text.as_ref().iter().take(A::TRAP.len());
            for (place, byte) in (site.address..).zip(displaced) {
                let place = place.checked_sub(address);
                if let Some(to) = place.and_then(|place| bytes.get_mut(place)) {
                    *to = *byte;
                }
            }
        }
        is_read
    }

    /// The part of the function that contains this address, if one does.
    fn part(&self, address: u64) -> Option<Range<u64>> {
        let behind = self
            .functions
            .partition_point(|it| it.address as u64 <= address);
        let part = self.functions.get(behind.checked_sub(1)?)?;
        let names = [part, self.function].map(|it| self.names.get(it.name));
        let [part_name, name] = names;
        let part = eligible::part_of(part_name, part.address..part.end, name)?;
        let part = part.start as u64..part.end as u64;
        part.contains(&address).then_some(part)
    }

    /// Runs `work` on the function's text and range.
    pub fn with_text<R>(&self, work: impl FnOnce(&Text<'_>, Range<usize>) -> R) -> R {
        let text = Text {
            load: &|address, bytes| self.loads(address, bytes),
            part: &|address| self.part(address),
            returns: &|address| self.platform.is_return_thunk(address as usize),
            is_open: false,
        };
        work(&text, self.function.address..self.function.end)
    }
}

impl<A: Arch> Fbt<A> {
    /// The function of this number with its surroundings.
    pub(super) fn walk_context<'a, P>(
        &'a self,
        platform: &'a P,
        number: usize,
    ) -> Option<WalkContext<'a, P, A>> {
        let function = self.functions.get(number)?;
        let module = self.modules.get(function.module as usize)?;
        let entry = function.entry.ok();
        Some(WalkContext {
            platform,
            names: &self.names,
            functions: self.functions.get(module.numbers())?,
            function,
            entry: entry.and_then(|site| self.sites.get(site as usize)),
        })
    }
}
