//! Plans jobs: scenarios with a guest to jobs. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scenario::{Extent, Module, Names, Scenario, ScenarioError, Source, Symptom};

/// Capability of guests that can have more than one CPU.
const SMP: &str = "smp";

/// What planning needs to know of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Its name.
    pub guest: String,
    /// Its values for `${name}`.
    pub names: Names,
    /// Its capabilities.
    pub capabilities: Vec<String>,
    /// The seeded defects that its mutants' module has.
    pub mutants: Vec<String>,
}

/// The control: the mutants' module with no defect selected.
const NONE: &str = "none";

/// A seeded defect and the symptom it must show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Its name in the mutants' module.
    pub name: String,
    /// The symptom; `None` for the control, which must pass.
    pub expected: Option<Symptom>,
}

/// A job's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobId {
    /// `provider/claim`.
    pub scenario: String,
    /// The guest.
    pub guest: String,
    /// The seeded defect, if any.
    pub mutant: Option<String>,
    /// The number of the copy, from 1; `None` if there are no copies.
    pub copy: Option<u32>,
}

impl JobId {
    /// The id within a guest, as evidence folders use it: `fbt/three-chdir`, with a mutant
    /// `fbt/three-chdir+push-into-frame`, with a copy `fbt/three-chdir#7`.
    pub fn scenario_and_mutant(&self) -> String {
        let mutant = self.mutant.iter().map(|mutant| format!("+{mutant}"));
        let copy = self.copy.iter().map(|copy| format!("#{copy}"));
        let parts = mutant.chain(copy).collect::<String>();
        format!("{}{parts}", self.scenario)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.guest, self.scenario_and_mutant())
    }
}

/// One scenario to run in one guest.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its identity.
    pub id: JobId,
    /// The scenario's file.
    pub source: Arc<Source>,
    /// The scenario, expanded for this guest.
    pub scenario: Scenario,
    /// The defect to seed.
    pub mutant: Option<Mutant>,
    /// The attempt, from 1.
    pub attempt: u32,
}

/// A scenario's fate in a guest.
#[derive(Debug, Clone)]
pub enum Item {
    /// It is run.
    Run(Box<Job>),
    /// It is skipped.
    Skip {
        /// The job it would have been.
        id: JobId,
        /// The reason.
        why: String,
    },
}

impl Item {
    /// Whether it is run at full extent only: a mutant stated to be so, or the control of such
    /// mutants alone.
    fn is_for_full_runs(&self) -> bool {
        let Self::Run(job) = self else { return false };
        let Some(chosen) = &job.id.mutant else {
            return false;
        };
        let mut stated = job.source.scenario.mutants.iter();
        stated
            .all(|(name, stated)| stated.extent == Extent::Full || chosen != name && chosen != NONE)
    }

    /// The scenario and mutant, if one guest can run it on behalf of all: any mutants' job, at full
    /// extent only the control.
    fn shared(&self, extent: Extent) -> Option<(&str, &str)> {
        let Self::Run(job) = self else { return None };
        let mutant = job.id.mutant.as_deref()?;
        let is_shared = extent == Extent::Change || mutant == NONE;
        is_shared.then_some((&job.id.scenario, mutant))
    }

    /// The job's identity, also of a skip.
    pub fn id(self) -> JobId {
        match self {
            Self::Run(job) => job.id,
            Self::Skip { id, .. } => id,
        }
    }
}

/// The mutants of a scenario that the guest has, after their control. There is no control if the
/// plain run uses the mutants' module anyway.
pub fn mutants(
    source: &Source,
    guest: &str,
    known: &[String],
) -> Result<Vec<Mutant>, ScenarioError> {
    let scenario = &source.scenario;
    let mutant = |name: &String| {
        let expected = Some(source.symptom(name, guest)?);
        let name = name.clone();
        Ok(Mutant { name, expected })
    };
    let names = scenario.mutants.keys().filter(|name| known.contains(name));
    let mut mutants = names.map(mutant).collect::<Result<Vec<_>, _>>()?;
    if !mutants.is_empty() && scenario.module != Module::SelfTest {
        let control = Mutant {
            name: NONE.to_owned(),
            expected: None,
        };
        mutants.insert(0, control);
    }
    Ok(mutants)
}

/// All jobs and skips of the scenarios in one guest.
pub fn plan(
    sources: &[Arc<Source>],
    target: &Target,
    with_mutants: bool,
) -> Result<Vec<Item>, ScenarioError> {
    let mut items = Vec::new();
    for source in sources {
        let id = |mutant| JobId {
            scenario: source.id.clone(),
            guest: target.guest.clone(),
            mutant,
            copy: None,
        };
        if let Some(why) = unfit(&source.scenario, target) {
            items.push(Item::Skip { id: id(None), why });
            continue;
        }
        let scenario = source.for_guest(&target.guest, &target.names)?;
        let wanted = if with_mutants {
            mutants(source, &target.guest, &target.mutants)?
        } else {
            Vec::new()
        };
        for mutant in std::iter::once(None).chain(wanted.into_iter().map(Some)) {
            items.push(Item::Run(Box::new(Job {
                id: id(mutant.as_ref().map(|m| m.name.clone())),
                source: Arc::clone(source),
                scenario: scenario.clone(),
                mutant,
                attempt: 1,
            })));
        }
    }
    Ok(items)
}

/// Drops the mutants that `extent` excludes, and assigns each remaining one to a single guest,
/// rotating among those that have it: most defects are in code that all guests share. At full
/// extent every guest runs all mutants.
///
/// A control is assigned to a single guest at any extent. With several guests and at `change`
/// extent, only every third scenario's control is run: a few of them suffice to show that the
/// mutants' module works without a defect, and `says` ties each mutant to its own symptom.
pub fn share_mutants(guests: &mut [Vec<Item>], extent: Extent) {
    for items in guests.iter_mut() {
        items.retain(|item| extent == Extent::Full || !item.is_for_full_runs());
    }
    let are_several = guests.len() > 1;
    let mut runners: BTreeMap<String, BTreeMap<String, Vec<usize>>> = BTreeMap::new();
    for (guest, items) in guests.iter().enumerate() {
        for (scenario, mutant) in items.iter().filter_map(|item| item.shared(extent)) {
            let mutants = runners.entry(scenario.to_owned()).or_default();
            mutants.entry(mutant.to_owned()).or_default().push(guest);
        }
    }
    for (scenario_turn, mutants) in runners.values_mut().enumerate() {
        for (mutant_turn, (mutant, guests)) in mutants.iter_mut().enumerate() {
            let is_left_out =
                are_several && mutant == NONE && extent == Extent::Change && scenario_turn % 3 != 0;
            let chosen = guests[(scenario_turn + mutant_turn) % guests.len()];
            *guests = if is_left_out { vec![] } else { vec![chosen] };
        }
    }
    for (guest, items) in guests.iter_mut().enumerate() {
        items.retain(|item| {
            item.shared(extent)
                .is_none_or(|(scenario, mutant)| runners[scenario][mutant] == [guest])
        });
    }
}

/// Copies each job `times` times, numbered from 1; a skip stays single.
pub fn repeat(items: Vec<Item>, times: u32) -> Vec<Item> {
    let copies = |item| match item {
        Item::Run(job) => (1..=times)
            .map(|copy| Item::Run(numbered(&job, copy)))
            .collect(),
        skip => vec![skip],
    };
    items.into_iter().flat_map(copies).collect()
}

fn numbered(job: &Job, copy: u32) -> Box<Job> {
    let mut job = job.clone();
    job.id.copy = Some(copy);
    Box::new(job)
}

/// Why a scenario cannot run in this guest, if so.
fn unfit(scenario: &Scenario, target: &Target) -> Option<String> {
    if let Some(guests) = &scenario.guests
        && !guests.contains(&target.guest)
    {
        let why = scenario.why.as_deref().unwrap_or("no reason given");
        return Some(format!("only for {}: {why}", guests.join(", ")));
    }
    let has_many = scenario.cpus.is_some_and(|cpus| cpus.count() > 1);
    let needs = scenario.needs.iter().map(String::as_str);
    let missing: Vec<_> = needs
        .chain(
            has_many
                .then_some(SMP)
                .filter(|smp| !scenario.needs.iter().any(|need| need == smp)),
        )
        .filter(|need| !target.capabilities.iter().any(|can| can == need))
        .collect();
    let why = || format!("{} lacks {}", target.guest, missing.join(", "));
    (!missing.is_empty()).then(why)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn source(id: &str, more: &str) -> Arc<Source> {
        let text = format!("asserts: a\ntrace: b ${{f}}\nstop: exits\n{more}");
        Arc::new(Source::parse(id, Path::new("x.yaml"), &text).expect("valid"))
    }

    fn target() -> Target {
        Target {
            guest: "armv6".to_owned(),
            names: Names::from([("f", "sys_f")]),
            capabilities: vec!["fbt".to_owned()],
            mutants: vec!["m".to_owned(), "n".to_owned()],
        }
    }

    fn described(sources: &[Arc<Source>], with_mutants: bool) -> Vec<String> {
        plan(sources, &target(), with_mutants)
            .expect("names are known")
            .iter()
            .map(|item| match item {
                Item::Run(job) => format!("{}: {}", job.id, job.scenario.trace),
                Item::Skip { id, why } => format!("{id}: skip, {why}"),
            })
            .collect()
    }

    #[test]
    fn unfit_scenarios_are_skipped_with_a_reason() {
        let sources = [
            source("a/any", ""),
            source("a/here", "guests: [armv6, arm64]\nwhy: c\n"),
            source("a/there", "guests: [arm64, x86_64]\nwhy: c\n"),
            source("a/can", "needs: [fbt]\n"),
            source("a/cannot", "needs: [fbt, btf, usdt]\n"),
            source("a/alone", "cpus: 1\n"),
            source("a/many", "needs: [fbt, btf, smp]\ncpus: 2\n"),
            source("a/here-many", "guests: [armv6]\nwhy: c\ncpus: 2\n"),
        ];
        assert_eq!(
            described(&sources, false),
            [
                "armv6 a/any: b sys_f",
                "armv6 a/here: b sys_f",
                "armv6 a/there: skip, only for arm64, x86_64: c",
                "armv6 a/can: b sys_f",
                "armv6 a/cannot: skip, armv6 lacks btf, usdt",
                "armv6 a/alone: b sys_f",
                "armv6 a/many: skip, armv6 lacks btf, smp",
                "armv6 a/here-many: skip, armv6 lacks smp",
            ]
        );
    }

    #[test]
    fn mutants_become_jobs_on_request() {
        let sources = [source(
            "a/b",
            "mutants: {m: {fails: guest-crash, says: x}, n: {fails: left-behind, says: x}}\n",
        )];
        assert_eq!(described(&sources, false).len(), 1);
        assert_eq!(
            described(&sources, true),
            [
                "armv6 a/b: b sys_f",
                "armv6 a/b+none: b sys_f",
                "armv6 a/b+m: b sys_f",
                "armv6 a/b+n: b sys_f"
            ]
        );
    }

    #[test]
    fn mutants_unknown_to_the_guest_are_left_out() {
        let sources = [source(
            "a/b",
            "mutants: {m: {fails: guest-crash, says: x}, o: {fails: left-behind, says: x}}\n",
        )];
        assert_eq!(
            described(&sources, true),
            [
                "armv6 a/b: b sys_f",
                "armv6 a/b+none: b sys_f",
                "armv6 a/b+m: b sys_f"
            ]
        );
        let theirs = [source(
            "a/b",
            "mutants: {o: {fails: left-behind, says: x}}\n",
        )];
        assert_eq!(described(&theirs, true), ["armv6 a/b: b sys_f"]);
    }

    #[test]
    fn self_test_scenario_is_its_own_control() {
        let more = "module: self-test\nmutants: {m: {fails: guest-crash, says: x}}\n";
        assert_eq!(
            described(&[source("a/b", more)], true),
            ["armv6 a/b: b sys_f", "armv6 a/b+m: b sys_f"]
        );
    }

    #[test]
    fn symptom_must_be_stated_for_each_guest() {
        let more = "mutants: {m: {fails: guest-crash, says: {armv6: x, arm64: y}}}\n";
        let sources = [source("a/b", more)];
        let says = |guest: &str| {
            let target = Target {
                guest: guest.to_owned(),
                ..target()
            };
            let items = plan(&sources, &target, true).map_err(|e| e.to_string())?;
            let jobs = items.into_iter().filter_map(|item| match item {
                Item::Run(job) => job.mutant?.expected,
                Item::Skip { .. } => None,
            });
            Ok::<_, String>(jobs.map(|symptom| symptom.says).collect::<Vec<_>>())
        };
        assert_eq!(says("arm64"), Ok(vec!["y".to_owned()]));
        insta::assert_snapshot!(says("x86_64").expect_err("nothing"), @"x.yaml:4:1: `m` does not state what x86_64 says");
    }

    #[test]
    fn mutants_rotate_among_guests() {
        let sources = [
            source("a/b", "mutants: {m: {fails: guest-crash, says: x}}\n"),
            source("a/c", "mutants: {n: {fails: guest-crash, says: x}}\n"),
            source(
                "a/d",
                "guests: [armv6]\nwhy: c\nmutants: {m: {fails: guest-crash, says: x}}\n",
            ),
            source(
                "a/e",
                "guests: [armv6]\nwhy: c\nmutants: {m: {fails: guest-crash, says: x, extent: full}}\n",
            ),
        ];
        let run = |extent| {
            let other = Target {
                guest: "arm64".to_owned(),
                ..target()
            };
            let planned = [target(), other].map(|target| plan(&sources, &target, true));
            let mut guests = planned.map(|items| items.expect("names are known"));
            share_mutants(&mut guests, extent);
            let items = guests.into_iter().flatten().map(Item::id);
            let mutants = items.filter(|id| id.mutant.is_some());
            mutants.map(|id| id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            run(Extent::Change),
            [
                "armv6 a/b+m",
                "armv6 a/d+m",
                "arm64 a/b+none",
                "arm64 a/c+n",
            ]
        );
        assert_eq!(
            run(Extent::Full),
            [
                "armv6 a/b+none",
                "armv6 a/b+m",
                "armv6 a/c+n",
                "armv6 a/d+none",
                "armv6 a/d+m",
                "armv6 a/e+none",
                "armv6 a/e+m",
                "arm64 a/b+m",
                "arm64 a/c+none",
                "arm64 a/c+n",
            ]
        );
    }

    #[test]
    fn single_guest_runs_all_controls() {
        let mutants = "mutants: {m: {fails: guest-crash, says: x}}\n";
        let sources = ["a/b", "a/c"].map(|id| source(id, mutants));
        let items = plan(&sources, &target(), true).expect("names are known");
        let mut guests = [items];
        share_mutants(&mut guests, Extent::Change);
        let [items] = guests;
        let ids: Vec<_> = items
            .into_iter()
            .map(|item| item.id().to_string())
            .collect();
        for control in ["armv6 a/b+none", "armv6 a/c+none"] {
            assert!(ids.iter().any(|id| id == control), "{ids:?}");
        }
    }

    #[test]
    fn copies_are_numbered_and_skips_are_not_copied() {
        let sources = [
            source("a/b", "mutants: {m: {fails: guest-crash, says: x}}\n"),
            source("a/c", "guests: [arm64]\nwhy: c\n"),
        ];
        let items = plan(&sources, &target(), true).expect("names are known");
        let ids = repeat(items, 2)
            .into_iter()
            .map(|item| item.id().to_string());
        assert_eq!(
            ids.collect::<Vec<_>>(),
            [
                "armv6 a/b#1",
                "armv6 a/b#2",
                "armv6 a/b+none#1",
                "armv6 a/b+none#2",
                "armv6 a/b+m#1",
                "armv6 a/b+m#2",
                "armv6 a/c",
            ]
        );
    }

    #[test]
    fn unknown_name_is_an_error() {
        let target = Target::default();
        assert!(plan(&[source("a/b", "")], &target, false).is_err());
    }
}
