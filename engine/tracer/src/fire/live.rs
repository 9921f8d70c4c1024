//! What is armed and enabled, as firings see it: an immutable table that the control side replaces whole.

use engine_isa::Arch;

use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::providers::list::providers;
use crate::providers::{Provider, Published};
use crate::registry::{Id, Probe, Registry};

macro_rules! live {
    ($($field:ident $variant:ident $control:ty, $fired:ty;)*) => {
        /// All that firings find.
        pub struct Live<A: Arch> {
            /// The probes that fire.
            pub table: Table,
            $(#[doc = concat!("What `", stringify!($field), "` has published.")]
            pub $field: <$control as Provider<A>>::Live,)*
        }

        impl<A: Arch> Live<A> {
            /// What all providers publish, without ECBs.
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

            /// Which of the table's probes that one is, if it was published.
            pub fn place(&self, registry: &Registry<A>, probe: Probe) -> Option<u32> {
                match probe.provider {
                    $(Id::$variant => {
                        Provider::<A>::place(&registry.$field, &self.$field, probe.number as usize)
                    })*
                }
            }

            /// The tracepoint has come that was registered with the ID of a probe: which of the table's probes fires, and
            /// its names.
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

            /// How much memory it takes.
            pub fn bytes(&self) -> usize {
                let published = [$(Published::bytes(&self.$field),)*];
                published.into_iter().sum::<usize>().wrapping_add(self.table.bytes())
            }
        }
    };
}
providers!(live);
