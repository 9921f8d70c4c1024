//! The table of an instruction set: one list of rows, from which come the
//! decoder and what the tests know of it.

use crate::Pattern;

/// One encoding in an instruction set's table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The encoding, as its manual draws it.
    pub pattern: Pattern,
    /// The manual's section that defines it.
    pub section: &'static str,
    /// A short name, unlike any other row's.
    pub name: &'static str,
}

/// Panics, which is a build error in a constant, with the text of a row that
/// no word can reach because an earlier row takes them all.
pub(crate) const fn no_row_is_shadowed(mut rows: &[Row]) {
    while let [first, later @ ..] = rows {
        no_row_is_shadowed_by(first, later);
        rows = later;
    }
}

const fn no_row_is_shadowed_by(earlier: &Row, mut rows: &[Row]) {
    while let [row, later @ ..] = rows {
        let shadowed = earlier.pattern.covers(&row.pattern);
        assert!(!shadowed, "{}", row.pattern.text());
        rows = later;
    }
}

/// Makes `ROWS` and `plan` of a list of rows.
///
/// A row is `"encoding", "section", "name", answer;`. The answer is
/// `refuse(Reason)`, or `emulate(f(a, b))`, where the function `f` is given
/// the values of the encoding's fields `a` and `b`; or `decide(f(a, b))`,
/// where `f` makes the whole plan, since no drawing says that two fields are
/// equal. The first row that matches
/// answers; the row after `otherwise` answers for whatever is left, and so
/// must draw no fixed bit.
macro_rules! rows {
    (
        emulate = $emulation:ty, relocate = $relocation:ty;
        $($text:literal, $section:literal, $name:literal, $verb:ident ($($answer:tt)+);)+
        otherwise
        $last:literal, $last_section:literal, $last_name:literal, refuse($why:ident);
    ) => {
        /// The table. A word belongs to the first row that matches it.
        pub const ROWS: &[$crate::Row] = &[
            $($crate::Row {
                pattern: $crate::Pattern::new($text),
                section: $section,
                name: $name,
            },)+
            $crate::Row {
                pattern: $crate::Pattern::new($last),
                section: $last_section,
                name: $last_name,
            },
        ];

        const _: () = $crate::table::no_row_is_shadowed(ROWS);
        const _: () = assert!(
            $crate::Pattern::new($last).matches_all(),
            "the last row must match every word"
        );

        /// What to do about the instruction `word`.
        pub fn plan(word: u32) -> $crate::Plan<$emulation, $relocation> {
            $({
                const PATTERN: $crate::Pattern = $crate::Pattern::new($text);
                if PATTERN.matches(word) {
                    return rows!(@$verb word, PATTERN, $($answer)+);
                }
            })+
            $crate::Plan::Refuse($crate::Why::$why)
        }
    };
    (@refuse $word:ident, $pattern:ident, $why:ident) => {
        $crate::Plan::Refuse($crate::Why::$why)
    };
    (@emulate $word:ident, $pattern:ident, $make:ident($($field:ident),*)) => {
        $crate::Plan::Emulate(rows!(@decide $word, $pattern, $make($($field),*)))
    };
    (@decide $word:ident, $pattern:ident, $make:ident($($field:ident),*)) => {
        $make($({
            // Named, for an inline constant would leave `field` itself, with
            // its panic, in the object.
            const FIELD: $crate::pattern::Field = $pattern.field(stringify!($field));
            FIELD.of($word)
        }),*)
    };
}

pub(crate) use rows;

#[cfg(test)]
mod tests {
    use super::{Row, no_row_is_shadowed};
    use crate::Pattern;

    const fn row(text: &'static str) -> Row {
        Row {
            pattern: Pattern::new(text),
            section: "",
            name: "",
        }
    }

    const LIST: Row = row("cccc 1001 0010 1101 llll llll llll llll");
    const EMPTY: Row = row("cccc 1001 0010 1101 0000 0000 0000 0000");
    const ANY: Row = row("xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx");

    #[test]
    fn the_special_before_the_general_is_in_order() {
        no_row_is_shadowed(&[EMPTY, LIST, ANY]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 0000 0000 0000 0000")]
    fn the_general_before_the_special_is_an_error() {
        no_row_is_shadowed(&[LIST, EMPTY, ANY]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 llll llll llll llll")]
    fn a_row_behind_the_one_for_everything_is_an_error() {
        no_row_is_shadowed(&[EMPTY, ANY, LIST]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 llll llll llll llll")]
    fn the_same_row_twice_is_an_error() {
        no_row_is_shadowed(&[EMPTY, LIST, LIST]);
    }
}
