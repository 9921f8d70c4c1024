//! The deadman: kills consumers that harm the machine.
//!
//! As in DTrace there are two. Firings detect the first: while any consumer is active, a thread on
//! each CPU beats once a second; if a CPU keeps firing and its heartbeat does not come, the clauses
//! leave no time to threads, and the consumers firing there are killed. The control path detects
//! the second: once a second it looks for consumers that have made no request for too long, since
//! one that is stopped or hangs would keep its probes armed for ever. The requests that count are
//! those of a tracing consumer's loop: `GO`, snapshots of buffers and aggregations, and the status.
//!
//! A killed consumer fires nothing more; the control path disarms it as soon as it gets to run.

use core::sync::atomic::Ordering;

use engine_isa::Arch;

use crate::control::Control;
use crate::platform::{Lock, Platform};
use crate::session::Session;
use crate::session::consumer::{CONSUMERS_MAX, ConsumerId, State};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Records this CPU's heartbeat. `limit` is the number of ticks within which the next must
    /// come; 0 is no limit. Returns false when no consumer is active, so that the thread can stop.
    pub fn beat(&self, cpu: usize, limit: u32) -> bool {
        self.stall_limit.store(limit, Ordering::Relaxed);
        if let Some(cpu) = self.cpus.get(cpu) {
            cpu.beat();
        }
        self.active.load(Ordering::Relaxed) > 0
    }

    /// Disarms consumers that were killed, and those that have made no request in more than
    /// `rounds` calls of this, unless `rounds` is 0. Returns false when no consumer is active any
    /// more. May sleep, for minutes: a request that arms all of a kernel on a slow machine holds
    /// the control lock as long.
    pub fn watch(&self, rounds: u32) -> bool {
        self.control.with_patience(|control| {
            for number in 0..CONSUMERS_MAX {
                let id = ConsumerId(number);
                if self.is_dead(control, id, rounds) {
                    self.disarm_dead(control, id);
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

    fn disarm_dead(&self, control: &mut Control<A>, id: ConsumerId) {
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
