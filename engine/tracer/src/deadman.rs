//! The deadman: ends the tracing of consumers that the machine suffers from.
//!
//! As in DTrace there are two. One is seen by firings: while anybody traces, a thread on each CPU beats once
//! a second; where a CPU fires on and on and the beat does not come, its clauses leave nothing of the CPU to
//! threads, and whoever fires there is killed. The other is seen by the control side, which looks each
//! second who has asked for nothing for too long: a consumer that is stopped, or hangs, would keep all its
//! probes armed for ever.
//!
//! What is killed fires nothing more, and is disarmed by the control side as soon as that gets to run.

use core::sync::atomic::Ordering;

use engine_isa::Arch;

use crate::control::Control;
use crate::platform::{Lock, Platform};
use crate::session::Session;
use crate::session::consumer::{CONSUMERS_MAX, ConsumerId, State};
use crate::tracer::Tracer;

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

    fn is_dead(&self, control: &mut Control<A>, id: ConsumerId, rounds: u32) -> bool {
        let is_active = control
            .consumer(id)
            .is_ok_and(|consumer| consumer.is_active());
        let is_dead = |session: &Session<P>| {
            let silent = session.silence();
            session.activity.is_killed() || rounds != 0 && silent > rounds
        };
        is_active && self.with_session(id.0, is_dead).unwrap_or_default()
    }

    fn bury(&self, control: &mut Control<A>, id: ConsumerId) {
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
