//! What may fire for a consumer, from the begin of its tracing to the end.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::providers::dtrace::Own;

/// Where tracing stands, as DTrace names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    /// It begins: only `BEGIN` fires.
    Warmup = 0,
    /// Everything fires.
    Active = 1,
    /// A clause has called `exit`: nothing fires any more.
    Draining = 2,
    /// It ends: only `END` fires.
    Cooldown = 3,
    /// It has ended.
    Stopped = 4,
    /// The deadman has ended it: not even `END` fires.
    Killed = 5,
}

/// Where a consumer's tracing stands. Whoever sees a stage sees what was assigned before it began: what
/// `BEGIN` has set is set for all that fires after it.
#[derive(Debug, Default)]
pub struct Activity {
    stage: AtomicU32,
    exited: AtomicBool,
    killed: AtomicBool,
}

impl Activity {
    /// Whether a clause of that probe may run, which is one of the engine's own or of what is traced.
    /// `ERROR` fires as long as anything does that could have a fault.
    pub fn admits(&self, own: Option<Own>) -> bool {
        match own {
            None => self.is(Stage::Active),
            Some(Own::Begin) => self.is(Stage::Warmup),
            Some(Own::End) => self.is(Stage::Cooldown),
            Some(Own::Error) => self.stage.load(Ordering::Acquire) < Stage::Stopped as u32,
        }
    }

    /// `BEGIN` has fired.
    pub fn begin(&self) {
        self.turn(Stage::Warmup, Stage::Active);
    }

    /// A clause calls `exit`. False where another has done so before: of two, one has the say.
    pub fn exit(&self) -> bool {
        let first =
            self.turn(Stage::Warmup, Stage::Draining) || self.turn(Stage::Active, Stage::Draining);
        if first {
            self.exited.store(true, Ordering::Relaxed);
        }
        first || self.is(Stage::Cooldown)
    }

    /// From now on only `END` fires, unless nothing does any more.
    pub fn end(&self) {
        self.leave(Stage::Cooldown);
    }

    /// A firing ends tracing, if it goes on: whose clauses do not run stalls nothing. Whether it has.
    pub fn kill_active(&self) -> bool {
        self.turn(Stage::Active, Stage::Killed) && !self.killed.swap(true, Ordering::Relaxed)
    }

    /// From now on nothing fires, unless tracing has ended anyway; whether it was this that ended it.
    pub fn kill(&self) -> bool {
        self.leave(Stage::Killed) && !self.killed.swap(true, Ordering::Relaxed)
    }

    /// Whether tracing was killed.
    pub fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// `END` has fired.
    pub fn stop(&self) {
        self.stage.store(Stage::Stopped as u32, Ordering::Release);
    }

    /// Whether nothing will fire any more.
    pub fn is_over(&self) -> bool {
        self.is(Stage::Stopped)
    }

    /// Whether only `END`, and what comes of it, still fires.
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

    /// Leaves any stage in which something may fire.
    fn leave(&self, to: Stage) -> bool {
        let live = |stage| (stage < Stage::Stopped as u32).then_some(to as u32);
        let left = self
            .stage
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, live);
        left.is_ok()
    }

    fn turn(&self, from: Stage, to: Stage) -> bool {
        let (from, to) = (from as u32, to as u32);
        let turned = self
            .stage
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        turned.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(activity: &Activity) -> [bool; 3] {
        let probes = [Some(Own::Begin), None, Some(Own::End)];
        probes.map(|own| activity.admits(own))
    }

    #[test]
    fn each_stage_admits_its_own() {
        let activity = Activity::default();
        assert_eq!(admitted(&activity), [true, false, false]);
        activity.begin();
        assert_eq!(admitted(&activity), [false, true, false]);
        activity.end();
        assert_eq!(admitted(&activity), [false, false, true]);
        assert!(activity.admits(Some(Own::Error)));
        activity.stop();
        assert_eq!(admitted(&activity), [false; 3]);
        assert!(activity.is_over() && !activity.admits(Some(Own::Error)));
    }

    #[test]
    fn what_is_killed_fires_nothing_more_not_even_the_end() {
        let activity = Activity::default();
        activity.begin();
        assert!(activity.kill() && !activity.kill());
        activity.end();
        assert_eq!(admitted(&activity), [false; 3]);
        assert!(!activity.admits(Some(Own::Error)) && !activity.exit());
        assert!(activity.is_killed() && !activity.is_over());
        activity.stop();
        assert!(activity.is_killed() && activity.is_over());
    }

    #[test]
    fn a_firing_kills_only_who_traces() {
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
    fn what_has_ended_is_not_killed() {
        let activity = Activity::default();
        activity.end();
        activity.stop();
        assert!(!activity.kill() && !activity.is_killed() && activity.is_over());
    }

    #[test]
    fn the_first_exit_counts_and_leaves_the_end() {
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
                "it does not begin any more"
            );
            activity.end();
            assert!(activity.exit(), "END has a say in the exit status, too");
        }
    }
}
