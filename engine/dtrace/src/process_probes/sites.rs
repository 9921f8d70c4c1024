//! USDT: probes that programs and libraries name themselves, `<provider><pid>:<object>:<function>:<name>`.
//!
//! A description whose provider ends with a process ID is looked for in that process; one whose
//! provider is a pattern, in all processes that this user may trace. What is found is enabled by one
//! description for each provider and object.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use engine_abi::{
    Description, FUNCTION_LEN, IN_MEMORY, INDEX_IS_SIGNED, INDEX_IS_WORD, IS_SIGNED, NO_REGISTER,
    OPERANDS_MAX, Operand, PidSite,
};
use engine_objects::{Argument, Extension, Mode, Object, Operand as Noted, Process, Site};
use engine_tracer::matches;
use rustix::io::Errno;

use super::{PROGRAM, Processes, Read, as_fits, create_error, is_object, literal, open, text_of};
use crate::engine::Engine;
use crate::error::Error;

/// The providers of the kernel and of the engine, which no program's probes belong to.
const BUILT_IN: [&[u8]; 7] = [
    b"dtrace", b"fbt", b"pid", b"proc", b"profile", b"sdt", b"syscall",
];

/// The processes that may have the probes of a description which programs name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scope {
    None,
    /// The one that the provider ends with, if that has digits before it, too: `python3711` can be
    /// `python3` and 711, or `python` and 3711.
    One(Vec<u32>),
    All,
}

impl Scope {
    pub(super) fn of(description: &Description) -> Self {
        let provider = description.provider();
        if provider.is_empty()
            || BUILT_IN.contains(&provider)
            || super::pid_of(description).is_some()
        {
            return Self::None;
        }
        if provider.iter().any(|byte| b"*?[\\".contains(byte)) {
            return Self::All;
        }
        let is_digit = |place: &usize| provider.get(*place).is_some_and(u8::is_ascii_digit);
        let first = (1..provider.len()).rev().take_while(is_digit).last();
        let places = first.map_or(0..0, |first| first..provider.len());
        let pids = places.filter_map(|place| {
            let digits = std::str::from_utf8(provider.get(place..)?).ok()?;
            (!digits.starts_with('0')).then(|| digits.parse().ok())?
        });
        match Vec::from_iter(pids) {
            none if none.is_empty() => Self::None,
            pids => Self::One(pids),
        }
    }
}

/// The processes in which a description is to be enabled, if it is in any: of several that its provider
/// may end with, one of the targets, or else the one that there is with the longest number. A pattern
/// names the targets.
pub fn named(description: &Description, targets: impl Iterator<Item = u32>) -> Vec<u32> {
    if let Some(pid) = super::pid_of(description) {
        return vec![pid];
    }
    match Scope::of(description) {
        Scope::None => Vec::new(),
        Scope::All => targets.collect(),
        Scope::One(pids) => {
            let own = targets.into_iter().find(|pid| pids.contains(pid));
            own.or_else(|| pids.into_iter().find(|pid| exists(*pid)))
                .into_iter()
                .collect()
        }
    }
}

/// Whether there is a process of this number.
pub(super) fn exists(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// All processes but this one.
pub(super) fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| *pid != std::process::id())
}

/// What tells one version of a file from another.
type Version = ([u32; 2], u64, Option<(u64, [i64; 4])>);

/// The sites of files, by file: many processes have the same ones.
#[derive(Debug, Default)]
pub struct Files {
    known: BTreeMap<Version, Rc<[Placed]>>,
}

/// A site, and the function that it lies in.
#[derive(Debug)]
struct Placed {
    site: Site,
    /// Its address and size.
    function: Option<(u64, u64)>,
    /// The name that the source has for it.
    source: Option<String>,
}

impl Files {
    fn of(&mut self, object: &Object, process: &Process) -> Rc<[Placed]> {
        let (device, inode) = object.identity();
        let version = ([device.major, device.minor], inode, object.version());
        if let Some(known) = self.known.get(&version) {
            return known.clone();
        }
        let placed: Rc<[Placed]> = match object.has_sites() {
            true => placed(object, process).into(),
            false => Rc::new([]),
        };
        self.known.insert(version, placed.clone());
        placed
    }

    /// What a description finds in these objects of a process.
    pub(super) fn find<'o>(
        &mut self,
        process: &Process,
        objects: impl Iterator<Item = &'o Object>,
        description: &Description,
    ) -> Found {
        let mut found = Found::default();
        let (pid, module) = (process.pid(), description.module());
        for object in objects.filter(|it| is_object(it, module)) {
            let module = match module == PROGRAM.as_bytes() {
                true => PROGRAM.to_owned(),
                false => object.base_name().into_owned(),
            };
            for placed in &*self.of(object, process) {
                if let Some(request) = placed.request(pid, object, &module, description) {
                    let provider = format!("{}{pid}", placed.site.provider).into_bytes();
                    found.enabled.insert((provider, module.clone()));
                    found.requests.push(request);
                    found.unread.extend(placed.unread());
                }
            }
        }
        found
    }
}

fn placed(object: &Object, process: &Process) -> Vec<Placed> {
    let functions = object.functions(&process.roots());
    let sites = object.sites(&functions);
    let placed = sites.list.into_iter().map(|site| {
        let function = functions.at(site.address).map(|(function, _)| function);
        Placed {
            function: function.as_ref().map(|it| (it.address, it.size)),
            source: function.and_then(|it| it.demangled()),
            site,
        }
    });
    placed.collect()
}

/// What a description finds in a process: requests, and the provider and module of their probes.
#[derive(Debug, Default)]
pub(super) struct Found {
    requests: Vec<PidSite>,
    enabled: BTreeSet<(Vec<u8>, String)>,
    /// Arguments that cannot be read.
    unread: Vec<String>,
}

impl Processes {
    /// Creates the probes of a description that programs name; returns the descriptions by which they are
    /// enabled.
    pub(super) fn sites(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
    ) -> Result<Vec<Description>, Error> {
        let mut enabled = Vec::new();
        match Scope::of(description) {
            Scope::None => {}
            Scope::One(pids) => {
                for pid in pids.into_iter().filter(|pid| engine.may_trace(*pid)) {
                    // Most of these numbers are no process's.
                    if open(&mut self.read, pid).is_ok() {
                        enabled.extend(self.sites_in(engine, pid, description)?);
                    }
                }
            }
            Scope::All => {
                for pid in processes().filter(|pid| engine.may_trace(*pid)) {
                    // It may have ended, or be another user's.
                    let Ok(read) = Read::of(pid) else { continue };
                    let objects = read.objects.iter();
                    match self.sites_among(engine, &read.process, objects, description) {
                        Err(why) if is_excluded(&why) => {}
                        Err(why) => drop(self.unplaced.insert(pid, why.to_string())),
                        Ok(created) => enabled.extend(created),
                    }
                }
            }
        }
        Ok(enabled)
    }

    /// Creates all probes that the program and the libraries of a process name; returns the descriptions of
    /// all of them.
    pub fn sites_of(&mut self, engine: &dyn Engine, pid: u32) -> Result<Vec<Description>, Error> {
        open(&mut self.read, pid)?;
        self.sites_in(engine, pid, &Description::default())
    }

    fn sites_in(
        &mut self,
        engine: &dyn Engine,
        pid: u32,
        description: &Description,
    ) -> Result<Vec<Description>, Error> {
        let found = self.read.get(&pid).map(|read| {
            let objects = read.objects.iter();
            self.files.find(&read.process, objects, description)
        });
        found.map_or(Ok(Vec::new()), |found| {
            self.create_sites(engine, description, found)
        })
    }

    /// Like [`Processes::sites`], in these objects of a process alone.
    pub(super) fn sites_among<'o>(
        &mut self,
        engine: &dyn Engine,
        process: &Process,
        objects: impl Iterator<Item = &'o Object>,
        description: &Description,
    ) -> Result<Vec<Description>, Error> {
        let found = self.files.find(process, objects, description);
        self.create_sites(engine, description, found)
    }

    pub(super) fn create_sites(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
        mut found: Found,
    ) -> Result<Vec<Description>, Error> {
        let mut rest = &mut found.requests[..];
        while let Err((number, why)) = engine.pid_sites(rest) {
            let request = &rest[number];
            let why = create_error(why, request.pid, &request.reason);
            if !has_code(&why, &[Errno::INVAL]) {
                return Err(why);
            }
            let reason = "its note says what no probe can have".to_owned();
            *self.refused.entry(reason).or_default() += 1;
            rest = &mut rest[number + 1..];
        }
        for request in found.requests.iter().filter(|it| it.refused > 0) {
            *self.refused.entry(text_of(&request.reason)).or_default() += 1;
        }
        self.unread.extend(found.unread);
        let named = found.enabled.iter().filter_map(|(provider, module)| {
            Description::new(
                &literal(provider),
                &literal(module.as_bytes()),
                description.function(),
                description.name(),
            )
            .ok()
        });
        Ok(named.collect())
    }
}

impl Placed {
    /// The request for the site's probe in a process, if the description matches that and the names fit.
    fn request(
        &self,
        pid: u32,
        object: &Object,
        module: &str,
        description: &Description,
    ) -> Option<PidSite> {
        let site = &self.site;
        let provider = format!("{}{pid}", site.provider);
        let name = site.probe_name();
        let is_its = |pattern: &[u8], name: &[u8]| pattern.is_empty() || matches(pattern, name);
        if !is_its(description.provider(), provider.as_bytes())
            || !is_its(description.name(), name.as_bytes())
        {
            return None;
        }
        let raw = site.function.as_deref().unwrap_or_default();
        let source = self.source.as_deref().unwrap_or(raw);
        let function = match source.len() < FUNCTION_LEN
            && is_its(description.function(), source.as_bytes())
        {
            true => source.as_bytes(),
            false => as_fits(raw.as_bytes()),
        };
        if !is_its(description.function(), function) {
            return None;
        }
        let names = Description::new(
            site.provider.as_bytes(),
            module.as_bytes(),
            function,
            name.as_bytes(),
        );
        let in_process = |address: u64| address.wrapping_add(object.bias());
        let thumb = u64::from(matches!(site.mode, Some(Mode::Thumb)));
        let address = in_process(site.address) | thumb;
        let mut request = PidSite::new(pid, names.ok()?, address);
        if let Some((function, size)) = self.function {
            (request.function, request.size) = (in_process(function) | thumb, size);
        }
        request.semaphore = site.semaphore.map_or(0, in_process);
        let operands = site.arguments.iter().map(|it| operand(it, object.bias()));
        for (to, operand) in request.operands.iter_mut().zip(operands) {
            *to = operand;
        }
        request.count = site.arguments.len().min(OPERANDS_MAX) as u32;
        Some(request)
    }

    /// What cannot be read of its arguments.
    fn unread(&self) -> impl Iterator<Item = String> {
        let arguments = self.site.arguments.iter().enumerate();
        arguments.filter_map(|(number, argument)| {
            let why = match &argument.at {
                _ if number >= OPERANDS_MAX => format!("a probe has {OPERANDS_MAX} at most"),
                Noted::Unreadable(why) => why.to_string(),
                _ => return None,
            };
            let Site { provider, name, .. } = &self.site;
            Some(format!(
                "arg{number} of {provider}*:::{name} reads as 0: {why}"
            ))
        })
    }
}

/// Whether a process cannot be traced, or not by this user, or has ended.
pub(super) fn is_excluded(why: &Error) -> bool {
    has_code(why, &[Errno::SRCH, Errno::PERM, Errno::NOEXEC])
}

/// Whether a request failed for one of these reasons.
fn has_code(why: &Error, reasons: &[Errno]) -> bool {
    let is_its = |code| reasons.iter().any(|it| Some(it.raw_os_error()) == code);
    matches!(why, Error::Request { why, .. } if is_its(why.raw_os_error()))
}

/// Where an argument is, in a process whose addresses exceed the file's by `bias`.
fn operand(argument: &Argument, bias: u64) -> Operand {
    let signed = if argument.is_signed { IS_SIGNED } else { 0 };
    let plain = Operand {
        size: argument.size,
        flags: signed,
        ..Operand::constant(0)
    };
    let in_memory = signed | IN_MEMORY;
    match argument.at {
        Noted::Constant(value) => Operand {
            displacement: value,
            ..plain
        },
        Noted::Register { number, shift } => Operand {
            base: number,
            shift,
            ..plain
        },
        Noted::Pair { low, high } => Operand {
            base: low,
            index: high,
            scale: 32,
            ..plain
        },
        Noted::Memory {
            base,
            index,
            displacement,
        } => Operand {
            displacement,
            base: base.unwrap_or(NO_REGISTER),
            index: index.map_or(NO_REGISTER, |it| it.register),
            scale: index.map_or(0, |it| it.scale.trailing_zeros() as u8),
            flags: in_memory
                | match index.map(|it| it.extension) {
                    None | Some(Extension::Whole) => 0,
                    Some(Extension::UnsignedWord) => INDEX_IS_WORD,
                    Some(Extension::SignedWord) => INDEX_IS_WORD | INDEX_IS_SIGNED,
                },
            ..plain
        },
        Noted::Address(address) => Operand {
            displacement: address.wrapping_add(bias) as i64,
            flags: in_memory,
            ..plain
        },
        Noted::Unreadable(_) => Operand::constant(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(provider: &str) -> Scope {
        Scope::of(&Description::new(provider.as_bytes(), b"", b"", b"").unwrap())
    }

    #[test]
    fn a_provider_says_in_which_processes_its_probes_are() {
        for provider in [
            "",
            "fbt",
            "pid12",
            "pid",
            "python",
            "python007",
            "12",
            "syscall",
        ] {
            let pids: &[u32] = if provider == "python007" { &[7] } else { &[] };
            let pids = if provider == "12" { &[2] } else { pids };
            let expected = match pids {
                [] => Scope::None,
                pids => Scope::One(pids.to_vec()),
            };
            assert_eq!(scope(provider), expected, "{provider}");
        }
        assert_eq!(scope("py3711"), Scope::One(vec![3711, 711, 11, 1]));
        assert_eq!(scope("p10"), Scope::One(vec![10]));
        for provider in ["python*", "*", "[a-z]*12", "p?"] {
            assert_eq!(scope(provider), Scope::All, "{provider}");
        }
    }
}
