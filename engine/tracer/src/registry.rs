//! All probes, by their IDs.
//!
//! A probe's ID is its index and one. First come the engine's own, then the timers that are always
//! there, then the functions, then the timers that somebody has asked for.

use engine_abi::Description;

use crate::glob::describes;
use crate::grow::OutOfMemory;
use crate::isa::Isa;
use crate::names::Names;
use crate::platform::Platform;
use crate::providers::dtrace::{self, Own};
use crate::providers::fbt::{self, Fbt};
use crate::providers::profile::{self, Profile};
use crate::tracer::Error;

/// A probe: a provider, and the probe's number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// One of the engine's own.
    Own(Own),
    /// A timer.
    Timer(usize),
    /// A function's entry.
    Function(usize),
}

/// What a probe is called by.
#[derive(Debug, Clone, Copy)]
pub enum Called<'a> {
    /// One of the engine's own.
    Own(Own),
    /// A timer of that name.
    Timer(&'a [u8]),
    /// The entry of the function of that name.
    Function(&'a [u8]),
}

impl<'a> Called<'a> {
    /// Its provider, module, function and name.
    pub fn names(self) -> [&'a [u8]; 4] {
        match self {
            Self::Own(own) => [dtrace::PROVIDER, b"", b"", own.name()],
            Self::Timer(name) => [profile::PROVIDER, b"", b"", name],
            Self::Function(name) => [fbt::PROVIDER, fbt::MODULE, name, fbt::ENTRY],
        }
    }
}

const FIRST_TIMER: usize = Own::ALL.len();
const FIRST_FUNCTION: usize = FIRST_TIMER + profile::DEFAULTS.len();

/// The providers.
#[derive(Debug)]
pub struct Registry<T> {
    /// The functions.
    pub fbt: Fbt<T>,
    /// The timers.
    pub profile: Profile,
}

impl<T: Copy> Registry<T> {
    /// Every probe that `platform` offers; the functions' names go to `names`.
    pub fn provide<I: Isa<Text = T>, P: Platform>(
        platform: &P,
        names: &mut Names,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            fbt: Fbt::provide::<I, P>(platform, names)?,
            profile: Profile::provide()?,
        })
    }

    /// Somebody asks for what `description` describes. What is made only when it is asked for is made, in
    /// the place of one that is not enabled, where there are as many as there may be.
    pub fn ask(
        &mut self,
        description: &Description,
        is_enabled: impl Fn(Probe) -> bool,
    ) -> Result<(), Error> {
        let called = Called::Timer(description.name());
        if describes(description, called.names()) {
            let is_used = |number| is_enabled(Probe::Timer(number));
            self.profile.ask(description.name(), is_used)?;
        }
        Ok(())
    }

    /// The probe of this index.
    pub fn probe(&self, index: usize) -> Option<Probe> {
        if let Some(own) = Own::ALL.get(index) {
            return Some(Probe::Own(*own));
        }
        let functions = self.fbt.probes().len();
        let number = match index.checked_sub(FIRST_FUNCTION) {
            None => index.wrapping_sub(FIRST_TIMER),
            Some(number) if number < functions => return Some(Probe::Function(number)),
            Some(number) => number
                .wrapping_sub(functions)
                .wrapping_add(profile::DEFAULTS.len()),
        };
        (number < self.profile.timers().len()).then_some(Probe::Timer(number))
    }

    /// The ID of a probe.
    pub fn id(&self, probe: Probe) -> u32 {
        let index = match probe {
            Probe::Own(own) => own as usize,
            Probe::Timer(number) if number < profile::DEFAULTS.len() => {
                number.wrapping_add(FIRST_TIMER)
            }
            Probe::Timer(number) => number
                .wrapping_add(self.fbt.probes().len())
                .wrapping_add(FIRST_TIMER),
            Probe::Function(number) => number.wrapping_add(FIRST_FUNCTION),
        };
        (index as u32).wrapping_add(1)
    }

    /// What a probe is called by.
    pub fn called<'a>(&'a self, names: &'a Names, probe: Probe) -> Option<Called<'a>> {
        Some(match probe {
            Probe::Own(own) => Called::Own(own),
            Probe::Timer(number) => Called::Timer(self.profile.timers().get(number)?.name.bytes()),
            Probe::Function(number) => {
                Called::Function(names.get(self.fbt.probes().get(number)?.function))
            }
        })
    }

    /// The probes from this ID on that `description` describes.
    pub fn matching<'a>(
        &'a self,
        names: &'a Names,
        description: &'a Description,
        id: u32,
    ) -> impl Iterator<Item = Probe> + 'a {
        let first = (id as usize).saturating_sub(1);
        (first..)
            .map_while(move |index| self.probe(index))
            .filter(move |probe| {
                let called = self.called(names, *probe);
                called.is_some_and(|called| describes(description, called.names()))
            })
    }

    /// The ID and the names of a probe; none where a name does not fit a description.
    pub fn describe(&self, names: &Names, probe: Probe) -> Option<(u32, Description)> {
        let [provider, module, function, name] = self.called(names, probe)?.names();
        let described = Description::new(provider, module, function, name).ok()?;
        Some((self.id(probe), described))
    }

    /// Changes how many active ECBs a probe has.
    pub fn count(&mut self, probe: Probe, change: impl Fn(u32) -> u32) {
        let ecbs = match probe {
            Probe::Own(_) => None,
            Probe::Timer(number) => {
                let timer = self.profile.timers_mut().get_mut(number);
                timer.map(|timer| &mut timer.ecbs)
            }
            Probe::Function(number) => {
                let function = self.fbt.probes_mut().get_mut(number);
                function.map(|function| &mut function.ecbs)
            }
        };
        if let Some(ecbs) = ecbs {
            *ecbs = change(*ecbs);
        }
    }

    /// Whether a probe can fire.
    pub fn is_armed(&self, probe: Probe) -> bool {
        match probe {
            Probe::Own(_) => true,
            Probe::Timer(number) => {
                let timer = self.profile.timers().get(number);
                timer.is_some_and(|timer| timer.armed)
            }
            Probe::Function(number) => {
                let function = self.fbt.probes().get(number);
                function.is_some_and(|function| function.armed)
            }
        }
    }
}
