//! Enabling: from a compiled program to an engine that is ready to trace.

use std::io::ErrorKind;

use engine_abi::{Description, Go};
use engine_dlang::program::Clause;

use crate::compile::Compilation;
use crate::engine::Engine;
use crate::error::Error;
use crate::output::{notice, tell};
use crate::setting::Settings;

/// Enables every clause; what is to be said once they are live: how many probes each program has matched.
pub fn enable(engine: &dyn Engine, compilation: &Compilation) -> Result<Vec<String>, Error> {
    let settings = &compilation.settings;
    let mut notices = Vec::new();
    engine.program(&compilation.program.block)?;
    let mut total = 0;
    for text in 0..compilation.count() {
        let mut matched = 0;
        for (number, clause) in compilation.clauses().filter(|it| it.1.text == text) {
            matched += enable_clause(engine, compilation, (number, clause), &mut notices)?;
        }
        let plural = if matched == 1 { "" } else { "s" };
        let name = compilation.name(text);
        notices.push(format!("{name} matched {matched} probe{plural}"));
        total += matched;
    }
    if total == 0 && !settings.zero_matches {
        return Err(Error::NoneMatched);
    }
    let (number, clause) = compilation.error_clause();
    for (_, description) in clause.iter().flat_map(|it| &it.descriptions) {
        engine.enable(description, number)?;
    }
    Ok(notices)
}

/// Enables a clause for its descriptions, each of which has to match a probe, unless options say that it
/// need not; how many do.
fn enable_clause(
    engine: &dyn Engine,
    compilation: &Compilation,
    (number, clause): (u32, &Clause),
    notices: &mut Vec<String>,
) -> Result<u64, Error> {
    let mut matched = 0;
    for (_, description) in &clause.descriptions {
        let probes = engine.enable(description, number)?;
        if probes == 0 {
            let missing = engine.without().filter(|_| !is_own_probe(description));
            let missing = missing.map(|it| format!("no probe matches {description}: {it}"));
            match (compilation.settings.zero_matches, missing) {
                (true, missing) => notices.extend(missing),
                (false, Some(missing)) => return Err(Error::Device(missing)),
                (false, None) => return Err(compilation.unmatched(clause, description)),
            }
        }
        matched += u64::from(probes);
    }
    Ok(matched)
}

/// Whether a program is only for the engine's own probes and its timers.
pub fn is_own(compilation: &Compilation) -> bool {
    let mut descriptions = compilation.clauses().flat_map(|it| &it.1.descriptions);
    descriptions.all(|(_, description)| is_own_probe(description))
}

/// Whether the engine's own probes and its timers are all that a description can be for.
fn is_own_probe(description: &Description) -> bool {
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

/// Starts tracing as options say; the CPU on which `BEGIN` has fired.
pub fn go(engine: &dyn Engine, settings: &Settings) -> Result<u32, Error> {
    let mut how = Go {
        buffer_size: lowered("buffer size", settings.buffer_size),
        aggregation_size: lowered("aggregation size", settings.aggregation_size),
        dynamic_size: lowered("dynamic variable size", settings.dynamic_size),
        speculations: u32::try_from(settings.speculations).unwrap_or(u32::MAX),
        speculation_size: lowered("speculation size", settings.speculation_size),
        policy: settings.policy.code(),
        mechanism: settings.mechanism.code(),
        ..Go::default()
    };
    engine.go(&mut how).map_err(told)?;
    if how.unarmed > 0 {
        tell(format_args!(
            "{} probes were not armed: a kprobe of the kernel's has their instruction, or it is not what it was when listed",
            how.unarmed
        ));
    }
    if settings.destructive {
        notice(settings, "allowing destructive actions");
    }
    Ok(how.cpu)
}

/// A refusal to begin, in DTrace's words where it has some of its own.
fn told(why: Error) -> Error {
    match why {
        Error::Request { why, .. } if why.kind() == ErrorKind::StorageFull => Error::BufferTooSmall,
        Error::Request { why, .. } if why.kind() == ErrorKind::Unsupported => Error::NoFtrace,
        why => why,
    }
}

/// The most bytes of a buffer.
const MOST: u64 = 1 << 30;

fn lowered(name: &str, size: u64) -> u32 {
    if size > MOST {
        tell(format_args!("{name} lowered to 1g"));
    }
    size.clamp(1, MOST) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_own_probes_are_told_from_the_kernels() {
        let is_own = |[provider, function, name]: [&str; 3]| {
            let [provider, function, name] = [provider, function, name].map(str::as_bytes);
            is_own_probe(&Description::new(provider, b"", function, name).unwrap())
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
