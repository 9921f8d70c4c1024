//! Vectors that are judged at once, each at a site of its own. What it costs to arm a probe, and to wait until
//! nobody is in it any more, it costs once for all of them; and so does going to another processor.

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Error;
use crate::cases::Cases;
use crate::device::{Device, Run};
use crate::probe::{PROCESSORS, Prober};
use crate::set::Set;
use crate::tally::Tally;
use crate::vectors::Vector;

/// A vector, what it is run with, and what came of that.
struct Trial<S: Set> {
    vector: Vector,
    cases: Cases<S>,
    native: Vec<Run<S>>,
    probed: Vec<Run<S>>,
}

impl<S: Set> Trial<S> {
    fn new(vector: Vector, cases: Cases<S>) -> Self {
        let (native, probed) = (Vec::new(), Vec::new());
        Self {
            vector,
            cases,
            native,
            probed,
        }
    }

    /// What something ends before its time is not a case.
    fn keep_whole(&mut self) {
        let native = self.native.iter();
        let mut is_whole = native.map(|run| S::cut_short(&run.state).is_none());
        self.cases.runs.retain(|_| is_whole.next() == Some(true));
        self.native.retain(|run| S::cut_short(&run.state).is_none());
    }

    /// Counts what came of it.
    fn count(&self, tally: &mut Tally, fired: usize) {
        let Self {
            vector,
            cases,
            native,
            probed,
        } = self;
        match native.is_empty() {
            true => tally.skip("this processor does not have it, or traps"),
            false => tally.compare(vector, &cases.text, &cases.runs, native, probed, fired),
        }
    }
}

/// What judges vectors, and those that wait for it.
pub struct Batch<'a, S: Set> {
    device: &'a Device,
    prober: &'a Prober,
    seed: u64,
    tells: bool,
    trials: Vec<Trial<S>>,
    tally: Tally,
}

impl<'a, S: Set> Batch<'a, S> {
    /// Without any yet, in a run with this seed; with `tells` it says of each which it is, before it is run.
    pub fn new(device: &'a Device, prober: &'a Prober, seed: u64, tells: bool) -> Self {
        let tally = Tally::new(&device.sites()[0]);
        let trials = Vec::new();
        Self {
            device,
            prober,
            seed,
            tells,
            trials,
            tally,
        }
    }

    /// Adds a vector, if it is one to be run. When there is no site left for another, all are judged.
    pub fn add(&mut self, vector: Vector) -> Result<(), Error> {
        let sites = self.device.sites();
        let places = &sites[self.trials.len()];
        let cases = match Cases::of(&vector, places, self.seed) {
            Ok(cases) => cases,
            Err(why) => {
                self.tally.skip(why);
                return Ok(());
            }
        };
        self.device.fill(places, &cases.page)?;
        self.trials.push(Trial::new(vector, cases));
        match self.trials.len() == sites.len() {
            true => self.judge(),
            false => Ok(()),
        }
    }

    /// Judges those that wait; what came of all.
    pub fn end(mut self) -> Result<Tally, Error> {
        self.judge()?;
        Ok(self.tally)
    }

    /// Runs all by themselves, then probed, and counts what came of them.
    fn judge(&mut self) -> Result<(), Error> {
        self.run("alone", |trial| &mut trial.native)?;
        self.trials.iter_mut().for_each(Trial::keep_whole);
        let probes = self.prober.arm(self.device.sites().len())?;
        let ran = self.run("probed", |trial| &mut trial.probed);
        let fired = probes.disarm()?;
        ran?;
        for (trial, fired) in self.trials.drain(..).zip(fired) {
            trial.count(&mut self.tally, fired);
        }
        Ok(())
    }

    /// Runs each, its first runs on the first processor and its last on the last.
    fn run(
        &mut self,
        how: &str,
        done: impl Fn(&mut Trial<S>) -> &mut Vec<Run<S>>,
    ) -> Result<(), Error> {
        for processor in 0..PROCESSORS {
            move_to(processor);
            for trial in &mut self.trials {
                if self.tells {
                    eprintln!("{how} {} {}", trial.vector.text, trial.vector.called);
                }
                let runs = part(&trial.cases.runs, processor);
                let ran: Result<Vec<_>, _> = runs.iter().map(|run| self.device.run(run)).collect();
                done(trial).extend(ran?);
            }
        }
        Ok(())
    }
}

/// Those that are the processor's of that number.
fn part<T>(runs: &[T], processor: usize) -> &[T] {
    let most = runs.len().div_ceil(PROCESSORS).max(1);
    runs.chunks(most).nth(processor).unwrap_or_default()
}

/// Goes to the processor of that number, if there is one.
fn move_to(processor: usize) {
    let mut there = CpuSet::new();
    there.set(processor);
    let _ = sched_setaffinity(None, &there);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_one_processors() {
        for count in 0..20 {
            let runs: Vec<_> = (0..count).collect();
            let parts: Vec<_> = (0..PROCESSORS).map(|number| part(&runs, number)).collect();
            assert_eq!(parts.concat(), runs);
        }
        assert_eq!(part(&[7, 8, 9, 10, 11], 0), [7, 8]);
    }
}
