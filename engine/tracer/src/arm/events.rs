//! Subscriptions to kernel events. A system call that is not subscribed to costs the tracepoint and
//! little more.

use engine_isa::Arch;

use crate::control::Control;
use crate::platform::{Event, Numbers, Platform};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Unsubscribes from events that no probe wants. When this returns, their last callback is
    /// over.
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
                self.in_flight.admit(false);
            }
            // Unsubscribing cannot fail.
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

    /// Subscribes to the events that are wanted; one that the kernel refuses stays unsubscribed.
    pub(crate) fn subscribe_events(&self, control: &mut Control<A>) {
        let registry = &mut control.registry;
        for event in Event::ALL {
            let current = registry.subscriptions.of(event);
            let mut wanted = registry.wants(event);
            // Calls in flight must still be reported, so this subscription shrinks only when no
            // return is wanted at all.
            if event == Event::SyscallReturned && current == Numbers::ALL && wanted != Numbers::NONE
            {
                wanted = current;
            }
            let lacks_mark = Event::ONCE.contains(&event)
                && registry.subscriptions.of(Event::ProcessGone) == Numbers::NONE;
            if wanted == current || lacks_mark || self.platform.subscribe(event, &wanted).is_err() {
                continue;
            }
            registry.subscriptions.set(event, wanted);
            if event == Event::SyscallReturned {
                // The live table may have the calls already: a thread that enters one before all
                // returns are subscribed to might return unreported.
                self.in_flight.admit(wanted == Numbers::ALL);
            }
        }
    }
}
