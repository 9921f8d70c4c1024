//! Functions of x86-64.

use super::case::Mark::{Code, None};
use super::case::{Case, Line, Mark, RETURN, TAIL, TAIL_BY_REGISTER};

fn lines(lines: &[(&[u8], Mark)]) -> Vec<Line> {
    let line = |(bytes, mark): &(&[u8], Mark)| (bytes.to_vec(), *mark);
    lines.iter().map(line).collect()
}

fn case(name: &'static str, body: &[(&[u8], Mark)]) -> Case {
    Case::new(name, lines(body))
}

/// `xor eax, eax`.
const XOR: &[u8] = &[0x31, 0xc0];
const RET: &[u8] = &[0xc3];
const INT3: &[u8] = &[0xcc];
const UD2: &[u8] = &[0x0f, 0x0b];

pub fn cases() -> Vec<Case> {
    [exits(), parts(), ends()].into_iter().flatten().collect()
}

fn exits() -> Vec<Case> {
    vec![
        case("a function that is its return", &[(RET, RETURN)]),
        // repz ret, and ret 8, each with a jump over it.
        case(
            "returns",
            &[
                (&[0x74, 0x02], Code),
                (&[0xf3, 0xc3], RETURN),
                (&[0x0f, 0x84, 0x03, 0, 0, 0], Code),
                (&[0xc2, 0x08, 0x00], RETURN),
                (RET, RETURN),
                (INT3, None),
                (INT3, None),
            ],
        ),
        // jmp and jne to the thunk; and the bytes in its place if thunks are disabled.
        case(
            "returns by a thunk",
            &[
                (&[0x0f, 0x85, 0xfa, 0x8f, 0, 0], RETURN),
                (&[0x74, 0x05], Code),
                (&[0xe9, 0xf3, 0x8f, 0, 0], RETURN),
                (&[0xc3], RETURN),
                (INT3, None),
            ],
        ),
        // jne and jmp to another function; jmp rax, and through memory.
        case(
            "tail calls",
            &[
                (&[0x0f, 0x85, 0xfa, 0x7f, 0, 0], TAIL),
                (&[0x74, 0x05], Code),
                (&[0xe9, 0xf3, 0x7f, 0, 0], TAIL),
                (&[0x74, 0x02], Code),
                (&[0xff, 0xe0], TAIL_BY_REGISTER),
                (&[0x41, 0xff, 0x64, 0x24, 0x08], TAIL_BY_REGISTER),
                (INT3, None),
            ],
        ),
        // jmp to the function's own start.
        case("a loop", &[(XOR, Code), (&[0xeb, 0xfc], Code)]),
        // mov eax, 0xc3c3c3c3.
        case(
            "what looks like a return within another instruction",
            &[(&[0xb8, 0xc3, 0xc3, 0xc3, 0xc3], Code), (RET, RETURN)],
        ),
        // iretq, which returns to the next instruction.
        case(
            "a way back from an exception",
            &[(&[0x48, 0xcf], Code), (RET, RETURN)],
        ),
    ]
}

fn parts() -> Vec<Case> {
    // jne to the part, which jumps back.
    let to_part: &[u8] = &[0x0f, 0x85, 0xfa, 0x2f, 0, 0];
    vec![
        case("a part", &[(to_part, Code), (XOR, Code), (RET, RETURN)]).with_part(lines(&[
            (XOR, Code),
            (&[0x75, 0x05], Code),
            (&[0xe9, 0xfd, 0xcf, 0xff, 0xff], Code),
            (RET, RETURN),
        ])),
        case(
            "a part that ends with a call",
            &[(to_part, Code), (RET, RETURN)],
        )
        .with_part(lines(&[(&[0xe8, 0, 1, 0, 0], Code), (&[0x66, 0x90], Code)])),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        case("a warning", &[(UD2, Code), (RET, RETURN)]),
        case("a bug", &[(XOR, Code), (UD2, Code)]),
        // nopl, which can become a jump over the return.
        case(
            "a jump that is switched off",
            &[
                (&[0x0f, 0x1f, 0x44, 0, 0], Code),
                (RET, RETURN),
                (XOR, Code),
                (RET, RETURN),
            ],
        ),
        case(
            "a last call",
            &[(&[0xff, 0xd0], Code), (&[0x0f, 0x1f, 0x00], Code)],
        ),
        case("no end", &[(XOR, Code)]).falling_out(),
    ]
}
