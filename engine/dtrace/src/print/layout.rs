//! Flags, width and precision of a conversion.

use engine_dlang::format::Flags;

/// A conversion's flags, width and precision, with `*` resolved.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// The flags.
    pub flags: Flags,
    /// The minimum width in columns.
    pub width: usize,
    /// The precision. DTrace takes 0 for none.
    pub precision: Option<usize>,
}

impl Layout {
    /// A layout with only a width; a negative one aligns to the left, as in C.
    pub fn of_width(width: i64) -> Self {
        Self::default().with_width(width)
    }

    /// With this width.
    pub fn with_width(mut self, width: i64) -> Self {
        self.flags.left |= width < 0;
        self.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        self.width = self.width.min(MAX_EXTENT);
        self
    }

    /// With this precision, if it is positive.
    pub fn with_precision(mut self, precision: i64) -> Self {
        self.precision = usize::try_from(precision).ok().filter(|&it| it > 0);
        self.precision = self.precision.map(|it| it.min(MAX_EXTENT));
        self
    }

    /// The prefix of a signed number.
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

    /// Appends `text`, padded with spaces to the width.
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

/// Limit for a width or precision, which an argument can set to any number. Rust's formatter takes
/// less than 65536.
pub const MAX_EXTENT: usize = 1 << 15;

/// Appends `count` spaces.
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
    fn a_width_pads_and_never_truncates() {
        assert_eq!(put(5, "abc"), "  abc");
        assert_eq!(put(-5, "abc"), "abc  ");
        assert_eq!(put(2, "abc"), "abc");
    }

    #[test]
    fn a_precision_of_zero_is_none() {
        for precision in [0, -1, i64::MIN] {
            assert_eq!(Layout::default().with_precision(precision).precision, None);
        }
        assert_eq!(Layout::default().with_precision(3).precision, Some(3));
    }

    #[test]
    fn a_width_argument_is_limited() {
        assert_eq!(Layout::of_width(i64::MIN).width, MAX_EXTENT);
    }
}
