//! All probes, by their IDs.
//!
//! A probe's ID is its index and one. First come the engine's own and those of processes, then room for all the timers
//! and system calls that there can be, then each function's entry and return. Not every index has a probe.

use engine_abi::Description;
use engine_isa::Arch;

use crate::error::Error;
use crate::grow::OutOfMemory;
use crate::platform::{Numbers, Platform};
use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::providers::dtrace::{self, Own};
use crate::providers::fbt::{self, Fbt};
use crate::providers::proc::{self, Proc, Procs};
use crate::providers::profile::{self, Profile};
use crate::providers::subscriptions::{self, Told};
use crate::providers::syscall::{self, Syscalls};

/// A probe: a provider, and the probe's number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// One of the engine's own.
    Own(Own),
    /// What processes live through.
    Process(Proc),
    /// A timer.
    Timer(usize),
    /// One of a system call's.
    Syscall(usize, Role),
    /// One of a function's.
    Function(usize, Role),
}

impl Probe {
    /// Its ID.
    pub fn id(self) -> u32 {
        let index = match self {
            Self::Own(own) => own as usize,
            Self::Process(probe) => (probe as usize).wrapping_add(FIRST_PROCESS),
            Self::Timer(number) => number.wrapping_add(FIRST_TIMER),
            Self::Syscall(number, role) => place(number, role).wrapping_add(FIRST_SYSCALL),
            Self::Function(number, role) => place(number, role).wrapping_add(FIRST_FUNCTION),
        };
        (index as u32).wrapping_add(1)
    }
}

/// Where one of two probes is, among those of its like.
fn place(number: usize, role: Role) -> usize {
    let probes = number.wrapping_mul(Role::ALL.len());
    probes.wrapping_add(role as usize)
}

/// What a probe is called by.
#[derive(Debug, Clone, Copy)]
pub enum Called<'a> {
    /// One of the engine's own.
    Own(Own),
    /// What processes live through.
    Process(Proc),
    /// A timer of that name.
    Timer(&'a [u8]),
    /// One of a system call's, by its ABI's name and its own.
    Syscall([&'a [u8]; 2], Role),
    /// One of a function's, by its module's name and its own.
    Function([&'a [u8]; 2], Role),
}

impl<'a> Called<'a> {
    /// Its provider, module, function and name.
    pub fn names(self) -> [&'a [u8]; 4] {
        match self {
            Self::Own(own) => [dtrace::PROVIDER, b"", b"", own.name()],
            Self::Process(probe) => [proc::PROVIDER, fbt::KERNEL_NAME, b"", probe.name()],
            Self::Timer(name) => [profile::PROVIDER, b"", b"", name],
            Self::Syscall([abi, name], role) => [syscall::PROVIDER, abi, name, role.name()],
            Self::Function([module, name], role) => [fbt::PROVIDER, module, name, role.name()],
        }
    }
}

const FIRST_PROCESS: usize = Own::ALL.len();
const FIRST_TIMER: usize = FIRST_PROCESS + Proc::ALL.len();
const FIRST_SYSCALL: usize = FIRST_TIMER + profile::TIMERS_MAX;
const FIRST_FUNCTION: usize = FIRST_SYSCALL + syscall::CALLS_MAX * Role::ALL.len();

/// The providers.
pub struct Registry<A: Arch> {
    /// The functions.
    pub fbt: Fbt<A>,
    /// What processes live through.
    pub procs: Procs,
    /// The timers.
    pub profile: Profile,
    /// The system calls.
    pub syscalls: Syscalls,
    /// Which events the kernel tells of.
    pub told: Told,
}

impl<A: Arch> Registry<A> {
    /// Every probe that `platform` offers.
    #[inline(never)]
    pub fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        Ok(Self {
            fbt: Fbt::provide(platform)?,
            procs: Procs::default(),
            profile: Profile::provide()?,
            syscalls: Syscalls::provide(platform)?,
            told: Told::none()?,
        })
    }

    /// Somebody asks for what `description` describes. What is made only when it is asked for is made, in
    /// the place of one that is not enabled, where there are as many as there may be.
    pub fn ask<P: Platform>(
        &mut self,
        platform: &P,
        description: &Description,
        is_enabled: impl Fn(Probe) -> bool,
    ) -> Result<(), Error> {
        let pattern = Pattern::new(description);
        if pattern.describes(Called::Timer(description.name()).names()) {
            let is_used = |number| is_enabled(Probe::Timer(number));
            self.profile.ask(description.name(), is_used)?;
        }
        let all = 0..self.fbt.functions().len();
        Ok(self.fbt.ask(platform, &pattern, all)?)
    }

    /// The probe of this index, which is no function's.
    fn probe(&self, index: usize) -> Option<Probe> {
        if let Some(own) = Own::ALL.get(index) {
            return Some(Probe::Own(*own));
        }
        if let Some(probe) = Proc::ALL.get(index.wrapping_sub(FIRST_PROCESS)) {
            return Some(Probe::Process(*probe));
        }
        let number = index.wrapping_sub(FIRST_TIMER);
        if number < self.profile.timers().len() {
            return Some(Probe::Timer(number));
        }
        let place = index.checked_sub(FIRST_SYSCALL)?;
        let number = place / Role::ALL.len();
        let role = *Role::ALL.get(place % Role::ALL.len())?;
        let call = self.syscalls.calls().get(number)?;
        call.has(role).then_some(Probe::Syscall(number, role))
    }

    /// What a probe is called by.
    pub fn called(&self, probe: Probe) -> Option<Called<'_>> {
        Some(match probe {
            Probe::Own(own) => Called::Own(own),
            Probe::Process(probe) => Called::Process(probe),
            Probe::Timer(number) => Called::Timer(self.profile.timers().get(number)?.name.bytes()),
            Probe::Syscall(number, role) => {
                let call = self.syscalls.calls().get(number)?;
                Called::Syscall(self.syscalls.called(call), role)
            }
            Probe::Function(number, role) => {
                let function = self.fbt.functions().get(number)?;
                Called::Function(self.fbt.called(function), role)
            }
        })
    }

    /// The probes from this ID on that `pattern` describes.
    pub fn matching<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        id: u32,
    ) -> impl Iterator<Item = Probe> + 'a {
        let first = (id as usize).saturating_sub(1);
        let few = (first..FIRST_FUNCTION).filter_map(|index| self.probe(index));
        let few = few.filter(|probe| self.is_described(*probe, pattern));
        let number = first.saturating_sub(FIRST_FUNCTION) / Role::ALL.len();
        let numbers = number..self.fbt.functions().len();
        let functions = self.fbt.described(pattern, numbers);
        let functions = functions.map(|(number, role)| Probe::Function(number, role));
        // The first of these functions can have a probe whose ID is a lower one.
        few.chain(functions.skip_while(move |probe| probe.id() < id))
    }

    /// Whether a probe is among those that `pattern` describes.
    fn is_described(&self, probe: Probe, pattern: &Pattern<'_>) -> bool {
        let called = self.called(probe);
        called.is_some_and(|called| pattern.describes(called.names()))
    }

    /// The ID of a probe, and its names to `description`, which is large for a kernel's stack; none where a name does
    /// not fit one.
    #[inline(never)]
    pub fn describe(&self, probe: Probe, description: &mut Description) -> Option<u32> {
        let [provider, module, function, name] = self.called(probe)?.names();
        *description = Description::new(provider, module, function, name).ok()?;
        Some(probe.id())
    }

    /// Changes how many active ECBs a probe has; `by_call` says that they are of a consumer that would have the
    /// function tracer call.
    pub fn count(&mut self, probe: Probe, by_call: bool, change: impl Fn(u32) -> u32) {
        let ecbs = match probe {
            Probe::Own(_) => None,
            Probe::Process(probe) => self.procs.ecbs_mut(probe),
            Probe::Timer(number) => {
                let timer = self.profile.timers_mut().get_mut(number);
                timer.map(|timer| &mut timer.ecbs)
            }
            Probe::Syscall(number, role) => {
                let call = self.syscalls.call_mut(number);
                call.and_then(|call| call.ecbs.get_mut(role as usize))
            }
            Probe::Function(number, role) => {
                self.fbt.count(number, role, by_call, &change);
                None
            }
        };
        if let Some(ecbs) = ecbs {
            *ecbs = change(*ecbs);
        }
    }

    /// Whether the kernel tells of what processes live through so.
    fn is_told_of(&self, probe: Proc) -> bool {
        let told = self.told.of(probe.event());
        if !probe.event().is_of_syscall() {
            return told != Numbers::NONE;
        }
        let mut execs = self.syscalls.calls().iter().filter(|call| call.is_exec());
        execs.all(|call| told.has(call.key.abi(), call.key.number()))
    }

    /// Whether a probe can fire.
    pub fn is_armed(&self, probe: Probe) -> bool {
        match probe {
            Probe::Own(_) => true,
            Probe::Process(probe) => self.is_told_of(probe),
            Probe::Timer(number) => {
                let timer = self.profile.timers().get(number);
                timer.is_some_and(|timer| timer.armed)
            }
            Probe::Syscall(number, role) => {
                let call = self.syscalls.calls().get(number);
                let told = self.told.of(subscriptions::of_syscall(role));
                call.is_some_and(|call| told.has(call.key.abi(), call.key.number()))
            }
            Probe::Function(number, role) => self.fbt.is_armed(number, role),
        }
    }
}
