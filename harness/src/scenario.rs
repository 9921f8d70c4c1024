//! A scenario: one claim about the tracer, as its YAML file states it.
//!
//! Parsing is strict. An unknown key, a value of the wrong type or a meaningless combination is an
//! error with file, line, column and the remedy. `names` expands `${name}` for a guest, `scale` and
//! `seed` supply `${scale}` and `${seed}` for a run, `symptom` is what a mutant must show. Pure but
//! for the environment variables that set seed and extent.

mod names;
mod number;
mod pass;
mod place;
mod rules;
mod scale;
pub mod seed;
mod status;
mod symptom;
pub mod variant;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use names::Names;
pub use number::{Cpus, TimeLimit};
pub use pass::Pass;
pub use place::Place;
pub use scale::{Extent, Scale};
pub use status::Status;
pub use symptom::{Stated, Symptom};

/// The placeholder for the run's seed.
const SEED: &str = "${seed}";

/// One claim and how to test it; the keys of a scenario file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// The claim, in one sentence.
    pub asserts: String,
    /// The motivation.
    #[serde(default)]
    pub story: Option<String>,
    /// The guests it is for; absent means every guest that has all of `needs`.
    #[serde(default)]
    pub guests: Option<Vec<String>>,
    /// Why it is not for other guests; requires `guests`.
    #[serde(default)]
    pub why: Option<String>,
    /// Capabilities a guest must have.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Number of CPUs; absent means the image's.
    #[serde(default)]
    pub cpus: Option<Cpus>,
    /// The CPU model.
    #[serde(default)]
    pub processor: Processor,
    /// Whether the claim is about text that is replaced while other threads execute it.
    #[serde(default)]
    pub cross_modifying: bool,
    /// Words appended to the kernel command line; such a guest is booted for the job.
    #[serde(default)]
    pub append: Option<String>,
    /// Whether the guest must boot for this job, or may be restored.
    #[serde(default)]
    pub boot: Boot,
    /// The module to load.
    #[serde(default)]
    pub module: Module,
    /// The guest's clock; absent means real time, and lets hunts vary it.
    #[serde(default)]
    pub clock: Option<Clock>,
    /// Clocks by guest, overriding `clock`.
    #[serde(default)]
    pub clocks: BTreeMap<String, Clock>,
    /// Files and folders of the checkout to copy into the guest, under the same paths below the
    /// directory where commands run.
    #[serde(default)]
    pub files: Vec<String>,
    /// The tracer's command: one simple command, started by `exec` so that signals reach it.
    pub trace: String,
    /// The command run once the tracer's probes are live.
    #[serde(default)]
    pub workload: Option<String>,
    /// How the tracer is stopped.
    #[serde(default)]
    pub stop: Stop,
    /// Time limit for the tracer and the workload together, in seconds.
    #[serde(default)]
    pub time_limit: TimeLimit,
    /// The values of `${scale}` by the run's extent.
    #[serde(default)]
    pub scale: Option<Scale>,
    /// Whether guests take turns: at `change` extent, one of them runs it.
    #[serde(default)]
    pub in_turns: bool,
    /// The guests that leave it out at `change` extent, if several are requested.
    #[serde(default)]
    pub nightly: Vec<String>,
    /// Passes to apply besides those that always apply.
    #[serde(default)]
    pub normalise: Vec<Pass>,
    /// What to expect.
    #[serde(default)]
    pub expect: Expect,
    /// Mutants, with the symptom of each.
    #[serde(default)]
    pub mutants: BTreeMap<String, Stated>,
    /// Guests with a snapshot of their own, `<claim>@<guest>.snap`, and the reason.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    /// Guests on whose kernel it cannot run, `<guest>@<version>`, and the reason.
    #[serde(default)]
    pub excludes: BTreeMap<String, String>,
    /// The value of `${seed}`, if the scenario uses it.
    #[serde(skip)]
    pub seed: Option<u64>,
    /// The extent that `${scale}` was expanded for.
    #[serde(skip)]
    pub extent: Extent,
}

/// How a guest is made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// From a saved guest.
    #[default]
    Restored,
    /// By booting.
    Cold,
}

/// What is loaded before the commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Module {
    /// The tracer.
    #[default]
    Plain,
    /// The tracer with the mutants and the self-test compiled in, and no mutant selected.
    SelfTest,
    /// Nothing: the claim is about loading the module.
    None,
}

/// The clock of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Real time.
    #[default]
    Time,
    /// Instructions, one per nanosecond (`-icount shift=0`).
    Instructions,
}

impl Clock {
    /// QEMU's `-icount shift`; `None` without `-icount`.
    pub fn shift(self) -> Option<u8> {
        match self {
            Self::Time => None,
            Self::Instructions => Some(0),
        }
    }
}

/// A CPU model of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Processor {
    /// The model that is fastest to emulate.
    #[default]
    Usual,
    /// The model with every feature that QEMU has.
    Full,
    /// A model with little beyond the architecture's baseline.
    Plain,
    /// A model whose flaws need a mitigation at every function return, if the machine has one.
    Flawed,
}

/// How the tracer is stopped after the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Stop {
    /// SIGINT, as Ctrl-C does.
    #[default]
    #[serde(rename = "SIGINT")]
    Interrupt,
    /// SIGKILL, so that it cannot clean up.
    #[serde(rename = "SIGKILL")]
    Kill,
    /// It exits by itself.
    #[serde(rename = "exits")]
    Exits,
}

/// Expected results, besides a healthy guest and unchanged kernel text.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expect {
    /// How the tracer ends; absent means status 0.
    #[serde(default)]
    pub status: Status,
    /// How the workload ends; absent means status 0.
    #[serde(default)]
    pub workload_status: Option<Status>,
    /// The exact number of records.
    #[serde(default)]
    pub events: Option<usize>,
    /// The least number of records.
    #[serde(default)]
    pub events_at_least: Option<usize>,
    /// The other tracer that must count as many hits in the same run.
    #[serde(default)]
    pub agrees_with: Option<AgreesWith>,
    /// Texts that the tracer's standard output must contain.
    #[serde(default)]
    pub stdout_contains: Vec<String>,
    /// Texts that the tracer's standard error must contain.
    #[serde(default)]
    pub stderr_contains: Vec<String>,
}

/// Another tracer, and what it counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a map that names a tracer and what it counts, such as {ftrace: '${syscall.chdir}'}"
)]
pub struct AgreesWith {
    /// ftrace's function tracer, on this function.
    #[serde(default)]
    pub ftrace: Option<String>,
    /// QEMU's execution log, on the probes that this file in the guest lists with their hits.
    #[serde(default)]
    pub execution: Option<String>,
}

/// An error in a scenario file, and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {what}", path.display(), place.line, place.column)]
pub struct ScenarioError {
    /// The file.
    pub path: PathBuf,
    /// The place in it.
    pub place: Place,
    /// What is wrong, and the remedy.
    pub what: String,
}

/// A scenario with the file it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// `provider/claim`.
    pub id: String,
    /// The YAML file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The parsed scenario, with placeholders.
    pub scenario: Scenario,
}

impl Source {
    /// Parses and checks the text of the scenario file `path`.
    pub fn parse(id: &str, path: &Path, text: &str) -> Result<Self, ScenarioError> {
        let scenario: Scenario = serde_yaml::from_str(text).map_err(|e| yaml_error(path, &e))?;
        let source = Self {
            id: id.to_owned(),
            path: path.to_owned(),
            text: text.to_owned(),
            scenario,
        };
        source.check()?;
        Ok(source)
    }

    /// The scenario for `guest`: every `${name}` expanded, `${seed}` and `${scale}` by this run's
    /// seed and extent, and the clock from `clocks`.
    pub fn for_guest(&self, guest: &str, names: &Names) -> Result<Scenario, ScenarioError> {
        let seed = if self.has_seed() {
            Some(seed::of_run().map_err(|what| self.error(SEED, what))?)
        } else {
            None
        };
        let extent = match self.scenario.scale {
            Some(_) => Extent::of_run().map_err(|what| self.error("scale:", what))?,
            None => Extent::default(),
        };
        self.for_guest_with(guest, names, seed, extent)
    }

    /// The same with the seed and extent of another run.
    pub fn for_guest_with(
        &self,
        guest: &str,
        names: &Names,
        seed: Option<u64>,
        extent: Extent,
    ) -> Result<Scenario, ScenarioError> {
        let mut scenario = self.scenario.clone();
        scenario.seed = seed;
        scenario.extent = extent;
        if let Some((_, clock)) = variant::stated(&scenario.clocks, guest) {
            scenario.clock = Some(*clock);
        }
        let scale = scenario.scale.map(|scale| scale.at(extent));
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let names = &names.with([
            ("guest", Some(guest.to_owned())),
            ("seed", number(seed)),
            ("scale", number(scale)),
        ]);
        for text in scenario.texts() {
            *text = names.expand(text).map_err(|name| {
                self.error(
                    &format!("${{{name}"),
                    format!("{guest} has no name `{name}`; it has {}", names.known()),
                )
            })?;
        }
        Ok(scenario)
    }

    /// Refuses guests that are not in `known`.
    pub fn check_guests(&self, known: &[String]) -> Result<(), ScenarioError> {
        let scenario = &self.scenario;
        let named = scenario.guests.iter().flatten();
        let named = named.chain(scenario.differs.keys());
        let named = named.chain(scenario.excludes.keys());
        let named = named.chain(&scenario.nightly);
        let named = named.chain(scenario.mutants.values().flat_map(Stated::guests));
        self.all_known("guest", named.chain(scenario.clocks.keys()), known)
    }

    /// Refuses capabilities in `needs` that are not in `known`.
    pub fn check_needs(&self, known: &[String]) -> Result<(), ScenarioError> {
        self.all_known("capability", &self.scenario.needs, known)
    }

    /// Refuses mutants that are not in `known`.
    pub fn check_mutants(&self, known: &[String]) -> Result<(), ScenarioError> {
        self.all_known("mutant", self.scenario.mutants.keys(), known)
    }

    fn has_seed(&self) -> bool {
        let mut scenario = self.scenario.clone();
        scenario.texts().any(|text| text.contains(SEED))
    }

    /// The symptom of `mutant` in `guest`; an error if none is stated for it.
    pub fn symptom(&self, mutant: &str, guest: &str) -> Result<Symptom, ScenarioError> {
        let stated = self.scenario.mutants.get(mutant);
        let symptom = stated.and_then(|stated| stated.of(guest));
        symptom.ok_or_else(|| {
            self.error(
                mutant,
                format!("`{mutant}` does not state what {guest} says"),
            )
        })
    }

    fn all_known<'w>(
        &self,
        sort: &str,
        words: impl IntoIterator<Item = &'w String>,
        known: &[String],
    ) -> Result<(), ScenarioError> {
        match words.into_iter().find(|word| !known.contains(word)) {
            None => Ok(()),
            Some(word) => {
                let known = known.join(", ");
                Err(self.error(word, format!("unknown {sort} `{word}`; known: {known}")))
            }
        }
    }

    fn check(&self) -> Result<(), ScenarioError> {
        match rules::broken(&self.scenario, &self.text) {
            Some((key, what)) => Err(self.error(key, what.to_owned())),
            None => Ok(()),
        }
    }

    fn error(&self, near: &str, what: String) -> ScenarioError {
        ScenarioError {
            path: self.path.clone(),
            place: Place::of(&self.text, near),
            what,
        }
    }
}

impl Scenario {
    /// Why its guest is booted instead of restored, as reports print it.
    pub fn cold_because(&self) -> Option<&'static str> {
        match (self.boot, self.clock) {
            (Boot::Cold, _) => Some("boot: cold"),
            // Guests are saved with real time.
            (_, Some(Clock::Instructions)) => Some("clock: instructions"),
            // Guests are saved with their image's command line.
            _ if self.append.is_some() => Some("append"),
            (Boot::Restored, Some(Clock::Time) | None) => None,
        }
    }

    /// The file in the guest whose counts QEMU's execution log must confirm.
    pub fn executed(&self) -> Option<&str> {
        self.expect.agrees_with.as_ref()?.execution.as_deref()
    }

    /// The command of the step with this role.
    pub fn command(&self, role: &str) -> Option<&str> {
        match role {
            "trace" => Some(&self.trace),
            "workload" => self.workload.as_deref(),
            _ => None,
        }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let expect = &mut self.expect;
        let others = expect.agrees_with.iter_mut();
        let others = others.flat_map(|other| other.ftrace.iter_mut().chain(&mut other.execution));
        std::iter::once(&mut self.trace)
            .chain(&mut self.workload)
            .chain(&mut self.files)
            .chain(others)
            .chain(&mut expect.stdout_contains)
            .chain(&mut expect.stderr_contains)
    }
}

fn yaml_error(path: &Path, error: &serde_yaml::Error) -> ScenarioError {
    let message = error.to_string();
    let what = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(what, _)| what);
    ScenarioError {
        path: path.to_owned(),
        place: error.location().map(Place::from).unwrap_or_default(),
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests;
