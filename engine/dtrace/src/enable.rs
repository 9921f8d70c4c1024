//! Enables a compiled program and starts tracing.

use std::io::ErrorKind;

use engine_abi::{Description, Go};
use engine_dlang::program::Clause;
use rustix::io::Errno;

use crate::compile::Compilation;
use crate::engine::Engine;
use crate::error::Error;
use crate::output::{notice, report};
use crate::process_probes::Processes;
use crate::setting::Settings;

/// Loads the program and enables its clauses. Returns the messages to print once probes are armed:
/// how many probes each program matched; and the processes that were named.
pub fn enable(
    engine: &dyn Engine,
    compilation: &Compilation,
) -> Result<(Vec<String>, Processes), Error> {
    let settings = &compilation.settings;
    let mut notices = Vec::new();
    let mut processes = Processes::default();
    engine
        .program(&compilation.program.block)
        .map_err(program_error)?;
    let mut any = false;
    for text in 0..compilation.count() {
        let mut matched = 0;
        for (number, clause) in compilation.clauses().filter(|it| it.1.text == text) {
            let clause = (number, clause);
            let enabled = enable_clause(engine, compilation, clause, &mut processes, &mut notices);
            if enabled.is_err() {
                let refusals = processes.refusals();
                refusals.iter().for_each(|it| report(format_args!("{it}")));
            }
            let (probes, is_awaited) = enabled?;
            matched += probes;
            any |= probes > 0 || is_awaited;
        }
        let plural = if matched == 1 { "" } else { "s" };
        let name = compilation.name(text);
        notices.push(format!("{name} matched {matched} probe{plural}"));
    }
    if !any && !settings.zero_matches {
        return Err(Error::NoneMatched);
    }
    notices.extend(processes.refusals());
    let (number, clause) = compilation.error_clause();
    for (_, description) in clause.iter().flat_map(|it| &it.descriptions) {
        engine.enable(description, number)?;
    }
    Ok((notices, processes))
}

/// Enables a clause at each of its descriptions. One that matches nothing is an error, unless `-Z`
/// was given or it awaits an object of a process. Returns the number of probes, and whether such a
/// description is among them.
fn enable_clause(
    engine: &dyn Engine,
    compilation: &Compilation,
    (number, clause): (u32, &Clause),
    processes: &mut Processes,
    notices: &mut Vec<String>,
) -> Result<(u64, bool), Error> {
    let (mut matched, mut any_awaited) = (0, false);
    for (_, description) in &clause.descriptions {
        let mut probes = 0;
        processes.watch(engine, description, number)?;
        for enabled in processes.descriptions(engine, description)? {
            probes += engine.enable(&enabled, number)?;
        }
        let is_awaited = processes.keep(description, number, probes > 0);
        any_awaited |= is_awaited;
        if probes == 0 && !is_awaited {
            let absence = engine.absence().filter(|_| !is_local_probe(description));
            if !compilation.settings.zero_matches {
                return Err(compilation.unmatched(clause, description, absence));
            }
            let missing = absence.map(|it| format!("no probe matches {description}: {it}"));
            notices.extend(missing);
        }
        matched += u64::from(probes);
    }
    Ok((matched, any_awaited))
}

/// Whether a program needs the kernel's engine for none of its probes.
pub fn needs_no_kernel(compilation: &Compilation) -> bool {
    let mut descriptions = compilation.clauses().flat_map(|it| &it.1.descriptions);
    descriptions.all(|(_, description)| is_local_probe(description))
}

/// Whether a description can only match probes of the providers `dtrace` and `profile`.
fn is_local_probe(description: &Description) -> bool {
    let name = description.name();
    let is_named = || {
        [&b"BEGIN"[..], b"END", b"ERROR"].contains(&name)
            || name.starts_with(b"tick-")
            || name.starts_with(b"profile-")
    };
    let is_own = match description.provider() {
        b"dtrace" | b"profile" => true,
        provider => provider.is_empty() && is_named(),
    };
    is_own && description.module().is_empty() && description.function().is_empty()
}

/// Starts tracing with these options. Returns the CPU on which `BEGIN` fired.
pub fn go(engine: &dyn Engine, settings: &Settings) -> Result<u32, Error> {
    let mut how = Go {
        buffer_size: clamped("buffer size", settings.buffer_size),
        aggregation_size: clamped("aggregation size", settings.aggregation_size),
        dynamic_size: clamped("dynamic variable size", settings.dynamic_size),
        speculations: u32::try_from(settings.speculations).unwrap_or(u32::MAX),
        speculation_size: clamped("speculation size", settings.speculation_size),
        policy: settings.policy.code(),
        mechanism: settings.mechanism.code(),
        ..Go::default()
    };
    let asked = how;
    let mut gone = engine.go(&mut how);
    while settings.resizes && is_out_of_memory(&gone) && shrink(&mut how) {
        gone = engine.go(&mut how);
    }
    gone.map_err(go_error)?;
    if how.buffer_size != asked.buffer_size && !settings.quiet_resize {
        report(format_args!("buffer size lowered to {}", how.buffer_size));
    }
    if how.aggregation_size != asked.aggregation_size && !settings.quiet_resize {
        report(format_args!(
            "aggregation size lowered to {}",
            how.aggregation_size
        ));
    }
    if how.unarmed > 0 {
        report(format_args!(
            "{} probes were not armed: a kprobe is registered on the instruction, or it cannot be written, or has changed since it was listed",
            how.unarmed
        ));
    }
    if settings.destructive {
        notice(settings, "allowing destructive actions");
    }
    Ok(how.cpu)
}

/// Replaces the errno of `PROGRAM` with which a module refuses every destructive program.
fn program_error(why: Error) -> Error {
    match why {
        Error::Request { why, .. } if why.raw_os_error() == Some(Errno::ACCESS.raw_os_error()) => {
            Error::Destructive
        }
        why => why,
    }
}

fn is_out_of_memory(gone: &Result<(), Error>) -> bool {
    let why = match gone {
        Err(Error::Request { why, .. }) => why.kind(),
        _ => return false,
    };
    why == ErrorKind::OutOfMemory
}

/// Halves the buffers; false if they are as small as they are of use.
fn shrink(how: &mut Go) -> bool {
    const LEAST: u32 = 4 << 10;
    let can = how.buffer_size.max(how.aggregation_size) > LEAST;
    for size in [&mut how.buffer_size, &mut how.aggregation_size] {
        *size = (*size).min((*size / 2).max(LEAST));
    }
    can
}

/// Replaces an errno of `GO` by DTrace's message where it has one.
fn go_error(why: Error) -> Error {
    match why {
        Error::Request { why, .. } if why.kind() == ErrorKind::StorageFull => Error::BufferTooSmall,
        Error::Request { why, .. } if why.kind() == ErrorKind::Unsupported => Error::NoFtrace,
        why => why,
    }
}

/// The largest buffer in bytes.
const BUFFER_MAX: u64 = 1 << 30;

fn clamped(name: &str, size: u64) -> u32 {
    if size > BUFFER_MAX {
        report(format_args!("{name} lowered to 1g"));
    }
    size.clamp(1, BUFFER_MAX) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_shrink_until_they_are_small() {
        let mut how = Go {
            buffer_size: 16 << 10,
            aggregation_size: 5 << 10,
            ..Go::default()
        };
        let mut sizes = Vec::new();
        while shrink(&mut how) {
            sizes.push((how.buffer_size >> 10, how.aggregation_size >> 10));
        }
        assert_eq!(sizes, [(8, 4), (4, 4)]);
    }

    #[test]
    fn dtrace_and_profile_probes_need_no_kernel() {
        let is_own = |[provider, function, name]: [&str; 3]| {
            let [provider, function, name] = [provider, function, name].map(str::as_bytes);
            is_local_probe(&Description::new(provider, b"", function, name).unwrap())
        };
        for own in [
            ["", "", "BEGIN"],
            ["", "", "tick-1s"],
            ["dtrace", "", ""],
            ["profile", "", "profile-97"],
        ] {
            assert!(is_own(own), "{own:?}");
        }
        for kernels in [
            ["", "", "entry"],
            ["", "", ""],
            ["fbt", "", "BEGIN"],
            ["*", "", "BEGIN"],
            ["profile", "sys_chdir", "tick-1s"],
        ] {
            assert!(!is_own(kernels), "{kernels:?}");
        }
    }
}
