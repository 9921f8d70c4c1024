//! What processes live through, as it fires.

use engine_isa::Arch;

use crate::fire::firing::Fired;
use crate::fire::live::Live;
use crate::platform::{Event, Platform, Rcu};
use crate::providers::proc::Proc;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// This has happened to this thread, or by it, with what the event tells. To be called where nothing can put
    /// another thread in its place.
    pub fn happened(&self, event: Event, told: [u64; 4]) {
        let Some(probe) = Proc::at(event) else { return };
        self.live.read(|live| {
            if let Some(live) = live {
                self.fire_process(live, probe, told);
            }
        });
    }

    /// Whether this is the first thread of a process that tells of that: no other does until the process is gone.
    pub fn is_first(&self, event: Event, process: usize, is_alone: bool) -> bool {
        self.platform
            .undisturbed(|| self.once.is_first(event, process, is_alone))
    }

    /// No thread of this process will tell of anything.
    pub fn process_gone(&self, process: usize) {
        self.platform.undisturbed(|| self.once.forget(process));
    }

    /// Fires one of the provider's probes.
    pub(crate) fn fire_process(&self, live: &Live<A>, probe: Proc, told: [u64; 4]) {
        let number = live.process(probe);
        let fired = Fired::Process(probe, told);
        self.platform
            .undisturbed(|| self.fire(live, number, &fired));
    }
}
