//! Firing of the proc provider.

use engine_isa::Arch;

use super::{Fired, Proc};
use crate::fire::firing::Fired as Any;
use crate::fire::live::Live;
use crate::platform::{Event, EventArguments, Key, Platform, errno};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Fires the probe of a process event, if it has one.
    pub(crate) fn fire_process_event(
        &self,
        live: &Live<A>,
        event: Event,
        arguments: EventArguments,
    ) {
        if let Some(probe) = Proc::at(event) {
            self.fire_process(live, probe, arguments);
        }
    }

    /// Fires `exec` if the system call that this thread enters is one that executes a program.
    pub(crate) fn fire_exec(&self, live: &Live<A>, key: Key, regs: &A::Regs) {
        if let Some(exec) = live.proc.exec(key) {
            let path = self.platform.syscall_argument(regs, exec.path.into());
            self.fire_process(live, Proc::Exec, [path, 0, 0, 0, 0]);
        }
    }

    /// Fires `exec-failure` if such a call returns an error.
    pub(crate) fn fire_exec_failure(&self, live: &Live<A>, key: Key, value: i64) {
        if let (Some(_), Some(error)) = (live.proc.exec(key), errno(value)) {
            self.fire_process(live, Proc::ExecFailure, [error, 0, 0, 0, 0]);
        }
    }

    /// Not inlined, as the callers' other work needs less stack and fewer registers.
    #[inline(never)]
    fn fire_process(&self, live: &Live<A>, probe: Proc, arguments: EventArguments) {
        let number = live.proc.probe(probe);
        let fired = Any::Proc(Fired { probe, arguments });
        self.platform
            .with_irqs_off(|| self.fire(live, number, &fired));
    }

    /// Whether this is the process's first report of `event`; only the first fires, until the
    /// process is gone. `is_alone` says that no other thread is left to report it.
    pub fn is_first(&self, event: Event, process: usize, is_alone: bool) -> bool {
        self.platform
            .with_irqs_off(|| self.once.is_first(event, process, is_alone))
    }

    /// No thread of this process will report anything any more.
    pub fn process_gone(&self, process: usize) {
        self.platform.with_irqs_off(|| self.once.forget(process));
    }
}
