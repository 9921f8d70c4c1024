//! The table of x86-64: one list of rows, from which come the decoder and what
//! the tests know of it.

use super::Encoding;

/// One encoding in the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The encoding, as the manual's opcode column has it.
    pub encoding: Encoding,
    /// The heading under which the manual describes the instruction.
    pub section: &'static str,
    /// A short name, unlike any other row's.
    pub name: &'static str,
}

/// Panics, which is a build error in a constant, with the text of a row that
/// no instruction can reach because an earlier row takes them all.
pub(super) const fn no_row_is_shadowed(mut rows: &[Row]) {
    while let [first, later @ ..] = rows {
        no_row_is_shadowed_by(first, later);
        rows = later;
    }
}

const fn no_row_is_shadowed_by(earlier: &Row, mut rows: &[Row]) {
    while let [row, later @ ..] = rows {
        let shadowed = earlier.encoding.covers(&row.encoding);
        assert!(!shadowed, "{}", row.encoding.text());
        rows = later;
    }
}

/// Makes `ROWS` and `plan` of a list of rows.
///
/// A row is `"encoding", "section", "name", answer;`. The answer is
/// `refuse(Reason)`, `relocate(same())`, or `emulate(f(a, b))`, where the function `f` is given
/// what the encoding's fields `a` and `b` stand for, and may still decline.
/// The first row that matches answers; the row after `otherwise` answers for
/// whatever is left, and for what `f` declines.
macro_rules! rows {
    (
        $($text:literal, $section:literal, $name:literal, $verb:ident ($($answer:tt)+);)+
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

        /// What to do about the instruction that `text` begins with; bytes
        /// that could not be read are 0.
        pub fn plan(text: &[u8; LONGEST]) -> Plan<Emulation, Relocation> {
            answer(text).unwrap_or(Plan::Refuse(Why::$why))
        }

        /// The place in [`ROWS`] of the row that the instruction belongs to.
        #[must_use]
        pub fn row(text: &[u8; LONGEST]) -> usize {
            let found = ROWS.iter().position(|row| row.encoding.matches(text));
            found.unwrap_or(ROWS.len().wrapping_sub(1))
        }

        /// The length of the instruction; none if no row knows it.
        #[must_use]
        pub fn length(text: &[u8; LONGEST]) -> Option<usize> {
            let encoding = &ROWS.get(row(text))?.encoding;
            let fields = Fields::read(encoding, text)?;
            (row(text) < ROWS.len().wrapping_sub(1)).then_some(fields.length().into())
        }

        fn answer(text: &[u8; LONGEST]) -> Option<Plan<Emulation, Relocation>> {
            $({
                const ENCODING: Encoding = Encoding::new($text);
                if ENCODING.matches(text) {
                    return rows!(@$verb text, ENCODING, $($answer)+);
                }
            })+
            None
        }
    };
    (@refuse $text:ident, $encoding:ident, $why:ident) => {
        Some(Plan::Refuse(Why::$why))
    };
    (@relocate $text:ident, $encoding:ident, $make:ident()) => {
        Some(Plan::Relocate(Fields::read(&$encoding, $text)?.$make($text)))
    };
    (@emulate $text:ident, $encoding:ident, $make:ident($($field:ident),*)) => {{
        let fields = Fields::read(&$encoding, $text)?;
        let action = $make($(fields.$field()?),*)?;
        Some(Plan::Emulate(Emulation::new(fields.length(), action)))
    }};
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
    const ANY_DIGIT: Row = row("[66 REX.W] C7 /r");

    #[test]
    fn the_special_before_the_general_is_in_order() {
        no_row_is_shadowed(&[ONE_DIGIT, ANY_DIGIT, row("C6 /0 ib")]);
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
