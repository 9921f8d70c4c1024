//! What the kernel is asked to tell of. What it is not asked for costs a system call the tracepoint, and little more.

use engine_isa::Arch;

use crate::control::Control;
use crate::platform::{Event, Numbers, Platform};
use crate::probe::Role;
use crate::providers::proc::Proc;
use crate::registry::Registry;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Has the kernel tell no more of an event that nobody wants. When this returns the last is over.
    pub(crate) fn ignore(&self, control: &mut Control<A>) {
        let registry = &mut control.registry;
        let marks_end = registry.told.of(Event::ProcessGone) != Numbers::NONE
            && wanted(registry, Event::ProcessGone) == Numbers::NONE;
        for event in Event::ALL {
            let is_wanted = wanted(registry, event) != Numbers::NONE;
            if is_wanted || registry.told.of(event) == Numbers::NONE {
                continue;
            }
            let is_return = event == Event::SyscallReturned;
            if is_return {
                self.remembered.open(false);
            }
            // It is told of, so it can be had not to be.
            let _ = self.platform.tell_of(event, &Numbers::NONE);
            registry.told.set(event, Numbers::NONE);
            if is_return {
                self.remembered.clear();
            }
        }
        if marks_end {
            self.once.clear();
        }
    }

    /// Has the kernel tell of what is wanted, as far as it will.
    pub(crate) fn attend(&self, control: &mut Control<A>) {
        let registry = &mut control.registry;
        for event in Event::ALL {
            let told = registry.told.of(event);
            let mut wanted = wanted(registry, event);
            // Until nobody wants any, who is remembered is to be told of.
            if event == Event::SyscallReturned && told == Numbers::ALL && wanted != Numbers::NONE {
                wanted = told;
            }
            let lacks_mark = Event::ONCE.contains(&event)
                && registry.told.of(Event::ProcessGone) == Numbers::NONE;
            if wanted == told || lacks_mark || self.platform.tell_of(event, &wanted).is_err() {
                continue;
            }
            registry.told.set(event, wanted);
            if event == Event::SyscallReturned {
                self.remembered.open(true);
            }
        }
    }
}

fn wanted<A: Arch>(registry: &Registry<A>, event: Event) -> Numbers {
    let has_ecbs = |probe| registry.procs.wanted(probe) > 0;
    let is_wanted = |event| Proc::at(event).is_some_and(has_ecbs);
    match event {
        Event::SyscallEntered => seen(registry, Role::Entry),
        Event::SyscallReturned => seen(registry, Role::Return),
        Event::ProcessGone => all_if(Event::ONCE.into_iter().any(is_wanted)),
        _ => all_if(is_wanted(event)),
    }
}

fn all_if(is_wanted: bool) -> Numbers {
    if is_wanted {
        Numbers::ALL
    } else {
        Numbers::NONE
    }
}

/// The system calls that have to be seen so.
fn seen<A: Arch>(registry: &Registry<A>, role: Role) -> Numbers {
    let programs = registry.procs.wanted(Proc::at_exec(role)) > 0;
    registry.syscalls.seen(role, programs)
}
