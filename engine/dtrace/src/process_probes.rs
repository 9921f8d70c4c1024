//! Probes of the `pid` provider: finds the functions that a description names in its process, and
//! has the engine create their probes.
//!
//! A description may name an object in several ways (`a.out`, `libc`), while a probe has one module:
//! the base name of the object's file, or `a.out` if the description says so. So a description is
//! enabled as one for each object that it names.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::ErrorKind;
use std::str::from_utf8;

use engine_abi::{Description, PidProbes};
use engine_objects::{Function, Functions, Mode, Object, Objects, Process};
use engine_tracer::matches;

use crate::engine::Engine;
use crate::error::Error;

/// The program itself, whatever its file is called.
const PROGRAM: &str = "a.out";

/// The processes that descriptions have named.
#[derive(Debug, Default)]
pub struct Processes {
    read: BTreeMap<u32, Read>,
    /// Probes that the engine refused, by reason.
    refused: BTreeMap<String, u32>,
}

/// A process that has been read.
#[derive(Debug)]
struct Read {
    process: Process,
    objects: Objects,
    /// The functions of its objects, as far as they were needed, by the object's bias.
    functions: BTreeMap<u64, Functions>,
}

impl Processes {
    /// Creates the probes of a description, if it names a process; returns the descriptions by which
    /// they are enabled. Any other description is returned as it is.
    pub fn descriptions(
        &mut self,
        engine: &dyn Engine,
        description: &Description,
    ) -> Result<Vec<Description>, Error> {
        let Some(pid) = pid_of(description) else {
            return Ok(vec![*description]);
        };
        let cannot = |why: engine_objects::Error| Error::Process {
            pid,
            why: why.to_string(),
        };
        let read = match self.read.entry(pid) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => place.insert(Read::of(pid).map_err(cannot)?),
        };
        let mut enabled = Vec::new();
        for (module, requests) in read.requests(pid, description) {
            for mut request in requests {
                let created = engine.pid_probes(&mut request);
                created.map_err(|why| create_error(why, &request))?;
                if request.refused > 0 {
                    *self.refused.entry(reason(&request)).or_default() += request.refused;
                }
            }
            enabled.extend(with_module(description, &module));
        }
        Ok(enabled)
    }

    /// What was refused, in a line for each reason.
    pub fn refusals(&self) -> Vec<String> {
        let lines = self.refused.iter().map(|(reason, count)| {
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} probe{plural} of processes cannot be placed: {reason}")
        });
        lines.collect()
    }
}

impl Read {
    fn of(pid: u32) -> Result<Self, engine_objects::Error> {
        let process = Process::open(pid)?;
        let objects = Objects::of(&process)?;
        Ok(Self {
            process,
            objects,
            functions: BTreeMap::new(),
        })
    }

    /// For each object that the description names: the module that its probes have, and a request
    /// for each of its functions that the description names.
    fn requests(&mut self, pid: u32, description: &Description) -> Vec<(String, Vec<PidProbes>)> {
        let Self {
            process,
            objects,
            functions,
        } = self;
        let module = description.module();
        let named = |name: &str| module.is_empty() || matches(module, name.as_bytes());
        let mut all = Vec::new();
        for object in objects.iter().filter(|object| object.answers_to(named)) {
            let known = functions.entry(object.bias());
            let known = known.or_insert_with(|| object.functions(&process.roots()));
            let module = match module == PROGRAM.as_bytes() {
                true => PROGRAM.to_owned(),
                false => object.base_name().into_owned(),
            };
            let wanted = known
                .iter()
                .filter(|function| is_named(function, description));
            let requests = wanted.filter_map(|it| request(pid, object, &module, &it, description));
            all.push((module.clone(), requests.collect()));
        }
        all
    }
}

/// The request for a function's probes; none if a name is too long, or it is Thumb code.
fn request(
    pid: u32,
    object: &Object,
    module: &str,
    function: &Function<'_>,
    description: &Description,
) -> Option<PidProbes> {
    let is_other_mode = matches!(function.mode, Mode::Thumb);
    let names = Description::new(
        b"",
        module.as_bytes(),
        function.raw_name(),
        description.name(),
    );
    let address = function.address.wrapping_add(object.bias());
    let request = PidProbes::new(pid, names.ok()?, address, function.size);
    (!is_other_mode).then_some(request)
}

/// Whether a description's function field matches the function's symbol. An empty one matches all.
fn is_named(function: &Function<'_>, description: &Description) -> bool {
    let pattern = description.function();
    pattern.is_empty() || matches(pattern, function.raw_name())
}

/// The description of the same probes in this module alone.
fn with_module(description: &Description, module: &str) -> Option<Description> {
    let special = |byte: &u8| b"*?[\\".contains(byte);
    let quoted: Vec<u8> = module
        .bytes()
        .flat_map(|byte| special(&byte).then_some(b'\\').into_iter().chain([byte]))
        .collect();
    Description::new(
        description.provider(),
        &quoted,
        description.function(),
        description.name(),
    )
    .ok()
}

/// Replaces `ENOSPC` by what the module says of it.
fn create_error(why: Error, request: &PidProbes) -> Error {
    let why_not = reason(request);
    match why {
        Error::Request { why, .. }
            if why.kind() == ErrorKind::StorageFull && !why_not.is_empty() =>
        {
            Error::Bound {
                pid: request.pid,
                why: why_not,
            }
        }
        why => why,
    }
}

fn reason(request: &PidProbes) -> String {
    let text = request.reason.split(|byte| *byte == 0).next();
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

    #[test]
    fn a_bound_is_named() {
        let mut request = PidProbes::new(7, description(b"", b"a.out"), 0x1000, 4);
        let refused = |errno| Error::Request {
            doing: "failed to create probes",
            why: std::io::Error::from_raw_os_error(errno),
        };
        let unnamed = create_error(refused(28), &request).to_string();
        assert_eq!(unnamed, "failed to create probes: No space left on device");
        request.reason[..4].copy_from_slice(b"full");
        let named = create_error(refused(28), &request).to_string();
        assert_eq!(named, "failed to create probes in pid 7: full");
        let other = create_error(refused(1), &request).to_string();
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
        let requests = read.requests(own, &main);
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
        let libraries = read.requests(own, &all);
        assert_eq!(libraries.len(), 1);
        assert!(libraries[0].0.starts_with("libc"));
    }
}
