//! What the kernel is asked to tell of: what is enabled wants some of its events, and each costs as long as it is
//! told of.

use crate::isa::Isa;
use crate::platform::{Event, Platform};
use crate::providers::Role;
use crate::registry::Registry;
use crate::tracer::{Control, Tracer};

/// Which events are told of.
#[derive(Debug, Default)]
pub struct Told([bool; Event::ALL.len()]);

impl Told {
    /// Whether that one is.
    pub fn has(&self, event: Event) -> bool {
        self.0.get(event as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, event: Event, told: bool) {
        if let Some(place) = self.0.get_mut(event as usize) {
            *place = told;
        }
    }
}

impl<I: Isa, P: Platform<Regs = I::Regs>> Tracer<I, P> {
    /// Has the kernel tell no more of what nobody wants. When this returns the last is over.
    pub(crate) fn ignore(&self, control: &mut Control<I::Text>) {
        let registry = &mut control.registry;
        for event in Event::ALL {
            if !registry.told.has(event) || is_wanted(registry, event) {
                continue;
            }
            if event == Event::SyscallReturned {
                self.remembered.open(false);
            }
            // It is told of, so it can be had not to be.
            let _ = self.platform.tell_of(event, false);
            registry.told.set(event, false);
            if event == Event::SyscallReturned {
                self.remembered.clear();
            }
        }
    }

    /// Has the kernel tell of what is wanted, as far as it will.
    pub(crate) fn attend(&self, control: &mut Control<I::Text>) {
        let registry = &mut control.registry;
        for event in Event::ALL {
            if registry.told.has(event) || !is_wanted(registry, event) {
                continue;
            }
            let told = self.platform.tell_of(event, true);
            registry.told.set(event, told.is_ok());
            if event == Event::SyscallReturned {
                self.remembered.open(told.is_ok());
            }
        }
    }
}

/// The event that one of a system call's probes fires at.
pub fn of_syscall(role: Role) -> Event {
    match role {
        Role::Entry => Event::SyscallEntered,
        Role::Return => Event::SyscallReturned,
    }
}

fn is_wanted<T>(registry: &Registry<T>, event: Event) -> bool {
    match event {
        Event::SyscallEntered => registry.syscalls.are_seen(Role::Entry),
        Event::SyscallReturned => registry.syscalls.are_seen(Role::Return),
    }
}
