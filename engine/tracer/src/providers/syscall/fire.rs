//! System calls as they fire.
//!
//! The kernel tells of calls that are entered and that return in the thread's own context, where nothing but preemption
//! is off. Of some it tells that nobody has enabled, by which no more is done than to look for them.

use engine_isa::Arch;

use crate::fire::firing::{ByNumber, Fired, errno};
use crate::fire::live::Live;
use crate::platform::{Platform, Rcu};
use crate::probe::Role;
use crate::providers::proc::Proc;
use crate::providers::syscall::index::Syscall;
use crate::providers::syscall::{Ending, Key};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// This thread has entered a system call. To be called where nothing can put another thread in its
    /// place.
    pub fn syscall_entered(&self, abi: u32, number: i64, regs: &A::Regs) {
        let Some(key) = Key::new(abi, number) else {
            return;
        };
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.syscalls().find(key)?)));
            let Some((live, call)) = found else { return };
            if call.returns && call.ending.is_remembered() {
                self.remembered.put(self.platform.thread(), key);
            }
            let numbered = ByNumber { live, call };
            self.fire_call(live, (call, Role::Entry), &Fired::Syscall(numbered, regs));
            if let Ending::Elsewhere(path) = call.ending {
                let path = self.platform.syscall_argument(regs, path.into());
                self.fire_process(live, Proc::Exec, [path, 0, 0, 0]);
            }
        });
    }

    /// A system call of this thread's returns that value. To be called likewise.
    pub fn syscall_returned(&self, abi: u32, number: i64, value: i64) {
        let remembered = self.remembered.take(self.platform.thread());
        let Some(key) = remembered.or_else(|| Key::new(abi, number)) else {
            return;
        };
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.syscalls().find(key)?)));
            let Some((live, call)) = found else { return };
            let value = match call.ending {
                Ending::Restored => 0,
                _ => value,
            };
            let numbered = ByNumber { live, call };
            let fired = Fired::SyscallReturn(numbered, value);
            self.fire_call(live, (call, Role::Return), &fired);
            if let (Ending::Elsewhere(_), Some(error)) = (call.ending, errno(value)) {
                self.fire_process(live, Proc::ExecFailure, [error, 0, 0, 0]);
            }
        });
    }

    /// Neither what a system call returns in a child nor that the child starts will be told of.
    pub fn syscall_lost(&self) {
        self.remembered.lose();
    }

    fn fire_call(&self, live: &Live<A>, (call, role): (&Syscall, Role), fired: &Fired<'_, A>) {
        if let Some(probe) = call.probes.get(role as usize) {
            self.platform.undisturbed(|| self.fire(live, *probe, fired));
        }
    }
}
