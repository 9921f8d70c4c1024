//! Why there is no header, and where.

use std::fmt;
use std::rc::Rc;

use crate::Text;
use crate::lines::Lines;

/// An error in a text, with its line and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The text's name.
    name: String,
    /// The file that the line is of, if it is not the text's own.
    file: Option<Rc<str>>,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Failure {
    /// An error at a byte of a line.
    pub(super) fn new(
        text: &Text,
        lines: &Lines,
        (line, at): (u32, usize),
        message: String,
    ) -> Self {
        let before = text.source.get(..at).unwrap_or(&text.source);
        let column = before.chars().rev().take_while(|it| *it != '\n').count();
        let place = lines.place(line);
        Self {
            name: text.file().unwrap_or(&text.source).to_owned(),
            file: place.file,
            line: place.line,
            column: column + 1,
            message,
        }
    }
}

/// The byte of the first character of a line that is not white space.
pub(super) fn beginning(source: &str, line: u32) -> usize {
    let number = usize::try_from(line).unwrap_or(usize::MAX);
    let mut ends = source.match_indices('\n');
    let start = match number.checked_sub(2) {
        None => 0,
        Some(nth) => ends.nth(nth).map_or(source.len(), |(at, _)| at + 1),
    };
    let rest = source.get(start..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    start + blanks
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "failed to compile script {name}: ")?;
        if let Some(file) = &self.file {
            write!(f, "\"{file}\", ")?;
        }
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for Failure {}
