//! Functions of A32.

use super::case::Mark::{Code, None};
use super::case::{Case, Line, Mark, RETURN, TAIL, TAIL_BY_REGISTER};

fn case(name: &'static str, words: &[(u32, Mark)]) -> Case {
    let line = |(word, mark): &(u32, Mark)| -> Line { (word.to_le_bytes().to_vec(), *mark) };
    Case::new(name, words.iter().map(line).collect())
}

/// `bx lr`.
const BX_LR: u32 = 0xe12f_ff1e;

pub fn cases() -> Vec<Case> {
    [pools(), switches(), exits(), ends()]
        .into_iter()
        .flatten()
        .collect()
}

fn pools() -> Vec<Case> {
    vec![
        // ldr r0, [pc, #0]; the literal reads pop {r4, pc}.
        case(
            "a literal that looks like a return",
            &[(0xe59f_0000, Code), (BX_LR, RETURN), (0xe8bd_8010, None)],
        ),
        // ldr r0, [pc, #4]; cmp r0, #0; b .+8; a literal; ldr r1, [pc, #-12].
        case(
            "code behind data",
            &[
                (0xe59f_0004, Code),
                (0xe350_0000, Code),
                (0xea00_0000, Code),
                (BX_LR, None),
                (0xe51f_100c, Code),
                (BX_LR, RETURN),
            ],
        ),
        // ldr r0, [pc, #0]; bl.
        case(
            "a literal behind a call that never comes back",
            &[(0xe59f_0000, Code), (0xeb00_0100, Code), (BX_LR, None)],
        ),
        // beq .+12; bl; a literal that reads ldr r0, [pc, #0], as if the last word were one; ldr r0, [pc, #-12].
        case(
            "a literal that is loaded further on, and seems to load code",
            &[
                (0xe350_0000, Code),
                (0x0a00_0001, Code),
                (0xeb00_0100, Code),
                (0xe59f_0000, None),
                (0xe51f_000c, Code),
                (BX_LR, RETURN),
            ],
        ),
        // ldrd r2, [pc, #0]; vldr d0, [pc, #4]; ldrh r1, [pc, #8].
        case(
            "literals of two words, and of less than one",
            &[
                (0xe1cf_20d8, Code),
                (0xed9f_0b03, Code),
                (0xe1df_11b0, Code),
                (BX_LR, RETURN),
                (BX_LR, None),
                (BX_LR, None),
                (BX_LR, None),
                (BX_LR, None),
                (BX_LR, None),
            ],
        ),
        // vldr s0, [pc, #0]; b .+12; a literal; bx lr.
        case(
            "code behind a literal of one word",
            &[
                (0xed9f_0a00, Code),
                (0xea00_0000, Code),
                (BX_LR, None),
                (BX_LR, RETURN),
            ],
        ),
        // adr r0, .+12; ldrd r2, [r0].
        case(
            "data of which nobody says how many they are",
            &[
                (0xe28f_0004, Code),
                (0xe1c0_20d0, Code),
                (BX_LR, RETURN),
                (BX_LR, None),
                (BX_LR, None),
            ],
        ),
        // add r1, pc, #0; mrs r2, cpsr.
        case(
            "the pc, which is no data",
            &[
                (0xe28f_1000, Code),
                (0xe3a0_0000, Code),
                (0xe10f_2000, Code),
                (BX_LR, RETURN),
            ],
        ),
    ]
}

fn switches() -> Vec<Case> {
    let table = |first: (u32, Mark)| {
        [
            first,
            // ldrls pc, [pc, r0, lsl #2]; b .+24; three addresses.
            (0x979f_f100, Code),
            (0xea00_0005, Code),
            (0x1018, None),
            (0x1020, None),
            (0x101c, None),
            (0xe3a0_0001, Code),
            (BX_LR, RETURN),
            (0xe8bd_8010, RETURN),
            (0x112f_ff1e, RETURN),
            (0xea00_1ff4, TAIL),
        ]
    };
    vec![
        case(
            "a table whose length a comparison says",
            &table((0xe350_0002, Code)),
        ),
        case(
            "a table whose length nobody says",
            &table((0xe1a0_0001, Code)),
        ),
        // cmp r0, #1; addls pc, pc, r0, lsl #2; b .+12; b .+12; mov r0, #0; mov pc, lr.
        case(
            "a row of instructions",
            &[
                (0xe350_0001, Code),
                (0x908f_f100, Code),
                (0xea00_0001, Code),
                (0xea00_0001, Code),
                (0xe3a0_0000, Code),
                (BX_LR, RETURN),
                (0xe1a0_f00e, RETURN),
            ],
        ),
        // ldr pc, [r3, #752].
        case(
            "a computed jump",
            &[(0xe593_f2f0, Code), (0xe3a0_0001, Code), (BX_LR, RETURN)],
        ),
    ]
}

fn exits() -> Vec<Case> {
    vec![
        case("a function that is its return", &[(BX_LR, RETURN)]),
        // bxeq lr; popne {r4, pc}; ldrcs pc, [sp], #4; movmi pc, lr; ldm sp, {fp, sp, pc}.
        case(
            "returns under conditions",
            &[
                (0x012f_ff1e, RETURN),
                (0x18bd_8010, RETURN),
                (0x249d_f004, RETURN),
                (0x41a0_f00e, RETURN),
                (0xe89d_a800, RETURN),
            ],
        ),
        // bne and b to another function; bxne r3; bx r3; mov pc, r3; ldr pc, [pc, #-4] with its literal.
        case(
            "tail calls",
            &[
                (0x1a00_1ffe, TAIL),
                (0x112f_ff13, TAIL_BY_REGISTER),
                (0x012f_ff11, TAIL_BY_REGISTER),
                (0x11a0_f003, TAIL_BY_REGISTER),
                (0x1a00_1ffa, TAIL),
                (0xe51f_f004, TAIL_BY_REGISTER),
                (BX_LR, None),
            ],
        ),
        // b to the function's own start.
        case("a loop", &[(0xe3a0_0001, Code), (0xeaff_fffd, Code)]),
        // subs pc, lr, #4 under a condition; rfeia sp!.
        case(
            "ways back from exceptions",
            &[(0x125e_f004, Code), (0xf8bd_0a00, Code)],
        ),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        // bxne lr; Linux's BUG; padding.
        case(
            "a bug",
            &[(0x112f_ff1e, RETURN), (0xe7f0_01f2, Code), (0, None)],
        ),
        // nop, which can become a branch to the word after the return.
        case(
            "a jump that is switched off",
            &[
                (0xe320_f000, Code),
                (BX_LR, RETURN),
                (0xe3a0_0001, Code),
                (BX_LR, RETURN),
            ],
        ),
        case("a last call", &[(0xeb00_0100, Code), (0xe320_f000, Code)]),
        case("no end", &[(0xe3a0_0001, Code)]).falling_out(),
    ]
}
