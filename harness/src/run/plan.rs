//! Plans jobs: scenarios with a guest to jobs. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scenario::{Extent, Module, Names, Scenario, ScenarioError, Source, Symptom, variant};

/// Capability of guests that can have more than one CPU.
const SMP: &str = "smp";

/// Capability of guests that take turns: the others are slow to emulate, and leave what one guest
/// can run on behalf of all to those that have it, if any can.
const TURNS: &str = "turns";

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

impl Target {
    /// Whether it takes turns.
    pub fn takes_turns(&self) -> bool {
        self.capabilities.iter().any(|can| can == TURNS)
    }
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

    /// The job's identity, if it is the plain run of a scenario that guests run in turns.
    fn in_turns(&self) -> Option<&JobId> {
        let Self::Run(job) = self else { return None };
        (job.source.scenario.in_turns && job.id.mutant.is_none()).then_some(&job.id)
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
/// extent every guest runs all mutants. `taking` says which of the guests take turns.
///
/// A control is assigned to a single guest at any extent. With several guests and at `change`
/// extent, only every third scenario's control is run: a few of them suffice to show that the
/// mutants' module works without a defect, and `says` ties each mutant to its own symptom.
pub fn share_mutants(guests: &mut [Vec<Item>], taking: &[bool], extent: Extent) {
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
            keep_some(guests, |guest| taking[*guest]);
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

/// Makes skips of the plain runs that are too long for a change, if several guests are requested.
pub fn leave_to_the_night(guests: &mut [Vec<Item>], extent: Extent) {
    if extent == Extent::Full || guests.len() < 2 {
        return;
    }
    for item in guests.iter_mut().flatten() {
        if let Item::Run(job) = item
            && job.id.mutant.is_none()
            && variant::is_listed(&job.source.scenario.nightly, &job.id.guest)
        {
            let setting = Extent::Full.setting().unwrap_or_default();
            let why = format!("runs with {setting}, or if one guest is requested");
            let id = job.id.clone();
            *item = Item::Skip { id, why };
        }
    }
}

/// Leaves the plain run of each scenario that is stated to be `in-turns` to one of its guests, and
/// makes a skip of it in the others. Guests would differ in little in scenarios of that kind; at full
/// extent every guest runs them. `taking` says which of the guests take turns.
pub fn take_turns(guests: &mut [Vec<Item>], taking: &[bool], extent: Extent) {
    if extent == Extent::Full {
        return;
    }
    let mut runners: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for (items, &takes) in guests.iter().zip(taking) {
        for id in items.iter().filter_map(Item::in_turns) {
            let runners = runners.entry(id.scenario.clone()).or_default();
            runners.push((id.guest.clone(), takes));
        }
    }
    let turns = runners.into_iter().enumerate();
    let chosen: BTreeMap<_, _> = turns
        .map(|(turn, (scenario, mut runners))| {
            keep_some(&mut runners, |(_, takes)| *takes);
            (scenario, runners[turn % runners.len()].0.clone())
        })
        .collect();
    for item in guests.iter_mut().flatten() {
        if let Some(id) = item.in_turns()
            && chosen[&id.scenario] != id.guest
        {
            let setting = Extent::Full.setting().unwrap_or_default();
            let why = format!("{} runs it; with {setting} each does", chosen[&id.scenario]);
            *item = Item::Skip {
                id: id.clone(),
                why,
            };
        }
    }
}

/// Keeps those for which `is_fit` holds, or all if it holds for none.
fn keep_some<T>(all: &mut Vec<T>, is_fit: impl Fn(&T) -> bool) {
    if all.iter().any(&is_fit) {
        all.retain(is_fit);
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
        && !variant::is_listed(guests, &target.guest)
    {
        let why = scenario.why.as_deref().unwrap_or("no reason given");
        return Some(format!("only for {}: {why}", guests.join(", ")));
    }
    if let Some((_, why)) = variant::stated(&scenario.excludes, &target.guest) {
        return Some(format!("not on {}: {why}", target.guest));
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
mod tests;
