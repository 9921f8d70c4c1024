//! Errors, with DTrace's wording and position where it has them.

use std::fmt;
use std::rc::Rc;

use crate::lines::Lines;
use crate::program::Setting;
use crate::tag::Tag;
use crate::{Kind, Settings, Text};

/// An error, as the compiler's passes report it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub tag: Tag,
    pub line: u32,
    /// The byte of the source, if it is not where the parser has stopped.
    pub at: Option<usize>,
    pub region: Option<Region>,
    pub message: String,
}

impl Mistake {
    /// An error on this line.
    pub(crate) fn new(tag: Tag, line: u32, message: impl Into<String>) -> Self {
        Self {
            tag,
            line,
            at: None,
            region: None,
            message: message.into(),
        }
    }

    /// Sets the byte of the source.
    pub(crate) fn at(self, at: usize) -> Self {
        Self {
            at: Some(at),
            ..self
        }
    }

    /// Sets the part of the clause that it is in.
    pub(crate) fn within(mut self, region: Region) -> Self {
        self.region.get_or_insert(region);
        self
    }
}

/// A part of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    Predicate,
    Actions,
}

impl Region {
    fn words(self) -> &'static str {
        match self {
            Self::Predicate => "predicate",
            Self::Actions => "action list",
        }
    }
}

/// Why a text does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub tag: Tag,
    /// The number of the text.
    pub text: usize,
    /// The line, from 1.
    pub line: u32,
    /// The message, without the position.
    pub message: String,
    origin: Origin,
    region: Option<Region>,
    file: Option<Rc<str>>,
    tagged: bool,
}

/// How messages name the text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Specifier(String),
    Script(String),
    Library(String),
}

impl Error {
    /// `mistake`, in the text with this number and these lines.
    pub(crate) fn new(
        mistake: Mistake,
        number: usize,
        text: &Text,
        lines: &Lines,
        tagged: bool,
    ) -> Self {
        let place = lines.place(mistake.line);
        let origin = match &text.kind {
            Kind::Specifier => Origin::Specifier(text.source.clone()),
            Kind::File { name } => Origin::Script(name.clone()),
            Kind::Library { name } => Origin::Library(name.clone()),
        };
        Self {
            tag: mistake.tag,
            text: number,
            line: place.line,
            message: mistake.message,
            origin,
            region: mistake.region,
            file: place.file,
            tagged,
        }
    }

    /// The error if the command rejects an option that a pragma sets.
    pub fn of_option(setting: &Setting, why: &str, texts: &[Text], settings: &Settings) -> Self {
        let name = &setting.name;
        let message = match &setting.value {
            Some(value) => format!("failed to set option '{name}' to '{value}': {why}"),
            None => format!("failed to set option '{name}': {why}"),
        };
        let mistake = Mistake::new(Tag::PragmaOptset, setting.line, message);
        let text = texts.get(setting.text).cloned().unwrap_or_default();
        let error = Self::new(
            mistake,
            setting.text,
            &text,
            &Lines::default(),
            settings.error_tags,
        );
        Self {
            file: setting.file.clone(),
            ..error
        }
    }

    fn place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, &self.origin, self.region) {
            (Some(file), _, _) => write!(f, "\"{file}\", line {}: ", self.line),
            (None, Origin::Script(_) | Origin::Library(_), _) => write!(f, "line {}: ", self.line),
            (None, Origin::Specifier(_), Some(region)) => write!(f, "in {}: ", region.words()),
            (None, Origin::Specifier(_), None) => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Specifier(source) => write!(f, "invalid probe specifier {source}: ")?,
            Origin::Script(name) => write!(f, "failed to compile script {name}: ")?,
            Origin::Library(name) => write!(f, "failed to compile library {name}: ")?,
        }
        if self.tagged {
            write!(f, "[{}] ", self.tag.word())?;
        }
        self.place(f)?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_refused_at_its_place() {
        let setting = Setting {
            name: "nosuch".into(),
            value: Some("3".into()),
            text: 0,
            line: 2,
            file: None,
        };
        let text = Text {
            kind: Kind::File { name: "x.d".into() },
            ..Text::default()
        };
        let settings = Settings {
            error_tags: true,
            ..Settings::default()
        };
        let error = Error::of_option(&setting, "Invalid option name", &[text], &settings);
        assert_eq!(
            error.to_string(),
            "failed to compile script x.d: [D_PRAGMA_OPTSET] line 2: failed to set option 'nosuch' \
             to '3': Invalid option name"
        );
    }
}
