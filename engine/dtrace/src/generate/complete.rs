//! `--complete`: how a word that names probes may go on. The scripts of [`super::shells`] ask.

use std::collections::BTreeSet;
use std::fs;

use engine_abi::Description;

use crate::device::Device;
use crate::engine::{Engine, matching};
use crate::error::Error;
use crate::local::Local;
use crate::output::Output;

/// More than a shell would show. A list that is cut off would mislead a shell, which inserts what all
/// have in common.
const MOST: usize = 1_000;

/// Those of the kernel's engine. Others are those of processes.
const PROVIDERS: [&str; 7] = ["dtrace", "fbt", "pid", "proc", "profile", "sdt", "syscall"];

/// What is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// How many fields the description has at most: 1 with `-P`, 4 with `-n`.
    pub fields: usize,
    /// The word so far.
    pub text: String,
}

impl Word {
    /// The word of an option, by its letter.
    pub fn of_option(letter: &str, text: String) -> Option<Self> {
        let fields = 1 + ["P", "m", "f", "n"].iter().position(|it| *it == letter)?;
        Some(Self { fields, text })
    }

    /// The part that is being written, and what is before it.
    fn parts(&self) -> (&str, &str) {
        let begin = self.text.rfind(':').map_or(0, |colon| colon + 1);
        let (before, part) = self.text.split_at(begin);
        (part, before)
    }

    /// The pattern of the probes that the word may come to name, and the field that is being
    /// written. A word of `-n` is taken to begin with the provider, one of another option to end
    /// with the option's own field.
    fn pattern(&self) -> Option<(Description, usize)> {
        let parts: Vec<&str> = self.text.split(':').collect();
        let spare = self.fields.checked_sub(parts.len())?;
        let first = if self.fields == 4 { 0 } else { spare };
        let last = first + parts.len() - 1;
        let mut fields: [Vec<u8>; 4] = Default::default();
        for (field, part) in fields[first..].iter_mut().zip(&parts) {
            *field = part.as_bytes().to_vec();
        }
        fields[last].push(b'*');
        let [provider, module, function, name] = &fields;
        let pattern = Description::new(provider, module, function, name).ok()?;
        Some((pattern, last))
    }
}

/// Prints a line for each way on.
pub fn write(word: &Word) -> Result<u8, Error> {
    let mut output = Output::open(None)?;
    let engine: Box<dyn Engine> = match Device::open()? {
        Ok(device) => Box::new(device),
        Err(absence) => Box::new(Local::open(absence)?),
    };
    let (_, before) = word.parts();
    let goes_on = word.fields == 4 && before.matches(':').count() < 3;
    let behind = if goes_on { ":" } else { "" };
    for name in candidates(&*engine, word)? {
        output.line(format_args!("{before}{name}{behind}"));
    }
    output.flush().map(|()| 0)
}

/// What may be in the field that is being written.
fn candidates(engine: &dyn Engine, word: &Word) -> Result<BTreeSet<String>, Error> {
    let Some((pattern, field)) = word.pattern() else {
        return Ok(BTreeSet::new());
    };
    let (part, _) = word.parts();
    let begun = |names: Vec<String>| {
        names
            .into_iter()
            .filter(|it| it.starts_with(part))
            .collect()
    };
    match field {
        0 => Ok(begun(PROVIDERS.map(str::to_owned).into())),
        1 => Ok(begun(modules())),
        // The engine would look at each of the kernel's functions.
        2 if part.is_empty() => Ok(BTreeSet::new()),
        _ => of_probes(engine, pattern, field),
    }
}

fn modules() -> Vec<String> {
    let loaded = fs::read_to_string("/proc/modules").unwrap_or_default();
    let loaded = loaded.lines().filter_map(|line| line.split(' ').next());
    loaded.chain(["vmlinux"]).map(str::to_owned).collect()
}

/// A field of all probes that match.
fn of_probes(
    engine: &dyn Engine,
    pattern: Description,
    field: usize,
) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    for probe in matching(engine, pattern) {
        let probe = probe?.description;
        let text = if field == 2 {
            probe.function()
        } else {
            probe.name()
        };
        found.insert(String::from_utf8_lossy(text).into_owned());
        if found.len() > MOST {
            return Ok(BTreeSet::new());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Absence;

    fn completed(letter: &str, text: &str) -> Vec<String> {
        let word = Word::of_option(letter, text.into()).unwrap();
        let engine = Local::open(Absence::NotLoaded).unwrap();
        candidates(&engine, &word).unwrap().into_iter().collect()
    }

    #[test]
    fn a_word_goes_on_with_a_field_of_a_probe() {
        assert_eq!(completed("n", "dtr"), ["dtrace"]);
        assert_eq!(completed("P", "p"), ["pid", "proc", "profile"]);
        assert_eq!(completed("n", "fbt:vml"), ["vmlinux"]);
        assert_eq!(completed("m", "vml"), ["vmlinux"]);
        assert_eq!(completed("n", "dtrace:::B"), ["BEGIN"]);
    }

    #[test]
    fn too_many_fields_and_unknown_names_go_on_with_nothing() {
        for (letter, text) in [
            ("P", "dtrace:"),
            ("n", "a:b:c:d:e"),
            ("f", "no"),
            ("f", "vmlinux:"),
        ] {
            assert_eq!(completed(letter, text), [""; 0], "-{letter} {text}");
        }
    }
}
