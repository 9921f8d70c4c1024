//! How a conversion lays out what it prints.

use engine_dlang::format::Flags;

/// A conversion's flags, width and precision, each `*` filled in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// Its flags.
    pub flags: Flags,
    /// The least width.
    pub width: usize,
    /// The precision. DTrace takes one of 0 for none.
    pub precision: Option<usize>,
}

impl Layout {
    /// A layout of just a width: to the left of it where it is negative, as C takes it.
    pub fn of_width(width: i64) -> Self {
        Self::default().with_width(width)
    }

    /// The same of this width.
    pub fn with_width(mut self, width: i64) -> Self {
        self.flags.left |= width < 0;
        self.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        self.width = self.width.min(MOST);
        self
    }

    /// The same of this precision, if it is one.
    pub fn with_precision(mut self, precision: i64) -> Self {
        self.precision = usize::try_from(precision).ok().filter(|&it| it > 0);
        self.precision = self.precision.map(|it| it.min(MOST));
        self
    }

    /// What stands in front of a number that has a sign.
    pub fn sign(&self, is_negative: bool) -> &'static str {
        if is_negative {
            "-"
        } else if self.flags.plus {
            "+"
        } else if self.flags.space {
            " "
        } else {
            ""
        }
    }

    /// Puts `text`, with spaces for what it is short of the width.
    pub fn put(&self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = self.width.saturating_sub(text.len());
        if !self.flags.left {
            spaces(out, missing);
        }
        out.extend_from_slice(text);
        if self.flags.left {
            spaces(out, missing);
        }
    }
}

/// A width or precision that comes as an argument can be any number: this is enough for everybody, and
/// less than Rust's own formatting takes.
pub const MOST: usize = 1 << 15;

/// Puts that many spaces.
pub fn spaces(out: &mut Vec<u8>, count: usize) {
    out.resize(out.len() + count, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(width: i64, text: &str) -> String {
        let mut out = Vec::new();
        Layout::of_width(width).put(&mut out, text.as_bytes());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_width_pads_and_never_cuts() {
        assert_eq!(put(5, "abc"), "  abc");
        assert_eq!(put(-5, "abc"), "abc  ");
        assert_eq!(put(2, "abc"), "abc");
    }

    #[test]
    fn a_precision_of_nothing_is_none() {
        for precision in [0, -1, i64::MIN] {
            assert_eq!(Layout::default().with_precision(precision).precision, None);
        }
        assert_eq!(Layout::default().with_precision(3).precision, Some(3));
    }

    #[test]
    fn an_argument_cannot_ask_for_all_memory() {
        assert_eq!(Layout::of_width(i64::MIN).width, MOST);
    }
}
