//! All probes, by their IDs.
//!
//! A probe's ID is one more than its number with its provider, behind all that the providers before it can have: see
//! the [list](crate::providers::list) of providers. Not every ID has a probe.

use core::iter;

use engine_abi::Description;
use engine_isa::Arch;

use crate::error::Error;
use crate::grow::OutOfMemory;
use crate::platform::{Event, Numbers, Platform};
use crate::probe::glob::Pattern;
use crate::providers::Provider;
use crate::providers::list::providers;
use crate::providers::subscriptions::Subscriptions;

/// A probe: its provider, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The provider.
    pub provider: Id,
    /// The number.
    pub number: u32,
}

impl Probe {
    /// That provider's probe of that number.
    pub const fn new(provider: Id, number: usize) -> Self {
        let number = number as u32;
        Self { provider, number }
    }

    /// Its number with that provider, if it is one of that provider's.
    pub fn of(self, provider: Id) -> Option<usize> {
        (self.provider == provider).then_some(self.number as usize)
    }
}

macro_rules! registry {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// A provider.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Id {
            $(#[doc = concat!("`", stringify!($field), "`.")] $variant,)*
        }

        /// The providers, and what the kernel tells of for them.
        pub struct Registry<A: Arch> {
            $(#[doc = concat!("The provider `", stringify!($field), "`.")] pub $field: $control,)*
            /// Which events the kernel tells of.
            pub subscriptions: Subscriptions,
        }

        impl<A: Arch> Registry<A> {
            /// Every probe that `platform` offers.
            #[inline(never)]
            pub fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
                Ok(Self {
                    $($field: Provider::<A>::provide(platform)?,)*
                    subscriptions: Subscriptions::none()?,
                })
            }

            /// The ID that the first probe of that provider has.
            pub fn first_id(provider: Id) -> u32 {
                let mut first = 1usize;
                $(
                    if provider == Id::$variant {
                        return first as u32;
                    }
                    first = first.saturating_add(<$control as Provider<A>>::PROBES_MAX);
                )*
                first as u32
            }

            fn on_demand_in<P: Platform>(
                &mut self,
                platform: &P,
                pattern: &Pattern<'_>,
                is_enabled: &dyn Fn(Probe) -> bool,
            ) -> Result<(), Error> {
                $(
                    let is_its = |number| is_enabled(Probe::new(Id::$variant, number));
                    Provider::<A>::on_demand(&mut self.$field, platform, pattern, &is_its)?;
                )*
                Ok(())
            }

            /// The probes from this ID on that `pattern` describes.
            pub fn matching<'a>(
                &'a self,
                pattern: &'a Pattern<'_>,
                id: u32,
            ) -> impl Iterator<Item = Probe> + 'a {
                let matching = iter::empty();
                $(
                    let first = id.saturating_sub(Self::first_id(Id::$variant)) as usize;
                    let numbers = Provider::<A>::matching(&self.$field, pattern, first);
                    let probes = numbers.map(|number| Probe::new(Id::$variant, number));
                    let matching = matching.chain(probes);
                )*
                matching
            }

            /// What a probe is called by: provider, module, function and name.
            fn names(&self, probe: Probe) -> Option<[&[u8]; 4]> {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        let names = Provider::<A>::names(&self.$field, number)?;
                        let [module, function, name] = names;
                        Some([<$control as Provider<A>>::NAME, module, function, name])
                    })*
                }
            }

            /// Changes how many active ECBs a probe has; `by_call` says that they are of a consumer that would have
            /// the function tracer call.
            pub fn count(&mut self, probe: Probe, by_call: bool, change: &dyn Fn(u32) -> u32) {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::count(&mut self.$field, number, by_call, change);
                    })*
                }
            }

            /// Whether a probe can fire.
            pub fn is_armed(&self, probe: Probe) -> bool {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::is_armed(&self.$field, number, &self.subscriptions)
                    })*
                }
            }

            /// Of which system calls that event is wanted; of any other event, all or none.
            #[inline(never)]
            pub fn wants(&self, event: Event) -> Numbers {
                let mut numbers = Numbers::NONE;
                $(numbers.add_all(&Provider::<A>::wants(&self.$field, event));)*
                numbers
            }

            /// See [`Provider::disarm`].
            pub fn disarm<P: Platform>(&mut self, platform: &P) {
                $(Provider::<A>::disarm(
                    &mut self.$field,
                    platform,
                    Self::first_id(Id::$variant),
                );)*
            }

            /// See [`Provider::arm`].
            pub fn arm<P: Platform>(&mut self, platform: &P) {
                $(Provider::<A>::arm(&mut self.$field, platform, Self::first_id(Id::$variant));)*
            }
        }
    };
}
providers!(registry);

impl<A: Arch> Registry<A> {
    /// A probe's ID.
    pub fn id(probe: Probe) -> u32 {
        Self::first_id(probe.provider).wrapping_add(probe.number)
    }

    /// Makes what `description` describes and is made only when somebody asks for it, in the place of what is not
    /// enabled where there are as many as there may be.
    pub fn on_demand<P: Platform>(
        &mut self,
        platform: &P,
        description: &Description,
        is_enabled: &dyn Fn(Probe) -> bool,
    ) -> Result<(), Error> {
        self.on_demand_in(platform, &Pattern::new(description), is_enabled)
    }

    /// The ID of a probe, and its names to `description`, which is large for a kernel's stack; none where a name does
    /// not fit one.
    #[inline(never)]
    pub fn describe(&self, probe: Probe, description: &mut Description) -> Option<u32> {
        let [provider, module, function, name] = self.names(probe)?;
        *description = Description::new(provider, module, function, name).ok()?;
        Some(Self::id(probe))
    }
}
