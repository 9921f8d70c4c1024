//! All probes, by ID.
//!
//! A probe's ID is its number within its provider plus the provider's first ID. Providers' ID
//! ranges follow one another in the order of the [list](crate::providers::list) and start at 1; not
//! every ID has a probe.

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

/// A probe, by provider and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The provider it belongs to.
    pub provider: Id,
    /// Its number within the provider, from 0.
    pub number: u32,
}

impl Probe {
    /// The probe `number` of `provider`.
    pub const fn new(provider: Id, number: usize) -> Self {
        let number = number as u32;
        Self { provider, number }
    }

    /// Its number, if it belongs to `provider`.
    pub fn of(self, provider: Id) -> Option<usize> {
        (self.provider == provider).then_some(self.number as usize)
    }
}

macro_rules! registry {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// A provider's identity.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Id {
            $(#[doc = concat!("`", stringify!($field), "`.")] $variant,)*
        }

        /// The providers, and the kernel events that are subscribed to for them.
        pub struct Registry<A: Arch> {
            $(#[doc = concat!("The provider `", stringify!($field), "`.")] pub $field: $control,)*
            /// The current subscriptions.
            pub subscriptions: Subscriptions,
        }

        impl<A: Arch> Registry<A> {
            /// Has every provider provide its probes.
            #[inline(never)]
            pub fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
                Ok(Self {
                    $($field: Provider::<A>::provide(platform)?,)*
                    subscriptions: Subscriptions::none()?,
                })
            }

            /// Returns the ID of the provider's probe 0.
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

            /// The probes with an ID of at least `id` that `pattern` matches, in the order of their
            /// IDs.
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

            /// A probe's provider, module, function and name.
            fn names(&self, probe: Probe) -> Option<[&[u8]; 4]> {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        let names = Provider::<A>::names(&self.$field, number)?;
                        let [module, function, name] = names;
                        let provider = Provider::<A>::provider(&self.$field, number);
                        Some([provider, module, function, name])
                    })*
                }
            }

            /// Applies `change` to a probe's count of active ECBs; `by_call` says that they belong
            /// to a consumer that prefers ftrace calls to traps.
            pub fn count(&mut self, probe: Probe, by_call: bool, change: &dyn Fn(u32) -> u32) {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::count(&mut self.$field, number, by_call, change);
                    })*
                }
            }

            /// Whether the probe is armed.
            pub fn is_armed(&self, probe: Probe) -> bool {
                let number = probe.number as usize;
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::is_armed(&self.$field, number, &self.subscriptions)
                    })*
                }
            }

            /// The union of the providers' [`Provider::wants`] for this event.
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

            /// See [`Provider::prepare`].
            pub fn prepare<P: Platform>(&mut self, platform: &P) -> Result<(), OutOfMemory> {
                $(Provider::<A>::prepare(&mut self.$field, platform)?;)*
                Ok(())
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
    /// Returns a probe's ID.
    pub fn id(probe: Probe) -> u32 {
        Self::first_id(probe.provider).wrapping_add(probe.number)
    }

    /// Creates the probes that `description` matches and that are only created on demand. At a
    /// provider's limit, probes that are not enabled are replaced.
    pub fn on_demand<P: Platform>(
        &mut self,
        platform: &P,
        description: &Description,
        is_enabled: &dyn Fn(Probe) -> bool,
    ) -> Result<(), Error> {
        self.on_demand_in(platform, &Pattern::new(description), is_enabled)
    }

    /// Writes the probe's names to `description`, which is too large for a kernel stack, and
    /// returns the probe's ID; none if the probe has no names or one does not fit.
    #[inline(never)]
    pub fn describe(&self, probe: Probe, description: &mut Description) -> Option<u32> {
        let [provider, module, function, name] = self.names(probe)?;
        *description = Description::new(provider, module, function, name).ok()?;
        Some(Self::id(probe))
    }
}
