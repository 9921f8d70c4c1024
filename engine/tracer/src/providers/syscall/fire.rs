//! Firing of the syscall provider.

use engine_isa::Arch;

use super::{At, Ending, Fired, index};
use crate::fire::firing::Fired as Any;
use crate::fire::live::Live;
use crate::platform::{Key, Platform};
use crate::probe::Role;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Fires the entry of a system call, and records the thread as in flight if the return will not
    /// identify the call.
    pub(crate) fn fire_syscall(&self, live: &Live<A>, key: Key, regs: &A::Regs) {
        if let Some(call) = live.syscall.find(key) {
            if call.is_tracked {
                self.in_flight.put(self.platform.thread_key(), key);
            }
            self.fire_call(live, call, Role::Entry, At::Entry(regs));
        }
    }

    /// Fires the return of a system call.
    pub(crate) fn fire_syscall_return(&self, live: &Live<A>, key: Key, value: i64) {
        if let Some(call) = live.syscall.find(key) {
            let value = match call.ending {
                Ending::Restored => 0,
                _ => value,
            };
            self.fire_call(live, call, Role::Return, At::Return(value));
        }
    }

    fn fire_call(&self, live: &Live<A>, call: &index::Call, role: Role, at: At<'_, A>) {
        if let Some(probe) = call.probes.get(role as usize) {
            let table = &live.table;
            let fired = Any::Syscall(Fired { table, call, at });
            self.platform
                .with_irqs_off(|| self.fire(live, *probe, &fired));
        }
    }
}
