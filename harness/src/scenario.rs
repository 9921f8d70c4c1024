//! A scenario: one claim about the tracer, as its YAML file states it.
//!
//! Parsing is strict. A key nobody knows, a value of the wrong type or a combination that means
//! nothing is an error that names the file, the line, the column and what would be right.

mod names;
mod number;
mod pass;
mod place;
mod scale;
pub mod seed;
mod status;
mod symptom;

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

/// Where a scenario takes the seed of the run.
const SEED: &str = "${seed}";

/// One claim and how to put it to the test.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// The claim, in one sentence.
    pub asserts: String,
    /// Why anybody cares.
    #[serde(default)]
    pub story: Option<String>,
    /// The guests it is for; absent means every guest that has what `needs` lists.
    #[serde(default)]
    pub guests: Option<Vec<String>>,
    /// Why it is not for the others; goes with `guests`.
    #[serde(default)]
    pub why: Option<String>,
    /// Capabilities a guest must have.
    #[serde(default)]
    pub needs: Vec<String>,
    /// How many CPUs the guest boots with; absent means as many as it usually has.
    #[serde(default)]
    pub cpus: Option<Cpus>,
    /// Which of the machine's processors the guest has.
    #[serde(default)]
    pub processor: Processor,
    /// Words added to the kernel's command line; the guest then boots for this job.
    #[serde(default)]
    pub append: Option<String>,
    /// Whether the guest boots for this job, or goes on from what was saved of one.
    #[serde(default)]
    pub boot: Boot,
    /// Which of the two modules the guest loads.
    #[serde(default)]
    pub module: Module,
    /// What the guest's clock counts; absent means the host's time, and that hunts may try something else.
    #[serde(default)]
    pub clock: Option<Clock>,
    /// Guest -> what its clock counts, where that is something else.
    #[serde(default)]
    pub clocks: BTreeMap<String, Clock>,
    /// Files and folders of the checkout that it brings along; in the guest they have the same paths,
    /// from the folder on that commands start in.
    #[serde(default)]
    pub files: Vec<String>,
    /// The tracer's command: one simple command, started by `exec` so that signals reach it.
    pub trace: String,
    /// The command run once the tracer's probes are live.
    #[serde(default)]
    pub workload: Option<String>,
    /// How the tracer ends.
    #[serde(default)]
    pub stop: Stop,
    /// Seconds that the tracer and the workload may take together.
    #[serde(default)]
    pub time_limit: TimeLimit,
    /// What `${scale}` stands for, where a run may do more or less of the same.
    #[serde(default)]
    pub scale: Option<Scale>,
    /// Passes applied to the output beyond those that always apply.
    #[serde(default)]
    pub normalise: Vec<Pass>,
    /// What must come out.
    #[serde(default)]
    pub expect: Expect,
    /// Seeded defects, and how the scenario must fail with each.
    #[serde(default)]
    pub mutants: BTreeMap<String, Stated>,
    /// Guest -> why its snapshot is its own, in `<claim>@<guest>.snap`.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    /// What `${seed}` stands for, if it occurs.
    #[serde(skip)]
    pub seed: Option<u64>,
    /// What its `scale` was taken for.
    #[serde(skip)]
    pub extent: Extent,
}

/// How a guest comes to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// It goes on from where one like it was saved.
    #[default]
    Restored,
    /// It boots.
    Cold,
}

/// What is loaded before the commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Module {
    /// The tracer.
    #[default]
    Plain,
    /// The one with seeded defects, none of them chosen, and with the self-test.
    SelfTest,
    /// None: the claim is about loading it.
    None,
}

/// What a guest's clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The host's time.
    #[default]
    Time,
    /// Instructions, each for a nanosecond.
    Instructions,
}

impl Clock {
    /// QEMU's `-icount shift`.
    pub fn shift(self) -> Option<u8> {
        match self {
            Self::Time => None,
            Self::Instructions => Some(0),
        }
    }
}

/// A machine's processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Processor {
    /// The one that is quick to emulate.
    #[default]
    Usual,
    /// The one that has everything the emulator knows.
    Full,
    /// One that has little more than its kind has to have.
    Plain,
    /// One with flaws that the kernel has to work around wherever a function returns, where there is such.
    Flawed,
}

/// How the tracer is ended after the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Stop {
    /// As Ctrl-C does.
    #[default]
    #[serde(rename = "SIGINT")]
    Interrupt,
    /// Without a chance to clean up.
    #[serde(rename = "SIGKILL")]
    Kill,
    /// Not at all: it ends by itself.
    #[serde(rename = "exits")]
    Exits,
}

/// What must come out of a run, beyond a healthy guest and an unchanged kernel.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expect {
    /// How the tracer ends; absent means 0.
    #[serde(default)]
    pub status: Status,
    /// How the workload ends; absent means 0.
    #[serde(default)]
    pub workload_status: Option<Status>,
    /// Exactly so many records.
    #[serde(default)]
    pub events: Option<usize>,
    /// So many records or more.
    #[serde(default)]
    pub events_at_least: Option<usize>,
    /// The kernel's own tracer must have counted the same hits in the same run.
    #[serde(default)]
    pub agrees_with: Option<AgreesWith>,
    /// Text that the tracer's standard output must hold.
    #[serde(default)]
    pub stdout_contains: Vec<String>,
    /// Text that the tracer's standard error must hold.
    #[serde(default)]
    pub stderr_contains: Vec<String>,
}

/// Another tracer, and what it counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a map that names a tracer and what it counts, such as {ftrace: '${syscall.chdir}'}"
)]
pub struct AgreesWith {
    /// The kernel's function tracer, on this function.
    pub ftrace: String,
}

/// What is wrong with a scenario file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {what}", path.display(), place.line, place.column)]
pub struct ScenarioError {
    /// The file.
    pub path: PathBuf,
    /// The place in it.
    pub place: Place,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// A scenario together with the file it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// `provider/claim`.
    pub id: String,
    /// The YAML file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it says.
    pub scenario: Scenario,
}

impl Source {
    /// Reads the text of the scenario file `path`.
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

    /// The scenario with every `${name}` replaced by what the guest calls it, and with the guest's clock.
    /// `${seed}` becomes the seed of this run, and `${scale}` what its extent makes of it.
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

    /// The same with a seed that is known, if the scenario has one, and as far as another run went.
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
        if let Some(clock) = scenario.clocks.get(guest) {
            scenario.clock = Some(*clock);
        }
        let scale = scenario.scale.map(|scale| scale.at(extent));
        let names = &names.with([("seed", seed), ("scale", scale)]);
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

    /// An error if it names a guest that is not one of `known`.
    pub fn check_guests(&self, known: &[String]) -> Result<(), ScenarioError> {
        let scenario = &self.scenario;
        let named = scenario.guests.iter().flatten();
        let named = named.chain(scenario.differs.keys());
        let named = named.chain(scenario.mutants.values().flat_map(Stated::guests));
        self.all_known("guest", named.chain(scenario.clocks.keys()), known)
    }

    /// An error if it needs something that is not one of `known`.
    pub fn check_needs(&self, known: &[String]) -> Result<(), ScenarioError> {
        self.all_known("capability", &self.scenario.needs, known)
    }

    /// An error if one of its seeded defects is not one of `known`.
    pub fn check_mutants(&self, known: &[String]) -> Result<(), ScenarioError> {
        self.all_known("mutant", self.scenario.mutants.keys(), known)
    }

    fn has_seed(&self) -> bool {
        let mut scenario = self.scenario.clone();
        scenario.texts().any(|text| text.contains(SEED))
    }

    /// What the defect must show in this guest; an error if that is not stated.
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
                Err(self.error(word, format!("no {sort} `{word}`; there is {known}")))
            }
        }
    }

    fn check(&self) -> Result<(), ScenarioError> {
        let s = &self.scenario;
        let expect = &s.expect;
        let wrong = [
            (
                s.guests.is_some() && !s.needs.is_empty(),
                "needs",
                "`needs` and `guests` exclude each other; keep the one that says why",
            ),
            (
                s.guests.is_some() && s.why.is_none(),
                "guests",
                "`guests` without `why`; say why it is not for the others",
            ),
            (
                s.guests.is_none() && s.why.is_some(),
                "why",
                "`why` without `guests`; it says why the scenario is not for the other guests",
            ),
            (
                s.guests.as_ref().is_some_and(Vec::is_empty),
                "guests",
                "an empty `guests` runs nowhere; name one or leave it out",
            ),
            (
                expect.events.is_some() && expect.events_at_least.is_some(),
                "events-at-least",
                "`events` and `events-at-least` exclude each other",
            ),
            (
                s.scale.is_some() && !self.text.contains("${scale}"),
                "scale",
                "`scale` without a `${scale}`",
            ),
            (
                s.scale
                    .is_some_and(|s| !(1..s.at(Extent::Full)).contains(&s.at(Extent::Change))),
                "scale",
                "`change` must be less than `full`, and more than 0",
            ),
            (
                s.workload.is_none() && expect.workload_status.is_some(),
                "workload-status",
                "`workload-status` without a `workload`",
            ),
            (
                s.workload.is_none() && s.stop != Stop::Exits,
                "trace",
                "without a `workload` nobody says when to stop; add `stop: exits`",
            ),
            (
                s.workload.is_some() && is_quiet(&s.trace),
                "trace",
                "with `-q` the tracer does not say when its probes are live, for which the `workload` waits; leave one of them out",
            ),
            (
                s.mutants.values().any(Stated::is_vague),
                "mutants",
                "`says` is empty, so every failure of that kind would do; state what the mutant shows",
            ),
        ];
        match wrong.into_iter().find(|(is_wrong, ..)| *is_wrong) {
            Some((_, key, what)) => Err(self.error(key, what.to_owned())),
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
    /// Why its guest is not restored, in a report's words.
    pub fn cold_because(&self) -> Option<&'static str> {
        match (self.boot, self.clock) {
            (Boot::Cold, _) => Some("boot: cold"),
            // Guests are saved with the other clock.
            (_, Some(Clock::Instructions)) => Some("clock: instructions"),
            // And with the command line of their image.
            _ if self.append.is_some() => Some("append"),
            (Boot::Restored, Some(Clock::Time) | None) => None,
        }
    }

    /// The command of the step with that role.
    pub fn command(&self, role: &str) -> Option<&str> {
        match role {
            "trace" => Some(&self.trace),
            "workload" => self.workload.as_deref(),
            _ => None,
        }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let expect = &mut self.expect;
        std::iter::once(&mut self.trace)
            .chain(&mut self.workload)
            .chain(expect.agrees_with.as_mut().map(|a| &mut a.ftrace))
            .chain(&mut expect.stdout_contains)
            .chain(&mut expect.stderr_contains)
    }
}

/// Whether `-q` is among the tracer's options, by itself or with others behind one dash.
fn is_quiet(trace: &str) -> bool {
    let options = trace
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('-'));
    options
        .filter(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()))
        .any(|letters| letters.contains('q'))
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
