//! Functions of Thumb.

use super::case::Mark::{Code, None};
use super::case::{Case, Line, Mark, RETURN};

/// Instructions of 16 bits, or two halves of one of 32, or data; the upper half of a word is the
/// first in memory.
fn case(name: &'static str, words: &[(u32, Mark)]) -> Case {
    let line = |&(word, mark): &(u32, Mark)| -> Line { (bytes(word), mark) };
    Case::new(name, words.iter().map(line).collect())
}

fn bytes(word: u32) -> Vec<u8> {
    let halves = [(word >> 16) as u16, word as u16].map(u16::to_le_bytes);
    let from = usize::from(word >> 16 == 0);
    halves[from..].concat()
}

/// `bx lr`.
const BX_LR: u32 = 0x4770;

pub fn cases() -> Vec<Case> {
    vec![
        // cmp r0, #2; bhi.n to the end; tbb [pc, r0]; three bytes and padding.
        case(
            "a table of an odd number of bytes",
            &[
                (0x2802, Code),
                (0xd805, Code),
                (0xe8df_f000, Code),
                (0x0302, None),
                (0xbd02, None),
                (BX_LR, RETURN),
                (0xbd10, RETURN),
                (BX_LR, RETURN),
            ],
        ),
        // ldr r0, [pc, #0]; bx lr; a literal.
        case(
            "a literal",
            &[
                (0x4800, Code),
                (BX_LR, RETURN),
                (0x4770, None),
                (BX_LR, None),
            ],
        ),
    ]
}
