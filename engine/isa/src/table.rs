//! The table of an instruction set: one list of rows, from which come the
//! decoder and what the tests know of it.

use crate::{Pattern, Plan, Why};

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

/// What a row says of the words that it answers for.
pub(crate) enum Answer<E, R> {
    /// Each is emulated, by what this makes of it.
    Emulate(fn(u32) -> E),
    /// Each is relocated, as what this makes of it.
    Relocate(fn(u32) -> R),
    /// It depends on the word.
    Decide(fn(u32) -> Plan<E, R>),
    /// None can be probed.
    Refuse(Why),
}

impl<E, R> Answer<E, R> {
    /// The plan for `word`, which the answer's row matches.
    pub(crate) fn plan(&self, word: u32) -> Plan<E, R> {
        match self {
            Self::Emulate(make) => Plan::Emulate(make(word)),
            Self::Relocate(make) => Plan::Relocate(make(word)),
            Self::Decide(make) => make(word),
            Self::Refuse(why) => Plan::Refuse(*why),
        }
    }
}

/// Makes `ROWS`, `row` and `plan` of a list of rows.
///
/// A row is `"encoding", "section", "name", answer;`. The answer is
/// `refuse(Reason)`; or `emulate(f(a, b))` or `relocate(f(a, b))`, where the
/// function `f` is given the values of the encoding's fields `a` and `b`; or
/// `decide(f(a, b))`, where `f` makes the whole plan, since no drawing says
/// that two fields are equal. A field called `word` is the whole word. The
/// first row that matches answers; the row after `otherwise` answers for
/// whatever is left, and so must draw no fixed bit.
///
/// `index = n, "drawing"` says that most rows are told apart by the eight bits
/// from bit n up and by whether a word is an instance of the drawing: by these
/// the rows that can match a word are found.
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

        /// The place in [`ROWS`] of the row that `word` belongs to.
        #[must_use]
        pub fn row(word: u32) -> usize {
            INDEX.find(word)
        }

        /// What to do about the instruction `word`.
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
        // Named, for an inline constant would leave `field` itself, with
        // its panic, in the object.
        const FIELD: $crate::pattern::Field =
            $crate::Pattern::new($text).field(stringify!($field));
        FIELD.of($word)
    }};
}

pub(crate) use rows;
