//! Which jobs a command line asks for: filters to scenarios, scenarios and a guest to jobs. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scenario::{Extent, Module, Names, Scenario, ScenarioError, Source, Symptom};

/// What a guest must be able to do to be given more than one CPU.
const SMP: &str = "smp";

/// What a plan needs to know of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Its name.
    pub guest: String,
    /// What it calls things.
    pub names: Names,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// The seeded defects that it knows.
    pub mutants: Vec<String>,
}

/// The control of a scenario's defects: their module, with none of them chosen.
const NONE: &str = "none";

/// A seeded defect and how a scenario must fail with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What the mutants' module calls it.
    pub name: String,
    /// How the scenario must fail; the control must pass.
    pub expected: Option<Symptom>,
}

/// Which job it is: scenario, guest, the seeded defect if there is one, and which of its copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobId {
    /// `provider/claim`.
    pub scenario: String,
    /// The guest.
    pub guest: String,
    /// The seeded defect.
    pub mutant: Option<String>,
    /// Which of several copies, from 1; none where the job is run once.
    pub copy: Option<u32>,
}

impl JobId {
    /// The scenario with its defect, as file names have it: `fbt/three-chdir+push-into-frame`, and
    /// behind it a copy's number: `fbt/three-chdir#7`.
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

/// One scenario to be run in one guest.
#[derive(Debug, Clone)]
pub struct Job {
    /// Which one it is.
    pub id: JobId,
    /// Where it is written.
    pub source: Arc<Source>,
    /// What it says for this guest.
    pub scenario: Scenario,
    /// The defect to be seeded.
    pub mutant: Option<Mutant>,
    /// Which attempt at it this is, from 1.
    pub attempt: u32,
}

/// What becomes of a scenario in a guest.
#[derive(Debug, Clone)]
pub enum Item {
    /// It is run.
    Run(Box<Job>),
    /// It is not, for a reason.
    Skip {
        /// Which job it would have been.
        id: JobId,
        /// Why it is not run.
        why: String,
    },
}

impl Item {
    /// Which control it is, if it is one.
    /// Whether a change is judged without it: a defect that is stated to be for full runs, or the control of such.
    fn is_for_full_runs(&self) -> bool {
        let Self::Run(job) = self else { return false };
        let Some(chosen) = &job.id.mutant else {
            return false;
        };
        let mut stated = job.source.scenario.mutants.iter();
        stated
            .all(|(name, stated)| stated.extent == Extent::Full || chosen != name && chosen != NONE)
    }

    /// What one guest may do for all: a run with the module that has defects, at full extent the control only.
    fn shared(&self, extent: Extent) -> Option<(&str, &str)> {
        let Self::Run(job) = self else { return None };
        let mutant = job.id.mutant.as_deref()?;
        let is_shared = extent == Extent::Change || mutant == NONE;
        is_shared.then_some((&job.id.scenario, mutant))
    }

    /// Which job it is, or would have been.
    pub fn id(self) -> JobId {
        match self {
            Self::Run(job) => job.id,
            Self::Skip { id, .. } => id,
        }
    }
}

/// The defects with which a scenario is run beside the run without any, as far as the guest knows
/// them, and before them their control; where that run has the defects' module anyway, it is the control.
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

/// Everything that the scenarios come to in one guest.
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

/// Leaves out the defects that are not for this extent, and leaves each other one of a scenario's to one of the guests
/// that have it, to each guest in its turn: most are in what all guests have. Full runs have all.
///
/// A scenario's control is left to one guest at any extent, and, in several, a change is judged with that of each third scenario:
/// the module that has defects can do without them where some say so, and `says` holds each defect to its own symptom.
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

/// Each job `times` times, as jobs of their own that are numbered from 1; a skip stays one.
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

/// Why a scenario is not for this guest.
fn unfit(scenario: &Scenario, target: &Target) -> Option<String> {
    if let Some(guests) = &scenario.guests
        && !guests.contains(&target.guest)
    {
        let why = scenario.why.as_deref().unwrap_or("it does not say why");
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

/// A filter that fits nothing, and what was perhaps meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario matches `{filter}`; there is {}", near.join(", "))]
pub struct NoMatch {
    /// The filter.
    pub filter: String,
    /// The ids that look most like it.
    pub near: Vec<String>,
}

/// Those of `ids` that have one of `filters` in them; all without filters.
pub fn select<'i>(ids: &'i [String], filters: &[String]) -> Result<Vec<&'i String>, NoMatch> {
    if let Some(filter) = filters
        .iter()
        .find(|f| !ids.iter().any(|id| id.contains(*f)))
    {
        return Err(NoMatch {
            filter: filter.clone(),
            near: near(ids, filter),
        });
    }
    let wanted = |id: &&String| filters.is_empty() || filters.iter().any(|f| id.contains(f));
    Ok(ids.iter().filter(wanted).collect())
}

const NEAR: usize = 5;

fn near(ids: &[String], filter: &str) -> Vec<String> {
    let mut ids = ids.to_vec();
    ids.sort_by(|a, b| likeness(b, filter).total_cmp(&likeness(a, filter)));
    ids.truncate(NEAR);
    ids
}

/// People type the claim, the provider or both.
fn likeness(id: &str, filter: &str) -> f64 {
    id.split('/')
        .chain([id])
        .map(|part| strsim::normalized_damerau_levenshtein(part, filter))
        .fold(0.0, f64::max)
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

    fn told(sources: &[Arc<Source>], with_mutants: bool) -> Vec<String> {
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
    fn a_scenario_runs_where_it_fits_and_says_why_not_elsewhere() {
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
            told(&sources, false),
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
    fn mutants_are_jobs_of_their_own_when_asked() {
        let sources = [source(
            "a/b",
            "mutants: {m: {fails: guest-crash, says: x}, n: {fails: left-behind, says: x}}\n",
        )];
        assert_eq!(told(&sources, false).len(), 1);
        assert_eq!(
            told(&sources, true),
            [
                "armv6 a/b: b sys_f",
                "armv6 a/b+none: b sys_f",
                "armv6 a/b+m: b sys_f",
                "armv6 a/b+n: b sys_f"
            ]
        );
    }

    #[test]
    fn a_defect_of_another_guest_is_not_this_ones_affair() {
        let sources = [source(
            "a/b",
            "mutants: {m: {fails: guest-crash, says: x}, o: {fails: left-behind, says: x}}\n",
        )];
        assert_eq!(
            told(&sources, true),
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
        assert_eq!(told(&theirs, true), ["armv6 a/b: b sys_f"]);
    }

    #[test]
    fn a_scenario_that_has_the_module_of_its_defects_is_their_control() {
        let more = "module: self-test\nmutants: {m: {fails: guest-crash, says: x}}\n";
        assert_eq!(
            told(&[source("a/b", more)], true),
            ["armv6 a/b: b sys_f", "armv6 a/b+m: b sys_f"]
        );
    }

    #[test]
    fn what_a_defect_shows_is_stated_for_each_guest_that_has_it() {
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
    fn a_defect_is_run_in_one_of_the_guests_and_each_of_them_has_its_turn() {
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
    fn one_guest_alone_runs_each_control() {
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
    fn a_copy_is_a_job_with_a_number_and_a_skip_is_no_copy() {
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
    fn a_name_that_the_guest_lacks_stops_the_plan() {
        let target = Target::default();
        assert!(plan(&[source("a/b", "")], &target, false).is_err());
    }

    #[test]
    fn filters_are_parts_of_ids() {
        let ids = ["cli/list", "fbt/three-chdir", "fbt/ten-thousand"].map(str::to_owned);
        let pick = |filters: &[&str]| {
            let filters: Vec<String> = filters.iter().map(|f| (*f).to_owned()).collect();
            select(&ids, &filters).map(|got| got.into_iter().cloned().collect::<Vec<_>>())
        };
        assert_eq!(pick(&[]).expect("all").len(), 3);
        assert_eq!(pick(&["fbt/"]).expect("two"), ids[1..]);
        assert_eq!(pick(&["list", "ten"]).expect("two").len(), 2);
        let error = pick(&["list", "three-chdri"]).expect_err("a slip of the pen");
        insta::assert_snapshot!(error, @"no scenario matches `three-chdri`; there is fbt/three-chdir, fbt/ten-thousand, cli/list");
    }
}
