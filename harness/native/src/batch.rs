//! Judges vectors in batches, one per site of the device. Arming, the grace period at disarming and
//! migrating to another CPU are paid once per batch.

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Error;
use crate::cases::Cases;
use crate::device::{Device, Run};
use crate::instruction::Vector;
use crate::probe::{PROCESSORS, Prober};
use crate::set::InKernel;
use crate::tally::Tally;

/// A vector with its cases and the results.
struct Trial<S: InKernel> {
    vector: Vector,
    cases: Cases<S>,
    native: Vec<Run<S>>,
    probed: Vec<Run<S>>,
}

impl<S: InKernel> Trial<S> {
    fn new(vector: Vector, cases: Cases<S>) -> Self {
        let (native, probed) = (Vec::new(), Vec::new());
        Self {
            vector,
            cases,
            native,
            probed,
        }
    }

    /// Drops cases that did not end at an exit when run natively: there is nothing to compare.
    fn drop_unfinished(&mut self) {
        let native = self.native.iter();
        let mut is_whole = native.map(|run| S::unexpected_end(&run.state).is_none());
        self.cases.runs.retain(|_| is_whole.next() == Some(true));
        self.native
            .retain(|run| S::unexpected_end(&run.state).is_none());
    }

    /// Adds the results to the tally.
    fn count(&self, tally: &mut Tally, fired: usize) {
        let Self {
            vector,
            cases,
            native,
            probed,
        } = self;
        match native.is_empty() {
            true => tally.skip("this processor lacks it, or traps it"),
            false => tally.compare(vector, &cases.text, &cases.runs, native, probed, fired),
        }
    }
}

/// A batch under construction, and the tally of all before it.
pub struct Batch<'a, S: InKernel> {
    device: &'a Device,
    prober: &'a Prober,
    seed: u64,
    verbose: bool,
    trials: Vec<Trial<S>>,
    tally: Tally,
}

impl<'a, S: InKernel> Batch<'a, S> {
    /// An empty batch. With `verbose` each vector is printed before it is run.
    pub fn new(device: &'a Device, prober: &'a Prober, seed: u64, verbose: bool) -> Self {
        let tally = Tally::new(&device.sites()[0]);
        let trials = Vec::new();
        Self {
            device,
            prober,
            seed,
            verbose,
            trials,
            tally,
        }
    }

    /// Adds a vector, or counts it as skipped. When no site is left, judges the batch.
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

    /// Judges the remaining vectors and returns the tally.
    pub fn end(mut self) -> Result<Tally, Error> {
        self.judge()?;
        Ok(self.tally)
    }

    /// Runs all cases natively, then probed, and compares.
    fn judge(&mut self) -> Result<(), Error> {
        self.run("alone", |trial| &mut trial.native)?;
        self.trials.iter_mut().for_each(Trial::drop_unfinished);
        let probes = self.prober.arm(self.device.sites().len())?;
        let ran = self.run("probed", |trial| &mut trial.probed);
        let fired = probes.disarm()?;
        ran?;
        for (trial, fired) in self.trials.drain(..).zip(fired) {
            trial.count(&mut self.tally, fired);
        }
        Ok(())
    }

    /// Runs every trial. Each CPU runs a share of every trial's cases.
    fn run(
        &mut self,
        how: &str,
        done: impl Fn(&mut Trial<S>) -> &mut Vec<Run<S>>,
    ) -> Result<(), Error> {
        for processor in 0..PROCESSORS {
            move_to(processor);
            for trial in &mut self.trials {
                if self.verbose {
                    eprintln!("{how} {} {}", trial.vector.text, trial.vector.disassembly);
                }
                let runs = part(&trial.cases.runs, processor);
                let ran: Result<Vec<_>, _> = runs.iter().map(|run| self.device.run(run)).collect();
                done(trial).extend(ran?);
            }
        }
        Ok(())
    }
}

/// A CPU's share of the cases.
fn part<T>(runs: &[T], processor: usize) -> &[T] {
    let most = runs.len().div_ceil(PROCESSORS).max(1);
    runs.chunks(most).nth(processor).unwrap_or_default()
}

/// Migrates to a CPU. Fails silently if it does not exist; the share then runs where we are.
fn move_to(processor: usize) {
    let mut there = CpuSet::new();
    there.set(processor);
    let _ = sched_setaffinity(None, &there);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_runs_on_exactly_one_cpu() {
        for count in 0..20 {
            let runs: Vec<_> = (0..count).collect();
            let parts: Vec<_> = (0..PROCESSORS).map(|number| part(&runs, number)).collect();
            assert_eq!(parts.concat(), runs);
        }
        assert_eq!(part(&[7, 8, 9, 10, 11], 0), [7, 8]);
    }
}
