//! The table of an instruction set: one list of rows, from which the decoder and its tests are
//! made.

use crate::{Pattern, Plan, Why};

/// One encoding in an instruction set's table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The encoding, as drawn in its manual.
    pub pattern: Pattern,
    /// The section of the manual that defines it.
    pub section: &'static str,
    /// A short name, unique in the table.
    pub name: &'static str,
}

/// What a row does about its words.
pub(crate) enum Answer<E, R> {
    /// Each is emulated; the function decodes it.
    Emulate(fn(u32) -> E),
    /// Each is relocated; the function makes the copy.
    Relocate(fn(u32) -> R),
    /// The function makes the whole plan.
    Decide(fn(u32) -> Plan<E, R>),
    /// None can be probed.
    Refuse(Why),
}

impl<E, R> Answer<E, R> {
    /// The plan for `word`, which must match the row.
    pub(crate) fn plan(&self, word: u32) -> Plan<E, R> {
        match self {
            Self::Emulate(make) => Plan::Emulate(make(word)),
            Self::Relocate(make) => Plan::Relocate(make(word)),
            Self::Decide(make) => make(word),
            Self::Refuse(why) => Plan::Refuse(*why),
        }
    }
}

/// Defines `ROWS`, `row` and `plan` from a list of rows.
///
/// A row is `"encoding", "section", "name", answer;`. The answer is `refuse(Reason)`; or
/// `emulate(f(a, b))` or `relocate(f(a, b))`, where `f` takes the values of the encoding's fields
/// `a` and `b`; or `decide(f(a, b))`, where `f` returns the whole plan, since a pattern cannot
/// relate two fields. A field called `word` is the whole word. The first row that matches answers;
/// the row after `otherwise` answers for the rest, and so must fix no bit.
///
/// `index = n, "drawing"` defines the lookup key: the eight bits from bit n up, and whether the
/// word matches the drawing.
macro_rules! rows {
    (
        emulate = $emulation:ty, relocate = $relocation:ty, index = $shift:literal, $split:literal;
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

        const _: () = assert!(
            $crate::Pattern::new($last).matches_all(),
            "the last row must match every word"
        );

        static ANSWERS: [$crate::table::Answer<$emulation, $relocation>; ROWS.len()] = [
            $(rows!(@$verb $text, $($answer)+),)+
            $crate::table::Answer::Refuse($crate::Why::$why),
        ];

        const KEY: $crate::pattern::Key = $crate::pattern::Key::new($shift, $split);

        static INDEX: $crate::index::Index<{ ROWS.len() }, { $crate::index::entries(ROWS, KEY) }> =
            $crate::index::Index::new(ROWS, KEY);

        const _: () = INDEX.shadows_no_row(ROWS);

        /// The index in [`ROWS`] of the row that `word` belongs to.
        #[must_use]
        pub fn row(word: u32) -> usize {
            INDEX.find(word)
        }

        /// Plans for the instruction `word`.
        pub fn plan(word: u32) -> $crate::Plan<$emulation, $relocation> {
            match ANSWERS.get(row(word)) {
                Some(answer) => answer.plan(word),
                None => $crate::Plan::Refuse($crate::Why::$why),
            }
        }
    };
    (@refuse $text:literal, $why:ident) => {
        $crate::table::Answer::Refuse($crate::Why::$why)
    };
    (@emulate $text:literal, $make:ident($($field:ident),*)) => {
        $crate::table::Answer::Emulate(|_word| $make($(rows!(@field _word, $text, $field)),*))
    };
    (@relocate $text:literal, $make:ident($($field:ident),*)) => {
        $crate::table::Answer::Relocate(|_word| $make($(rows!(@field _word, $text, $field)),*))
    };
    (@decide $text:literal, $make:ident($($field:ident),*)) => {
        $crate::table::Answer::Decide(|_word| $make($(rows!(@field _word, $text, $field)),*))
    };
    (@field $word:ident, $text:literal, word) => { $word };
    (@field $word:ident, $text:literal, $field:ident) => {{
        // A named constant: an inline one would leave `field` itself, with its panic, in the
        // object.
        const FIELD: $crate::pattern::Field =
            $crate::Pattern::new($text).field(stringify!($field));
        FIELD.of($word)
    }};
}

pub(crate) use rows;
