//! What the kernel is asked to tell of. What it is not asked for costs a system call the tracepoint, and little more.

use engine_isa::Arch;

use crate::control::Control;
use crate::platform::{Event, Numbers, Platform};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Has the kernel tell no more of an event that nobody wants. When this returns the last is over.
    pub(crate) fn unsubscribe_events(&self, control: &mut Control<A>) {
        let registry = &mut control.registry;
        let marks_end = registry.subscriptions.of(Event::ProcessGone) != Numbers::NONE
            && registry.wants(Event::ProcessGone) == Numbers::NONE;
        for event in Event::ALL {
            let is_wanted = registry.wants(event) != Numbers::NONE;
            if is_wanted || registry.subscriptions.of(event) == Numbers::NONE {
                continue;
            }
            let is_return = event == Event::SyscallReturned;
            if is_return {
                self.in_flight.open(false);
            }
            // It is told of, so it can be had not to be.
            let _ = self.platform.subscribe(event, &Numbers::NONE);
            registry.subscriptions.set(event, Numbers::NONE);
            if is_return {
                self.in_flight.clear();
            }
        }
        if marks_end {
            self.once.clear();
        }
    }

    /// Has the kernel tell of what is wanted, as far as it will.
    pub(crate) fn subscribe_events(&self, control: &mut Control<A>) {
        let registry = &mut control.registry;
        for event in Event::ALL {
            let told = registry.subscriptions.of(event);
            let mut wanted = registry.wants(event);
            // Until nobody wants any, who is remembered is to be told of.
            if event == Event::SyscallReturned && told == Numbers::ALL && wanted != Numbers::NONE {
                wanted = told;
            }
            let lacks_mark = Event::ONCE.contains(&event)
                && registry.subscriptions.of(Event::ProcessGone) == Numbers::NONE;
            if wanted == told || lacks_mark || self.platform.subscribe(event, &wanted).is_err() {
                continue;
            }
            registry.subscriptions.set(event, wanted);
            if event == Event::SyscallReturned {
                self.in_flight.open(true);
            }
        }
    }
}
