//! Providers: where probes come from.
//!
//! A provider is a folder here and a line in [`list`]. It has three parts:
//!
//! - Its control side implements [`Provider`], under the control lock: it numbers its probes from
//!   0, counts their active ECBs, and arms and disarms them. It may sleep. The number of an enabled
//!   probe does not change.
//! - What firings look up, [`Provider::Live`], is part of the live table. It is immutable, and is
//!   published anew whenever the set of enabled probes changes.
//! - Its variant of `Fired` implements [`Fires`], which supplies names, arguments and the stack's
//!   origin when a clause reads them. It runs in the firing: no sleeping, no allocation.
//!
//! A provider does not depend on another, and nothing above depends on a particular one, except for
//! the entry points that fire its probes.

pub mod dtrace;
pub mod fbt;
pub mod list;
pub mod pid;
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
use crate::platform::{Context, Event, Numbers, Origin, Platform, UserOrigin};
use crate::probe::glob::Pattern;

/// The control side of a provider, protected by the control lock.
pub trait Provider<A: Arch>: Sized {
    /// The provider's name.
    const NAME: &'static [u8];
    /// Upper bound of its probe numbers; the size of its ID range.
    const PROBES_MAX: usize;

    /// The part of the live table that its firings look up.
    type Live: Published;

    /// Provides all probes of `platform`, except those that are created on demand.
    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory>;

    /// Creates the probes that `pattern` matches and that are only created on demand. `is_enabled`
    /// tells which numbers are in use and must not be reassigned.
    fn on_demand<P: Platform>(
        &mut self,
        _platform: &P,
        _pattern: &Pattern<'_>,
        _is_enabled: &dyn Fn(usize) -> bool,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Number of probe numbers assigned. Not every one has a probe.
    fn numbers(&self) -> usize;

    /// The provider's name in the probe of this number, where it has several.
    fn provider(&self, _number: usize) -> &[u8] {
        Self::NAME
    }

    /// Module, function and name of the probe of this number.
    fn names(&self, number: usize) -> Option<[&[u8]; 3]>;

    /// The numbers, from `first` on, of the probes that `pattern` matches.
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

    /// Applies `change` to the probe's count of active ECBs; `by_call` says that they belong to a
    /// consumer that prefers ftrace calls to traps.
    fn count(&mut self, number: usize, by_call: bool, change: &dyn Fn(u32) -> u32);

    /// Whether the probe is armed.
    fn is_armed(&self, number: usize, subscriptions: &Subscriptions) -> bool;

    /// The system calls for which it needs this event; for any other event, all or none.
    fn wants(&self, _event: Event) -> Numbers {
        Numbers::NONE
    }

    /// Disarms what has no active ECB any more, before the live table forgets it. `first_id` is the
    /// ID of the provider's first probe; tracepoints are registered by ID.
    fn disarm<P: Platform>(&mut self, _platform: &P, _first_id: u32) {}

    /// Allocates what arming needs, before the live table is built.
    fn prepare<P: Platform>(&mut self, _platform: &P) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Arms what has active ECBs, once the live table has it. What cannot be armed stays unarmed.
    fn arm<P: Platform>(&mut self, _platform: &P, _first_id: u32) {}

    /// Builds what firings look up, and adds the enabled probes to `table`.
    fn publish(&mut self, table: &mut Table) -> Result<Self::Live, OutOfMemory>;

    /// The index in the table of the probe of this number, if it was published.
    fn place(&self, live: &Self::Live, number: usize) -> Option<u32>;
}

/// A provider's part of the live table.
pub trait Published {
    /// Size in bytes, besides the table.
    fn bytes(&self) -> usize {
        0
    }

    /// The tracepoint registered for the provider's probe `number` was hit: returns the index in
    /// `table` of the probe that fires, and its module, function and name. The probe's arguments
    /// are the tracepoint's, unless this changes them.
    fn at_tracepoint<'t>(
        &'t self,
        _table: &'t Table,
        _number: usize,
        _arguments: &mut [u64; 6],
    ) -> Option<(u32, [&'t [u8]; 3])> {
        None
    }
}

/// A firing, as clauses query it.
pub trait Fires<A: Arch> {
    /// The provider's name, where it has several.
    fn provider(&self) -> Option<&[u8]> {
        None
    }

    /// Module, function and name of the probe.
    fn names(&self) -> [&[u8]; 3];

    /// Argument `number` of the probe, from 0.
    fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64;

    /// The probed code's return address; none if the stack must be unwound for it.
    fn caller<P: Platform<Regs = A::Regs>>(&self, _platform: &P) -> Option<u64> {
        Some(0)
    }

    /// The error number of a failed system call; otherwise 0.
    fn errno(&self) -> u64 {
        0
    }

    /// The context that the probe fires in.
    fn context(&self) -> Context {
        Context::Thread
    }

    /// Where a stack trace starts, and how many of its frames belong to the probed function.
    fn origin(&self) -> (Origin<'_, A::Regs>, usize) {
        (Origin::Interrupted, 0)
    }

    /// Where the walk over the user stack starts.
    fn user_origin<P: Platform<Regs = A::Regs>>(&self, _platform: &P) -> UserOrigin<'_, A::Regs> {
        UserOrigin::Saved
    }

    /// The registers after the return to the caller, where unwinding starts from those.
    fn after<P: Platform<Regs = A::Regs>>(&self, _platform: &P) -> Option<A::Regs> {
        None
    }
}

/// The firing type of a provider that fires only at tracepoints; never constructed.
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

/// Element `number` of the arguments; 0 if there are fewer.
pub(crate) fn argument_at(arguments: &[u64], number: u64) -> u64 {
    let number = usize::try_from(number).ok();
    let argument = number.and_then(|number| arguments.get(number));
    argument.copied().unwrap_or_default()
}
