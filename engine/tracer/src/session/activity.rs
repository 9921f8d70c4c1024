//! The stage of a consumer's tracing, which decides which probes run its clauses.
//!
//! Firings read it in any context; `exit` and the deadman change it from a firing, the control side
//! under the control lock. Each transition is atomic and none waits. Tracing that has left a stage
//! never comes back to it.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::providers::dtrace::DtraceProbe;

/// The stages, named as DTrace names its activities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    /// Only `BEGIN` fires.
    Warmup = 0,
    /// All probes but `BEGIN` and `END` fire.
    Active = 1,
    /// A clause has called `exit`: only `ERROR` still fires, for clauses that are already running.
    Draining = 2,
    /// Only `END` fires, and `ERROR` for its clauses.
    Cooldown = 3,
    /// `END` has fired; nothing fires any more.
    Stopped = 4,
    /// The deadman has ended tracing; not even `END` fires.
    Killed = 5,
}

/// The stage of a consumer's tracing. Loads acquire and transitions release: a firing that sees a
/// stage also sees the variables assigned before it, so what `BEGIN` set is visible to all later
/// firings.
#[derive(Debug, Default)]
pub struct Activity {
    stage: AtomicU32,
    exited: AtomicBool,
    killed: AtomicBool,
}

impl Activity {
    /// Whether a clause may run at this probe: one of the dtrace provider's, or None for any other.
    /// `ERROR` is admitted in each stage in which a clause can still fault.
    pub fn admits(&self, probe: Option<DtraceProbe>) -> bool {
        match probe {
            None => self.is(Stage::Active),
            Some(DtraceProbe::Begin) => self.is(Stage::Warmup),
            Some(DtraceProbe::End) => self.is(Stage::Cooldown),
            Some(DtraceProbe::Error) => self.stage.load(Ordering::Acquire) < Stage::Stopped as u32,
        }
    }

    /// Whether a firing that was put off may still run clauses: it was due before a clause called `exit`.
    pub fn admits_late(&self) -> bool {
        self.is(Stage::Active) || self.is(Stage::Draining)
    }

    /// `BEGIN` has fired: starts tracing, unless its clauses called `exit`.
    pub fn begin(&self) {
        self.advance(Stage::Warmup, Stage::Active);
    }

    /// A clause calls `exit`. Returns whether its status counts: the first call does, and so does
    /// one in `END`.
    pub fn exit(&self) -> bool {
        let first = self.advance(Stage::Warmup, Stage::Draining)
            || self.advance(Stage::Active, Stage::Draining);
        if first {
            self.exited.store(true, Ordering::Relaxed);
        }
        first || self.is(Stage::Cooldown)
    }

    /// Admits only `END` from now on, unless tracing is already over.
    pub fn end(&self) {
        self.leave(Stage::Cooldown);
    }

    /// Kills tracing from a firing. Does nothing unless the stage is `Active`: a consumer whose
    /// clauses do not run stalls no CPU. Returns whether this call killed it.
    pub fn kill_active(&self) -> bool {
        self.advance(Stage::Active, Stage::Killed) && !self.killed.swap(true, Ordering::Relaxed)
    }

    /// Kills tracing from the control side, unless it is already over. Returns whether this call
    /// killed it.
    pub fn kill(&self) -> bool {
        self.leave(Stage::Killed) && !self.killed.swap(true, Ordering::Relaxed)
    }

    /// Whether the deadman has ended tracing.
    pub fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// Ends tracing: nothing fires from now on. Called after `END` has fired; without `END`, when
    /// the consumer is closed or was killed.
    pub fn stop(&self) {
        self.stage.store(Stage::Stopped as u32, Ordering::Release);
    }

    /// Whether tracing has stopped, killed or not.
    pub fn is_over(&self) -> bool {
        self.is(Stage::Stopped)
    }

    /// Whether only `END`, and `ERROR` for its clauses, still fires.
    pub fn is_ending(&self) -> bool {
        self.is(Stage::Cooldown)
    }

    /// Whether a clause has called `exit`.
    pub fn has_exited(&self) -> bool {
        self.exited.load(Ordering::Relaxed)
    }

    fn is(&self, stage: Stage) -> bool {
        self.stage.load(Ordering::Acquire) == stage as u32
    }

    /// Moves to `to` from any stage in which something may still fire.
    fn leave(&self, to: Stage) -> bool {
        let live = |stage| (stage < Stage::Stopped as u32).then_some(to as u32);
        let left = self
            .stage
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, live);
        left.is_ok()
    }

    fn advance(&self, from: Stage, to: Stage) -> bool {
        let (from, to) = (from as u32, to as u32);
        let advanced = self
            .stage
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        advanced.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(activity: &Activity) -> [bool; 3] {
        let probes = [Some(DtraceProbe::Begin), None, Some(DtraceProbe::End)];
        probes.map(|probe| activity.admits(probe))
    }

    #[test]
    fn each_stage_admits_its_probes() {
        let activity = Activity::default();
        assert_eq!(admitted(&activity), [true, false, false]);
        activity.begin();
        assert_eq!(admitted(&activity), [false, true, false]);
        activity.end();
        assert_eq!(admitted(&activity), [false, false, true]);
        assert!(activity.admits(Some(DtraceProbe::Error)));
        activity.stop();
        assert_eq!(admitted(&activity), [false; 3]);
        assert!(activity.is_over() && !activity.admits(Some(DtraceProbe::Error)));
    }

    #[test]
    fn killed_tracing_fires_nothing_not_even_end() {
        let activity = Activity::default();
        activity.begin();
        assert!(activity.kill() && !activity.kill());
        activity.end();
        assert_eq!(admitted(&activity), [false; 3]);
        assert!(!activity.admits(Some(DtraceProbe::Error)) && !activity.exit());
        assert!(activity.is_killed() && !activity.is_over());
        activity.stop();
        assert!(activity.is_killed() && activity.is_over());
    }

    #[test]
    fn a_firing_kills_only_an_active_consumer() {
        let activity = Activity::default();
        assert!(!activity.kill_active());
        activity.begin();
        assert!(activity.kill_active() && activity.is_killed());
        assert_eq!(admitted(&activity), [false; 3]);
        let activity = Activity::default();
        activity.end();
        assert!(!activity.kill_active());
    }

    #[test]
    fn stopped_tracing_cannot_be_killed() {
        let activity = Activity::default();
        activity.end();
        activity.stop();
        assert!(!activity.kill() && !activity.is_killed() && activity.is_over());
    }

    #[test]
    fn the_first_exit_counts_and_end_still_fires() {
        for begun in [false, true] {
            let activity = Activity::default();
            if begun {
                activity.begin();
            }
            assert!(activity.exit() && !activity.exit() && activity.has_exited());
            activity.begin();
            assert_eq!(
                admitted(&activity),
                [false; 3],
                "BEGIN no longer starts tracing"
            );
            activity.end();
            assert!(activity.exit(), "an exit in END counts, too");
        }
    }
}
