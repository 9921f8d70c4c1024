//! Where probes come from.
//!
//! A provider is a folder here and a line in [`list`]. Behind the control lock it knows its probes, each by a
//! number of its own ([`Provider`]). What firings find of it is in the live table: [`Provider::Live`], which it
//! publishes anew whenever what is enabled changes. What one of its firings can be asked is its variant of
//! `Fired`, by [`Fires`].
//!
//! A provider names no other provider, and nothing above names one, but for who fires its probes.

pub mod dtrace;
pub mod fbt;
pub mod list;
pub mod proc;
pub mod profile;
pub mod sdt;
pub mod subscriptions;
pub mod syscall;

use engine_isa::Arch;
use subscriptions::Subscriptions;

use crate::error::Error;
use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::platform::{Context, Event, Numbers, Origin, Platform};
use crate::probe::glob::Pattern;

/// A provider behind the control lock.
pub trait Provider<A: Arch>: Sized {
    /// Its name.
    const NAME: &'static [u8];
    /// The most probes that it can have: their numbers are lower.
    const PROBES_MAX: usize;

    /// What firings find of it.
    type Live: Published;

    /// All that `platform` offers.
    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory>;

    /// Makes what `pattern` describes and is made only when somebody asks for it. `is_enabled` knows which numbers
    /// must stay what they are.
    fn on_demand<P: Platform>(
        &mut self,
        _platform: &P,
        _pattern: &Pattern<'_>,
        _is_enabled: &dyn Fn(usize) -> bool,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// How many numbers are in use. Not every one has a probe.
    fn numbers(&self) -> usize;

    /// The module, the function and the name of the probe of that number.
    fn names(&self, number: usize) -> Option<[&[u8]; 3]>;

    /// The numbers, from `first` on, of the probes that `pattern` describes.
    fn matching<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        first: usize,
    ) -> impl Iterator<Item = usize> + 'a
    where
        A: 'a,
    {
        (first..self.numbers()).filter(move |number| {
            self.names(*number).is_some_and(|[module, function, name]| {
                pattern.describes([Self::NAME, module, function, name])
            })
        })
    }

    /// Changes how many active ECBs that probe has; `by_call` says that they are of a consumer that would have the
    /// function tracer call.
    fn count(&mut self, number: usize, by_call: bool, change: &dyn Fn(u32) -> u32);

    /// Whether that probe can fire.
    fn is_armed(&self, number: usize, subscriptions: &Subscriptions) -> bool;

    /// Of which system calls it has to be told that event; of any other event, all or none.
    fn wants(&self, _event: Event) -> Numbers {
        Numbers::NONE
    }

    /// Disarms what no active ECB wants any more, before the live table forgets it. The provider's first probe has the
    /// ID `first_id`, by which tracepoints know it.
    fn disarm<P: Platform>(&mut self, _platform: &P, _first_id: u32) {}

    /// Arms what is wanted, now that the live table knows it. What cannot be armed is not.
    fn arm<P: Platform>(&mut self, _platform: &P, _first_id: u32) {}

    /// What firings are to find, with its probes in `table`.
    fn publish(&mut self, table: &mut Table) -> Result<Self::Live, OutOfMemory>;

    /// Which probe of the table that of this number is, if it was published.
    fn place(&self, live: &Self::Live, number: usize) -> Option<u32>;
}

/// What firings find of a provider.
pub trait Published {
    /// How much memory it takes besides the table.
    fn bytes(&self) -> usize {
        0
    }

    /// The tracepoint has come that the provider registered for its probe of this number: which probe of `table` fires,
    /// and the module, the function and the name of it. Its arguments are those of the tracepoint, unless they are
    /// changed here.
    fn at_tracepoint<'t>(
        &'t self,
        _table: &'t Table,
        _number: usize,
        _arguments: &mut [u64; 6],
    ) -> Option<(u32, [&'t [u8]; 3])> {
        None
    }
}

/// What has fired, to be asked for what a clause wants to know.
pub trait Fires<A: Arch> {
    /// The module, the function and the name of the probe.
    fn names(&self) -> [&[u8]; 3];

    /// Its argument of that number, from 0.
    fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64;

    /// Where the probed code returns to; none where the stack has to be asked.
    fn caller<P: Platform<Regs = A::Regs>>(&self, _platform: &P) -> Option<u64> {
        Some(0)
    }

    /// The error number, of a system call that fails.
    fn errno(&self) -> u64 {
        0
    }

    /// What it interrupted.
    fn context(&self) -> Context {
        Context::Thread
    }

    /// Where the stack begins, and how many frames are the probed function's own.
    fn origin(&self) -> (Origin<'_, A::Regs>, usize) {
        (Origin::Interrupted, 0)
    }

    /// The registers in the caller, where that is how callers are found.
    fn after<P: Platform<Regs = A::Regs>>(&self, _platform: &P) -> Option<A::Regs> {
        None
    }
}

/// What a provider fires that only registers for tracepoints: nothing but those.
#[derive(Debug)]
pub enum ByTracepoint {}

impl<A: Arch> Fires<A> for ByTracepoint {
    fn names(&self) -> [&[u8]; 3] {
        match *self {}
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, _: u64) -> u64 {
        match *self {}
    }
}

/// The argument of that number, of those that are told.
pub(crate) fn among(arguments: &[u64], number: u64) -> u64 {
    let number = usize::try_from(number).ok();
    let argument = number.and_then(|number| arguments.get(number));
    argument.copied().unwrap_or_default()
}
