//! Functions of A64.

use super::case::Mark::{Code, None};
use super::case::{Case, Line, Mark, RETURN, TAIL};

fn case(name: &'static str, words: &[(u32, Mark)]) -> Case {
    let line = |(word, mark): &(u32, Mark)| -> Line { (word.to_le_bytes().to_vec(), *mark) };
    Case::new(name, words.iter().map(line).collect())
}

/// `ret`.
const RET: u32 = 0xd65f_03c0;
/// `mov w0, #1`.
const MOV: u32 = 0x5280_0020;

pub fn cases() -> Vec<Case> {
    vec![
        case("a function that is its return", &[(RET, RETURN)]),
        // ret x9, and a jump over each: cbz x0, .+8; tbnz w0, #3, .+8; retaa; retab.
        case(
            "returns of all kinds",
            &[
                (0xb400_0040, Code),
                (0xd65f_0120, RETURN),
                (0x3718_0040, Code),
                (0xd65f_0bff, RETURN),
                (0xd65f_0fff, RETURN),
            ],
        ),
        // b.ne, cbz, tbz and b to another function.
        case(
            "tail calls",
            &[
                (0x5404_0001, TAIL),
                (0xb403_ffe0, TAIL),
                (0x3603_ffc0, TAIL),
                (0x1400_1ffd, TAIL),
            ],
        ),
        // br x0.
        case(
            "a switch",
            &[
                (0xd61f_0000, Code),
                (MOV, Code),
                (RET, RETURN),
                (MOV, Code),
                (RET, RETURN),
            ],
        ),
        // ldr x0, .+8; ldr q0, .+12.
        case(
            "literals that look like returns",
            &[
                (0x5800_0060, Code),
                (0x9c00_0080, Code),
                (RET, RETURN),
                (RET, None),
                (RET, None),
                (RET, None),
                (RET, None),
                (RET, None),
                (RET, None),
            ],
        ),
        // cbz x0, .+12; brk #0x800; ret; brk #1; udf.
        case(
            "a warning and a bug",
            &[
                (0xb400_0060, Code),
                (0xd421_0000, Code),
                (RET, RETURN),
                (0xd420_0020, Code),
                (0, None),
            ],
        ),
        // blr x1; bl; nop.
        case(
            "last calls",
            &[
                (0xd63f_0020, Code),
                (0x9400_0100, Code),
                (0xd503_201f, Code),
            ],
        ),
        // eret.
        case("a way back from an exception", &[(0xd69f_03e0, Code)]),
        case("no end", &[(MOV, Code)]).falling_out(),
    ]
}
