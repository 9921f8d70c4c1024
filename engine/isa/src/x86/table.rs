//! The table of x86: one list of rows, from which the decoder and its tests are made.

use super::instruction::Instruction;
use super::{Emulation, Encoding, Relocation};
use crate::{Plan, Why};

/// One encoding in the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The encoding, in the notation of the manual's opcode column.
    pub encoding: Encoding,
    /// The heading under which the manual describes the instruction.
    pub section: &'static str,
    /// A short name, unique in the table.
    pub name: &'static str,
}

/// Panics, a build error in a constant, with the text of a row that an earlier row makes
/// unreachable.
pub(super) const fn no_row_is_shadowed(mut rows: &[Row]) {
    while let [first, later @ ..] = rows {
        no_row_is_shadowed_by(first, later);
        rows = later;
    }
}

/// Rows of one map are adjacent, so the comparison stops at the next map.
const fn no_row_is_shadowed_by(earlier: &Row, mut rows: &[Row]) {
    while let [row, later @ ..] = rows {
        if earlier.encoding.map as u8 != row.encoding.map as u8 {
            return;
        }
        let shadowed = earlier.encoding.covers(&row.encoding);
        assert!(!shadowed, "{}", row.encoding.text());
        rows = later;
    }
}

/// What a row does about its instructions.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// The function makes the plan.
    Decide(fn(&Instruction<'_>) -> Plan<Emulation, Relocation>),
    /// None can be probed.
    Refuse(Why),
}

/// Defines `ROWS`, `row`, `length`, `plan` and `plan_ia32` from a list of rows.
///
/// A row is `"encoding", "section", "name", answer;`. The answer is `refuse(Reason)`, or
/// `relocate(f)`, `emulate(f)` or `decide(f)`, where `f` takes the instruction and returns its
/// plan. The first row that matches answers; the row after `otherwise` answers for the rest.
macro_rules! rows {
    (
        $($text:literal, $section:literal, $name:literal, $verb:ident ($answer:ident);)+
        otherwise
        $last_section:literal, $last_name:literal, refuse($why:ident);
    ) => {
        /// The table. An instruction belongs to the first row that matches it.
        pub const ROWS: &[Row] = &[
            $(Row {
                encoding: Encoding::new($text),
                section: $section,
                name: $name,
            },)+
            Row {
                encoding: Encoding::ANY,
                section: $last_section,
                name: $last_name,
            },
        ];

        const _: () = $crate::x86::table::no_row_is_shadowed(ROWS);

        static ANSWERS: [Answer; ROWS.len()] = [
            $(rows!(@$verb $answer),)+
            Answer::Refuse(Why::$why),
        ];

        static INDEX: Index<{ ROWS.len() }, { entries(ROWS) }> = Index::new(ROWS);

        /// The index in [`ROWS`] of the row that the first instruction of `text` belongs to, in
        /// 64-bit mode.
        #[must_use]
        pub fn row(text: &[u8; LONGEST]) -> usize {
            row_in(Mode::Long, text)
        }

        /// [`row`] in a 32-bit program.
        #[must_use]
        pub fn row_ia32(text: &[u8; LONGEST]) -> usize {
            row_in(Mode::Compat, text)
        }

        fn row_in(mode: Mode, text: &[u8; LONGEST]) -> usize {
            found(mode, text).map_or(ROWS.len().wrapping_sub(1), |(row, _)| row)
        }

        /// The length of the first instruction of `text`, in 64-bit mode; `None` if it is invalid.
        #[must_use]
        pub fn length(text: &[u8; LONGEST]) -> Option<usize> {
            found(Mode::Long, text).map(|(_, instruction)| instruction.length().into())
        }

        /// Plans for the first instruction of `text`, in 64-bit mode. Bytes that could not be read
        /// are 0.
        pub fn plan(text: &[u8; LONGEST]) -> Plan<Emulation, Relocation> {
            plan_in(Mode::Long, text)
        }

        /// [`plan`] in a 32-bit program.
        pub fn plan_ia32(text: &[u8; LONGEST]) -> Plan<Emulation, Relocation> {
            plan_in(Mode::Compat, text)
        }

        /// [`length`] in a 32-bit program.
        #[must_use]
        pub fn length_ia32(text: &[u8; LONGEST]) -> Option<usize> {
            found(Mode::Compat, text).map(|(_, instruction)| instruction.length().into())
        }

        fn plan_in(mode: Mode, text: &[u8; LONGEST]) -> Plan<Emulation, Relocation> {
            let Some((row, instruction)) = found(mode, text) else {
                return Plan::Refuse(Why::$why);
            };
            match ANSWERS.get(row) {
                Some(Answer::Decide(make)) => make(&instruction),
                Some(Answer::Refuse(why)) => Plan::Refuse(*why),
                None => Plan::Refuse(Why::$why),
            }
        }

        #[inline]
        fn found(mode: Mode, text: &[u8; LONGEST]) -> Option<(usize, Instruction<'_>)> {
            let opening = Opening::read(mode, text)?;
            let (row, test) = INDEX.find(&opening)?;
            Some((row, Instruction::read(opening, test, text)?))
        }
    };
    (@refuse $why:ident) => { Answer::Refuse(Why::$why) };
    (@$verb:ident $make:ident) => { Answer::Decide($make) };
}

pub(super) use rows;

#[cfg(test)]
mod tests {
    use super::{Encoding, Row, no_row_is_shadowed};

    const fn row(text: &'static str) -> Row {
        Row {
            encoding: Encoding::new(text),
            section: "",
            name: "",
        }
    }

    const ONE_DIGIT: Row = row("C7 /0 iz");
    const ANY_DIGIT: Row = row("C6-C7 /r");

    #[test]
    fn the_special_before_the_general_is_in_order() {
        no_row_is_shadowed(&[ONE_DIGIT, ANY_DIGIT, row("C4 /0 ib")]);
    }

    #[test]
    #[should_panic(expected = "C7 /0 iz")]
    fn the_general_before_the_special_is_an_error() {
        no_row_is_shadowed(&[ANY_DIGIT, ONE_DIGIT]);
    }

    #[test]
    #[should_panic(expected = "C7 /0 iz")]
    fn the_same_row_twice_is_an_error() {
        no_row_is_shadowed(&[ONE_DIGIT, row("50+r"), ONE_DIGIT]);
    }
}
