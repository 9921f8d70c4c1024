//! `--complete`: how a word that names probes may go on. The scripts of [`super::shells`] ask.

use std::collections::BTreeSet;

use engine_abi::Description;

use crate::device::Device;
use crate::engine::{Engine, matching};
use crate::error::Error;
use crate::local::Local;
use crate::output::Output;

/// More than a shell would show.
const MOST: usize = 1_000;

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

    /// The pattern of the probes that the word may come to name, and the field that is being
    /// written: the description is taken to begin with the provider if it can have all fields, as
    /// `-n` can, and otherwise to be the option's own.
    fn pattern(&self) -> Option<(Description, usize)> {
        let parts: Vec<&str> = self.text.split(':').collect();
        let first = if parts.len() > 1 { 0 } else { self.first() };
        let last = first + parts.len() - 1;
        if last >= self.fields {
            return None;
        }
        let mut fields: [Vec<u8>; 4] = Default::default();
        for (field, part) in fields[first..].iter_mut().zip(&parts) {
            *field = part.as_bytes().to_vec();
        }
        fields[last].push(b'*');
        let [provider, module, function, name] = &fields;
        let pattern = Description::new(provider, module, function, name).ok()?;
        Some((pattern, last))
    }

    /// Where a description of one field begins.
    fn first(&self) -> usize {
        if self.fields == 4 { 0 } else { self.fields - 1 }
    }
}

/// Prints a line for each way on.
pub fn write(word: &Word) -> Result<u8, Error> {
    let mut output = Output::open(None)?;
    let engine: Box<dyn Engine> = match Device::open()? {
        Ok(device) => Box::new(device),
        Err(absence) => Box::new(Local::open(absence)?),
    };
    for candidate in candidates(&*engine, word)? {
        output.line(format_args!("{candidate}"));
    }
    output.flush().map(|()| 0)
}

fn candidates(engine: &dyn Engine, word: &Word) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    let Some((pattern, field)) = word.pattern() else {
        return Ok(found);
    };
    let before = word
        .text
        .rfind(':')
        .map_or("", |colon| &word.text[..=colon]);
    let behind = if field + 1 < word.fields && word.fields == 4 {
        ":"
    } else {
        ""
    };
    for probe in matching(engine, pattern) {
        let probe = probe?.description;
        let fields = [
            probe.provider(),
            probe.module(),
            probe.function(),
            probe.name(),
        ];
        found.insert(format!(
            "{before}{}{behind}",
            String::from_utf8_lossy(fields[field])
        ));
        if found.len() == MOST {
            break;
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
    fn a_word_goes_on_with_the_next_field_of_a_probe() {
        assert_eq!(completed("n", "dtr"), ["dtrace:"]);
        assert_eq!(completed("n", "dtrace:::B"), ["dtrace:::BEGIN"]);
        assert_eq!(completed("P", "d"), ["dtrace"]);
        assert_eq!(completed("P", "dtrace:"), [""; 0]);
        assert_eq!(completed("n", "a:b:c:d:e"), [""; 0]);
        assert_eq!(completed("f", "no_such"), [""; 0]);
    }
}
