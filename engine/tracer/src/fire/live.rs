//! The live table: everything that firings look up. It is immutable except for hit counts; control
//! builds a new one and replaces the old one under RCU.

use engine_isa::Arch;

use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::providers::list::providers;
use crate::providers::{Provider, Published};
use crate::registry::{Id, Probe, Registry};

macro_rules! live {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// The live table.
        pub struct Live<A: Arch> {
            /// Enabled probes with their ECBs and names.
            pub table: Table,
            $(#[doc = concat!("What `", stringify!($field), "` has published.")]
            pub $field: <$control as Provider<A>>::Live,)*
        }

        impl<A: Arch> Live<A> {
            /// Builds a table of what every provider publishes. Its probes have no ECBs yet.
            #[inline(never)]
            pub fn publish(registry: &mut Registry<A>) -> Result<Self, OutOfMemory> {
                let mut table = Table::default();
                Ok(Self {
                    $($field: {
                        table.begin(Registry::<A>::first_id(Id::$variant));
                        Provider::<A>::publish(&mut registry.$field, &mut table)?
                    },)*
                    table,
                })
            }

            /// The index in [`Live::table`] of a probe, if it was published.
            pub fn place(&self, registry: &Registry<A>, probe: Probe) -> Option<u32> {
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::place(&registry.$field, &self.$field, probe.number as usize)
                    })*
                }
            }

            /// Looks up the probe whose ID the tracepoint was registered with: its index in
            /// [`Live::table`] and its names. The provider may rewrite `arguments`.
            pub fn at_tracepoint<'t>(
                &'t self,
                id: u32,
                arguments: &mut [u64; 6],
            ) -> Option<(u32, [&'t [u8]; 4])> {
                $(
                    let number = id.wrapping_sub(Registry::<A>::first_id(Id::$variant)) as usize;
                    if number < <$control as Provider<A>>::PROBES_MAX {
                        let live = &self.$field;
                        let (probe, names) = live.at_tracepoint(&self.table, number, arguments)?;
                        let [module, function, name] = names;
                        return Some((probe, [<$control as Provider<A>>::NAME, module, function, name]));
                    }
                )*
                None
            }

            /// Size in bytes.
            pub fn bytes(&self) -> usize {
                let published = [$(Published::bytes(&self.$field),)*];
                published.into_iter().sum::<usize>().wrapping_add(self.table.bytes())
            }
        }
    };
}
providers!(live);
