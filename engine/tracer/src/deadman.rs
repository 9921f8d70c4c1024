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

use crate::consumer::{CONSUMERS_MAX, ConsumerId, State};
use crate::isa::Isa;
use crate::platform::{Lock, Platform};
use crate::tracer::{Control, Tracer};

/// Since when a CPU's beat has been waited for, in ticks; 0 is: nobody has fired since the last one. So a CPU that
/// was idle, off or asleep is not one whose beat is late.
#[derive(Debug, Default)]
pub(crate) struct Pulse(AtomicU32);

impl Pulse {
    /// The beat has come.
    pub(crate) fn beat(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Whether a firing finds that it has been waited for longer than `limit` ticks; 0 is no limit.
    pub(crate) fn is_missed(&self, now: u32, limit: u32) -> bool {
        let since = self.0.load(Ordering::Relaxed);
        if since == 0 {
            self.0.store(now | 1, Ordering::Relaxed);
            return false;
        }
        // The first firing may have been counted as one tick later than it was.
        let waited = now.wrapping_sub(since) as i32;
        limit != 0 && i64::from(waited) > i64::from(limit)
    }
}

impl<I: Isa, P: Platform<Regs = I::Regs>> Tracer<I, P> {
    /// A thread of this CPU's has run; its next one may come so many ticks later, or at any time if that is 0.
    /// False where nobody traces, so that there is nothing to beat for.
    pub fn beat(&self, cpu: usize, limit: u32) -> bool {
        self.stall_limit.store(limit, Ordering::Relaxed);
        if let Some(cpu) = self.cpus.get(cpu) {
            cpu.beat();
        }
        self.active.load(Ordering::Relaxed) > 0
    }

    /// Disarms who was killed, and who has asked for nothing for so many nanoseconds, if that is not 0. False where
    /// nobody traces any more. May sleep.
    pub fn watch(&self, silence: u64) -> bool {
        self.control.with(|control| {
            let now = self.platform.now();
            for number in 0..CONSUMERS_MAX {
                let id = ConsumerId(number);
                if self.is_dead(control, id, now, silence) {
                    self.bury(control, id);
                }
            }
            self.active.load(Ordering::Relaxed) > 0
        })
    }

    fn is_dead(
        &self,
        control: &mut Control<I::Text>,
        id: ConsumerId,
        now: u64,
        silence: u64,
    ) -> bool {
        let is_active = control
            .consumer(id)
            .is_ok_and(|consumer| consumer.is_active());
        let is_dead = |dead: bool| is_active && dead;
        let dead = self.with_session(id.0, |session| {
            session.activity.is_killed() || silence != 0 && session.silence(now) > silence
        });
        is_dead(dead.unwrap_or_default())
    }

    fn bury(&self, control: &mut Control<I::Text>, id: ConsumerId) {
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
        assert!(!pulse.is_missed(1011, 10));
        assert!(pulse.is_missed(1012, 10));
        assert!(!pulse.is_missed(9000, 0), "there is no limit");
        pulse.beat();
        assert!(!pulse.is_missed(9000, 10));
        assert!(
            !pulse.is_missed(9000, 10),
            "counted as one later than it was"
        );
        assert!(pulse.is_missed(9012, 10));
    }

    #[test]
    fn ticks_wrap_around() {
        let pulse = Pulse::default();
        assert!(!pulse.is_missed(u32::MAX - 1, 10));
        assert!(!pulse.is_missed(5, 10));
        assert!(pulse.is_missed(10, 10));
    }
}
