//! The deadman: ends the tracing of consumers that the machine suffers from.
//!
//! As in DTrace there are two. One is seen by firings: while anybody traces, a thread on each CPU beats once
//! a second; where a CPU fires on and on and the beat does not come, its clauses leave nothing of the CPU to
//! threads, and whoever fires there is killed. The other is seen by the control side, which looks each
//! second who has asked for nothing for too long: a consumer that is stopped, or hangs, would keep all its
//! probes armed for ever.
//!
//! What is killed fires nothing more, and is disarmed by the control side as soon as that gets to run.

use core::sync::atomic::{AtomicU32, Ordering};

use engine_isa::Arch;

use crate::consumer::{CONSUMERS_MAX, ConsumerId, State};
use crate::platform::{Lock, Platform};
use crate::session::Session;
use crate::tracer::{Control, Tracer};

/// For how long a CPU fires and has no beat, in ticks. What lies between two firings that look counts in part only: a
/// CPU that was idle, off or asleep, or whose whole machine stood still, is not one whose beat is late.
#[derive(Debug)]
pub(crate) struct Pulse {
    /// [`Pulse::FRESH`] where nobody has fired since the last beat.
    waited: AtomicU32,
    /// When a firing looked last.
    looked: AtomicU32,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            waited: AtomicU32::new(Self::FRESH),
            looked: AtomicU32::new(0),
        }
    }
}

impl Pulse {
    const FRESH: u32 = u32::MAX;
    /// How many looks it takes at least to find a beat missed.
    const LOOKS: u32 = 4;

    /// The beat has come.
    pub(crate) fn beat(&self) {
        self.waited.store(Self::FRESH, Ordering::Relaxed);
    }

    /// Whether a firing finds that it has been waited for longer than `limit` ticks; 0 is no limit.
    pub(crate) fn is_missed(&self, now: u32, limit: u32) -> bool {
        let gap = now.wrapping_sub(self.looked.load(Ordering::Relaxed));
        self.looked.store(now, Ordering::Relaxed);
        let waited = match self.waited.load(Ordering::Relaxed) {
            Self::FRESH => 0,
            waited => waited
                .saturating_add(gap.min(limit / Self::LOOKS + 1))
                .min(Self::FRESH - 1),
        };
        self.waited.store(waited, Ordering::Relaxed);
        limit != 0 && waited > limit
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// A thread of this CPU's has run; its next one may come so many ticks later, or at any time if that is 0.
    /// False where nobody traces, so that there is nothing to beat for.
    pub fn beat(&self, cpu: usize, limit: u32) -> bool {
        self.stall_limit.store(limit, Ordering::Relaxed);
        if let Some(cpu) = self.cpus.get(cpu) {
            cpu.beat();
        }
        self.active.load(Ordering::Relaxed) > 0
    }

    /// Disarms who was killed, and who has asked for nothing while this was called more than so many times, if that is
    /// not 0. False where nobody traces any more. May sleep.
    pub fn watch(&self, rounds: u32) -> bool {
        self.control.with(|control| {
            for number in 0..CONSUMERS_MAX {
                let id = ConsumerId(number);
                if self.is_dead(control, id, rounds) {
                    self.bury(control, id);
                }
            }
            self.active.load(Ordering::Relaxed) > 0
        })
    }

    fn is_dead(&self, control: &mut Control<A::Text>, id: ConsumerId, rounds: u32) -> bool {
        let is_active = control
            .consumer(id)
            .is_ok_and(|consumer| consumer.is_active());
        let is_dead = |session: &Session<P>| {
            let silent = session.silence();
            session.activity.is_killed() || rounds != 0 && silent > rounds
        };
        is_active && self.with_session(id.0, is_dead).unwrap_or_default()
    }

    fn bury(&self, control: &mut Control<A::Text>, id: ConsumerId) {
        if self.with_session(id.0, |session| session.activity.kill()) == Some(true) {
            self.silent.fetch_add(1, Ordering::Relaxed);
        }
        self.disarm(control, id);
        self.with_session(id.0, |session| session.activity.stop());
        if let Ok(consumer) = control.consumer(id) {
            consumer.state = State::Stopped(0);
        }
        self.count_active(control);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_is_missed_only_while_something_fires_without_one() {
        let pulse = Pulse::default();
        assert!(!pulse.is_missed(1000, 10), "nothing has fired yet");
        assert!([1002, 1004, 1006, 1008, 1010].map(|now| pulse.is_missed(now, 10)) == [false; 5]);
        assert!(pulse.is_missed(1011, 10));
        assert!(!pulse.is_missed(1012, 0), "there is no limit");
        pulse.beat();
        assert!(!pulse.is_missed(9000, 10));
        assert!(!pulse.is_missed(9002, 10));
    }

    #[test]
    fn a_machine_that_stood_still_has_missed_no_beat() {
        let pulse = Pulse::default();
        assert!([0, 5000, 10_000, 15_000].map(|now| pulse.is_missed(now, 10)) == [false; 4]);
        assert!(
            pulse.is_missed(20_000, 10),
            "it is looked for in vain often"
        );
    }

    #[test]
    fn ticks_wrap_around() {
        let pulse = Pulse::default();
        assert!(!pulse.is_missed(u32::MAX - 1, 8));
        assert!([0, 2, 4].map(|now| pulse.is_missed(now, 8)) == [false; 3]);
        assert!(pulse.is_missed(7, 8));
    }
}
