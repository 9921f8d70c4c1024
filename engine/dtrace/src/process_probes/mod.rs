//! Probes of the `pid` provider: finds the functions that a description names in its process, and
//! has the engine create their probes.
//!
//! A description may name an object in several ways (`a.out`, `libc`), while a probe has one module:
//! the base name of the object's file, or `a.out` if the description says so. So a description is
//! enabled as one for each object that it names.
//!
//! A function of C++ or Rust has the name that its source has for it, with or without parameters, if
//! a description matches that, and otherwise the symbol's own. If all are too long, it has as much of
//! the first as fits.

mod everywhere;
mod later;
#[cfg(test)]
mod later_tests;
mod sites;

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::str::from_utf8;

use engine_abi::{Description, FUNCTION_LEN, PidProbes};
use engine_objects::{Extent, Function, Functions, Mode, Object, Objects, Process};
use engine_tracer::matches;

use crate::engine::Engine;
use crate::error::Error;
use everywhere::Everywhere;
use later::Kept;
use sites::Files;
use sites::Scope;
pub use sites::named;

/// The program itself, whatever its file is called.
const PROGRAM: &str = "a.out";

/// The processes that descriptions have named.
#[derive(Debug, Default)]
pub struct Processes {
    read: BTreeMap<u32, Read>,
    /// Probes that the engine refused, by reason.
    refused: Refused,
    /// What is to be enabled in objects that are opened later.
    kept: Vec<Kept>,
    /// The probes that files name.
    files: Files,
    /// Arguments of those that cannot be read, and why.
    unread: BTreeSet<String>,
    /// What is to be enabled in processes that begin later.
    everywhere: Everywhere,
    /// Why these are not held.
    unheld: Option<String>,
    /// Processes that a pattern matches and that lack probes, and why.
    unplaced: BTreeMap<u32, String>,
    /// Processes whose linker cannot be watched, and why.
    unwatched: BTreeMap<u32, String>,
}

/// Numbers of refused probes, by reason.
type Refused = BTreeMap<String, u32>;

/// A process that has been read.
#[derive(Debug)]
struct Read {
    process: Process,
    objects: Objects,
    /// The functions of its objects, as far as they were needed, by the object's bias.
    functions: BTreeMap<u64, Named>,
    /// Whether its dynamic linker is watched; none if that has not been tried.
    is_watched: Option<bool>,
}

/// The functions of an object, and the names that the source has for them. These are kept: to find
/// them takes longer than all else with a library of C++.
#[derive(Debug)]
struct Named {
    functions: Functions,
    sources: Vec<Option<String>>,
}

impl Named {
    fn of(functions: Functions) -> Self {
        let sources = functions.iter().map(|it| it.demangled()).collect();
        Self { functions, sources }
    }

    fn iter(&self) -> impl Iterator<Item = (Function<'_>, Option<&str>)> {
        let sources = self.sources.iter().map(Option::as_deref);
        self.functions.iter().zip(sources)
    }
}

impl Processes {
    /// Creates the probes in processes that a description may match; returns the descriptions by which they
    /// are enabled. One that may match others too is among them.
    pub fn descriptions(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
    ) -> Result<Vec<Description>, Error> {
        let Some(pid) = pid_of(description) else {
            return match Scope::of(description) {
                Scope::One(_) => self.sites(engine, description),
                Scope::All => {
                    let mut enabled = self.sites(engine, description)?;
                    // That matches these, too, but those of an object that it names otherwise.
                    let module = description.module();
                    enabled.retain(|it| !module.is_empty() && !matches(module, it.module()));
                    enabled.push(*description);
                    Ok(enabled)
                }
                Scope::None => Ok(vec![*description]),
            };
        };
        let read = open(&mut self.read, pid)?;
        let requests = read.requests(pid, description, |_| true);
        create(engine, &mut self.refused, description, requests)
    }

    /// What was refused, in a line for each reason.
    pub fn refusals(&self) -> Vec<String> {
        let lines = self.refused.iter().map(|(reason, count)| {
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} probe{plural} of processes cannot be placed: {reason}")
        });
        let unplaced = self
            .unplaced
            .iter()
            .map(|(pid, reason)| format!("process {pid} lacks probes: {reason}"));
        let unwatched = self.unwatched.iter().map(|(pid, reason)| {
            format!("libraries that process {pid} opens later get no probes: {reason}")
        });
        let unheld = self
            .unheld
            .iter()
            .map(|why| format!("processes that start later get no probes: {why}"));
        let unread = self.unread.iter().cloned();
        lines
            .chain(unplaced)
            .chain(unwatched)
            .chain(unheld)
            .chain(unread)
            .collect()
    }
}

/// The process of this number, which is read unless it has been.
fn open(all: &mut BTreeMap<u32, Read>, pid: u32) -> Result<&mut Read, Error> {
    match all.entry(pid) {
        Entry::Occupied(read) => Ok(read.into_mut()),
        Entry::Vacant(place) => Ok(place.insert(Read::of(pid).map_err(cannot(pid))?)),
    }
}

/// The error that a process cannot be read.
fn cannot(pid: u32) -> impl Fn(engine_objects::Error) -> Error {
    move |why| Error::Process {
        pid,
        why: why.to_string(),
    }
}

/// Creates the probes that `requests` ask for; returns the descriptions by which they are enabled.
fn create(
    engine: &dyn Engine,
    refused: &mut Refused,
    description: &Description,
    requests: Vec<(String, Vec<PidProbes>)>,
) -> Result<Vec<Description>, Error> {
    let mut enabled = Vec::new();
    for (module, mut requests) in requests {
        let created = engine.pid_probes(&mut requests);
        created.map_err(|(number, why)| {
            let request = &requests[number];
            create_error(why, request.pid, &request.reason)
        })?;
        for request in requests.iter().filter(|it| it.refused > 0) {
            *refused.entry(text_of(&request.reason)).or_default() += request.refused;
        }
        enabled.extend(with_module(description, &module));
    }
    Ok(enabled)
}

impl Read {
    fn of(pid: u32) -> Result<Self, engine_objects::Error> {
        let process = Process::open(pid)?;
        process.check_traceable()?;
        let objects = Objects::of(&process)?;
        Ok(Self {
            process,
            objects,
            functions: BTreeMap::new(),
            is_watched: None,
        })
    }

    /// For each object of these that the description names: the module that its probes have, and a
    /// request for each of its functions that the description names.
    fn requests(
        &mut self,
        pid: u32,
        description: &Description,
        is_one: impl Fn(&Object) -> bool,
    ) -> Vec<(String, Vec<PidProbes>)> {
        let Self {
            process,
            objects,
            functions,
            ..
        } = self;
        let module = description.module();
        let is_named = |object: &&Object| is_one(object) && is_object(object, module);
        let mut all = Vec::new();
        for object in objects.iter().filter(is_named) {
            let known = functions.entry(object.bias());
            let known = known.or_insert_with(|| Named::of(object.functions(&process.roots())));
            let module = match module == PROGRAM.as_bytes() {
                true => PROGRAM.to_owned(),
                false => object.base_name().into_owned(),
            };
            let requests = known.iter().filter_map(|(it, source)| {
                let name = name_in(&it, source, description)?;
                request(pid, object, [module.as_bytes(), &name], &it, description)
            });
            all.push((module.clone(), requests.collect()));
        }
        all
    }
}

/// The request for a function's probes; none if a name is too long.
fn request(
    pid: u32,
    object: &Object,
    [module, name]: [&[u8]; 2],
    function: &Function<'_>,
    description: &Description,
) -> Option<PidProbes> {
    let names = Description::new(b"", module, name, description.name());
    let address = pointer_to(function, object);
    let mut request = PidProbes::new(pid, names.ok()?, address, function.size);
    // Up to the next symbol there may be code of the other set, whose symbols have been stripped.
    let is_open = function.extent == Extent::UntilNext && function.mode != Mode::Native;
    request.is_open = is_open.into();
    Some(request)
}

/// A function's address in the process as a pointer to it has it: that of Thumb code is odd.
fn pointer_to(function: &Function<'_>, object: &Object) -> u64 {
    let is_thumb = matches!(function.mode, Mode::Thumb);
    function.address.wrapping_add(object.bias()) | u64::from(is_thumb)
}

/// Whether a description's module field names an object. An empty one names all.
fn is_object(object: &Object, module: &[u8]) -> bool {
    object.answers_to(|name| module.is_empty() || matches(module, name.as_bytes()))
}

/// The name of a function that a description's function field matches; an empty one matches all. The
/// source's name comes first, unless it is too long.
fn name_in<'a>(
    function: &Function<'a>,
    source: Option<&'a str>,
    description: &Description,
) -> Option<Cow<'a, [u8]>> {
    let pattern = description.function();
    let is_its = |name: &[u8]| pattern.is_empty() || matches(pattern, name);
    let fits = |name: &[u8]| name.len() < FUNCTION_LEN && is_its(name);
    let full = source.map(str::as_bytes);
    if let Some(full) = full.filter(|name| fits(name)) {
        return Some(Cow::Borrowed(full));
    }
    let plain = source.and_then(|_| function.demangled_plain());
    let plain = plain.map(String::into_bytes).filter(|name| fits(name));
    let raw = function.raw_name();
    let own = match raw.len() < FUNCTION_LEN {
        true => raw,
        false => as_fits(full.unwrap_or(raw)),
    };
    let own = || is_its(own).then_some(Cow::Borrowed(own));
    plain.map(Cow::Owned).or_else(own)
}

/// As much of a name as a function can have: whole characters.
fn as_fits(name: &[u8]) -> &[u8] {
    const MOST: usize = FUNCTION_LEN - 1;
    let is_begin = |at: &usize| name.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
    let end = (0..=MOST.min(name.len())).rev().find(is_begin);
    name.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The description of the same probes in this module alone.
fn with_module(description: &Description, module: &str) -> Option<Description> {
    Description::new(
        description.provider(),
        &literal(module.as_bytes()),
        description.function(),
        description.name(),
    )
    .ok()
}

/// A pattern that only this text matches.
fn literal(text: &[u8]) -> Vec<u8> {
    let special = |byte: u8| b"*?[\\".contains(&byte);
    let quoted = |byte| special(byte).then_some(b'\\').into_iter().chain([byte]);
    text.iter().copied().flat_map(quoted).collect()
}

/// Replaces `ENOSPC` by what the module says of it.
fn create_error(why: Error, pid: u32, reason: &[u8]) -> Error {
    let why_not = text_of(reason);
    match why {
        Error::Request { why, .. }
            if why.kind() == ErrorKind::StorageFull && !why_not.is_empty() =>
        {
            Error::Bound { pid, why: why_not }
        }
        why => why,
    }
}

/// A reason in a request.
fn text_of(reason: &[u8]) -> String {
    let text = reason.split(|byte| *byte == 0).next();
    String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
}

/// The process of a description whose provider is `pid` and a number.
pub fn pid_of(description: &Description) -> Option<u32> {
    let number = description.provider().strip_prefix(b"pid")?;
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    from_utf8(number).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(provider: &[u8], module: &[u8]) -> Description {
        Description::new(provider, module, b"f", b"entry").unwrap()
    }

    #[test]
    fn only_pid_and_a_number_name_a_process() {
        for (provider, pid) in [
            (&b"pid12"[..], Some(12)),
            (b"pid", None),
            (b"pid*", None),
            (b"pid1x", None),
            (b"pid99999999999", None),
            (b"fbt", None),
        ] {
            assert_eq!(pid_of(&description(provider, b"")), pid);
        }
    }

    /// This test itself is a function of Rust.
    #[test]
    fn functions_are_named_as_in_their_source() {
        let own = std::process::id();
        let mut read = Read::of(own).unwrap();
        let mut names = |pattern: &str| -> Vec<String> {
            let pattern = pattern.as_bytes();
            let description = Description::new(b"", b"a.out", pattern, b"entry").unwrap();
            let requests = read.requests(own, &description, |_| true);
            let requests = requests.into_iter().flat_map(|(_, requests)| requests);
            let names = requests.map(|request| request.description.function().to_vec());
            names.map(|name| String::from_utf8(name).unwrap()).collect()
        };
        let source = "*process_probes::tests::functions_are_named_as_in_their_source";
        assert!(
            names(source)
                .iter()
                .all(|name| name.ends_with(&source[1..]))
        );
        assert!(!names(source).is_empty());
        let mangled = names("_*functions_are_named_as_in_their_source*");
        assert!(!mangled.is_empty() && mangled.iter().all(|name| name.starts_with('_')));
    }

    #[test]
    fn a_name_that_is_too_long_is_cut_between_characters() {
        assert_eq!(as_fits(b"main"), b"main");
        for (before, kept) in [(190, 190), (189, 191), (250, 191)] {
            let name = "f".repeat(before) + "\u{e4}" + &"g".repeat(100);
            let cut = from_utf8(as_fits(name.as_bytes())).unwrap();
            assert_eq!(cut.len(), kept, "{cut}");
            assert!(name.starts_with(cut));
        }
    }

    #[test]
    fn a_bound_is_named() {
        let mut request = PidProbes::new(7, description(b"", b"a.out"), 0x1000, 4);
        let refused = |errno| Error::Request {
            doing: "failed to create probes",
            why: std::io::Error::from_raw_os_error(errno),
        };
        let unnamed = create_error(refused(28), 7, &request.reason).to_string();
        assert_eq!(unnamed, "failed to create probes: No space left on device");
        request.reason[..4].copy_from_slice(b"full");
        let named = create_error(refused(28), 7, &request.reason).to_string();
        assert_eq!(named, "failed to create probes in pid 7: full");
        let other = create_error(refused(1), 7, &request.reason).to_string();
        assert_eq!(other, "failed to create probes: Operation not permitted");
    }

    #[test]
    fn a_module_is_taken_literally() {
        let enabled = with_module(&description(b"pid1", b"l*"), "li[b]*.so").unwrap();
        assert_eq!(enabled.to_string(), r"pid1:li\[b]\*.so:f:entry");
    }

    #[test]
    fn the_functions_of_this_process_are_asked_for() {
        let own = std::process::id();
        let mut read = Read::of(own).unwrap();
        let main = Description::new(b"", b"a.out", b"main", b"entry").unwrap();
        let requests = read.requests(own, &main, |_| true);
        let [(module, requests)] = &requests[..] else {
            panic!("one object")
        };
        assert_eq!(module, "a.out");
        let [request] = &requests[..] else {
            panic!("one function")
        };
        assert_eq!(request.description.to_string(), ":a.out:main:entry");
        assert!(request.size > 0);
        let all = Description::new(b"", b"libc", b"malloc", b"").unwrap();
        let libraries = read.requests(own, &all, |_| true);
        assert_eq!(libraries.len(), 1);
        assert!(libraries[0].0.starts_with("libc"));
    }
}
