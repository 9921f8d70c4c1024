//! The proc provider: what processes live through, from their making to their end.

mod fire;
pub mod once;

use crate::platform::Event;
use crate::probe::Role;

/// The provider's name.
pub const PROVIDER: &[u8] = b"proc";

/// One of its probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proc {
    /// A process has been made, as its parent sees it.
    Create,
    /// A process is about to begin another program.
    Exec,
    /// It could not.
    ExecFailure,
    /// It has.
    ExecSuccess,
    /// A process ends.
    Exit,
    /// A thread takes a signal.
    SignalHandle,
    /// Somebody sends one.
    SignalSend,
    /// A process has been made, as it sees itself before it first comes to its program.
    Start,
}

impl Proc {
    /// Each, in the order of their IDs.
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Exec,
        Self::ExecFailure,
        Self::ExecSuccess,
        Self::Exit,
        Self::SignalHandle,
        Self::SignalSend,
        Self::Start,
    ];

    /// Its name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Create => b"create",
            Self::Exec => b"exec",
            Self::ExecFailure => b"exec-failure",
            Self::ExecSuccess => b"exec-success",
            Self::Exit => b"exit",
            Self::SignalHandle => b"signal-handle",
            Self::SignalSend => b"signal-send",
            Self::Start => b"start",
        }
    }

    /// The event that it fires at; of a system call, where it does at that of some.
    pub const fn event(self) -> Event {
        match self {
            Self::Create => Event::ProcessCreated,
            Self::Exec => Event::SyscallEntered,
            Self::ExecFailure => Event::SyscallReturned,
            Self::ExecSuccess => Event::ProgramBegun,
            Self::Exit => Event::ProcessExited,
            Self::SignalHandle => Event::SignalHandled,
            Self::SignalSend => Event::SignalSent,
            Self::Start => Event::ProcessStarted,
        }
    }

    /// The probe that fires at each such event, if one does.
    pub fn at(event: Event) -> Option<Self> {
        let is_its = |probe: &Self| probe.event() == event && !event.is_of_syscall();
        Self::ALL.into_iter().find(is_its)
    }

    /// The probe that fires where a process begins a program by a system call, or fails to.
    pub const fn at_exec(role: Role) -> Self {
        match role {
            Role::Entry => Self::Exec,
            Role::Return => Self::ExecFailure,
        }
    }
}

/// How many active ECBs each has, over all consumers.
#[derive(Debug, Default)]
pub struct Procs([u32; Proc::ALL.len()]);

impl Procs {
    /// How many that probe has.
    pub fn wanted(&self, probe: Proc) -> u32 {
        self.0.get(probe as usize).copied().unwrap_or_default()
    }

    /// The same, to be changed.
    pub fn ecbs_mut(&mut self, probe: Proc) -> Option<&mut u32> {
        self.0.get_mut(probe as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_of_a_process_has_its_probe_and_no_system_call_has() {
        for event in Event::ALL {
            let probe = Proc::at(event);
            let has_none = event.is_of_syscall() || event == Event::ProcessGone;
            assert_eq!(probe.is_none(), has_none, "{event:?}");
            assert!(probe.is_none_or(|probe| probe.event() == event));
        }
    }

    #[test]
    fn they_are_ordered_by_their_names() {
        assert!(Proc::ALL.is_sorted_by_key(|probe| probe.name()));
    }
}
