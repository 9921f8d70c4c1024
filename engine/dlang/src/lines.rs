//! Where the lines of a text come from: control lines (`#line 12 "file"`, and `# 12 "file" 1` of the
//! C preprocessor) may give them other numbers and another file.
//!
//! Tokens and mistakes carry the text's own line numbers; only what is printed is translated.

use std::rc::Rc;

/// A line as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub line: u32,
    /// The file, if it is not the text's own.
    pub file: Option<Rc<str>>,
}

/// The lines of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    /// The text's own name.
    own: Option<Rc<str>>,
    /// From which line on each applies, and what that line is called; in order.
    marks: Vec<(u32, Place)>,
}

impl Lines {
    /// The lines of a text with this name.
    pub(crate) fn new(own: Option<&str>) -> Self {
        Self {
            own: own.map(Rc::from),
            marks: Vec::new(),
        }
    }

    /// Has `from` be this line, of the same file as before if none is given.
    pub(crate) fn mark(&mut self, from: u32, line: u32, file: Option<&str>) {
        let file = match file {
            Some(file) => (self.own.as_deref() != Some(file)).then(|| file.into()),
            None => self.marks.last().and_then(|it| it.1.file.clone()),
        };
        self.marks.push((from, Place { line, file }));
    }

    /// How messages name a line of the text.
    pub(crate) fn place(&self, line: u32) -> Place {
        let count = self.marks.partition_point(|(from, _)| *from <= line);
        match count.checked_sub(1).and_then(|last| self.marks.get(last)) {
            None => Place { line, file: None },
            Some((from, place)) => Place {
                line: place.line.saturating_add(line - from),
                file: place.file.clone(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_that_of_the_mark_before_it() {
        let mut lines = Lines::new(Some("own.d"));
        assert_eq!(lines.place(7).line, 7);
        lines.mark(3, 1, Some("other.h"));
        lines.mark(5, 40, None);
        lines.mark(9, 2, Some("own.d"));
        for (line, (number, file)) in [
            (2, (2, None)),
            (3, (1, Some("other.h"))),
            (4, (2, Some("other.h"))),
            (5, (40, Some("other.h"))),
            (8, (43, Some("other.h"))),
            (9, (2, None)),
            (12, (5, None)),
        ] {
            let place = lines.place(line);
            assert_eq!((place.line, place.file.as_deref()), (number, file));
        }
    }
}
