//! Functions of Thumb.

use super::case::Mark::{Code, None};
use super::case::{Case, Line, Mark, RETURN, TAIL, TAIL_BY_REGISTER};

/// Each word is an instruction of 16 bits or half a word of data, or an instruction of 32 bits whose
/// first half is the upper one.
fn case(name: &'static str, words: &[(u32, Mark)]) -> Case {
    let line = |&(word, mark): &(u32, Mark)| -> Line { (bytes(word), mark) };
    Case::new(name, words.iter().map(line).collect())
}

fn bytes(word: u32) -> Vec<u8> {
    let halves = [(word >> 16) as u16, word as u16].map(u16::to_le_bytes);
    let is_short = halves[0] == [0; 2];
    halves[usize::from(is_short)..].concat()
}

pub fn cases() -> Vec<Case> {
    [pools(), switches(), exits(), ends()]
        .into_iter()
        .flatten()
        .collect()
}

fn pools() -> Vec<Case> {
    vec![
        // ldr r0, =0xbd104770; bx lr.
        case(
            "a literal that looks like a return",
            &[
                (0x4800, Code),
                (0x4770, RETURN),
                (0x4770, None),
                (0xbd10, None),
            ],
        ),
        // movs r1, #0; ldr r0, [pc, #4]; bx lr; another; a literal; another.
        case(
            "a literal of which the instruction is half a word behind a multiple of 4",
            &[
                (0x2100, Code),
                (0x4801, Code),
                (0x4770, RETURN),
                (0x4770, RETURN),
                (0x4770, None),
                (0x4770, None),
                (0x4770, RETURN),
            ],
        ),
        // ldr.w; ldrd; vldr of a double and of a single; ldrh.w; ldrsb.w; bx lr; the literals, and
        // code behind them.
        case(
            "literals of all sizes",
            &[
                (0xf8df_0018, Code),
                (0xe9df_2306, Code),
                (0xed9f_0b07, Code),
                (0xf8bf_1020, Code),
                (0xf99f_4020, Code),
                (0xed9f_1a08, Code),
                (0x4770, RETURN),
                (0xbf00, Code),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, RETURN),
            ],
        ),
        // ldr.w r0, below; b; a literal; ldr.w r1, it; bx lr.
        case(
            "code behind data",
            &[
                (0xf8df_0004, Code),
                (0xe002, Code),
                (0xbf00, Code),
                (0x4770, None),
                (0x4770, None),
                (0xf85f_1008, Code),
                (0x4770, RETURN),
            ],
        ),
        // ldr r0; bl; a literal.
        case(
            "a literal behind a call that never comes back",
            &[
                (0xf8df_0004, Code),
                (0xf001_f800, Code),
                (0x4770, None),
                (0x4770, None),
            ],
        ),
        // ldr r0; blx; a literal.
        case(
            "a literal behind a call of A32 that never comes back",
            &[
                (0xf8df_0004, Code),
                (0xf001_e800, Code),
                (0x4770, None),
                (0x4770, None),
            ],
        ),
        // pld [pc, #0]; nop; movs r0, #1; bx lr.
        case(
            "a hint, which loads no data",
            &[
                (0xf89f_f000, Code),
                (0x2001, Code),
                (0x2002, Code),
                (0x4770, RETURN),
            ],
        ),
        // adr r0; adr.w r1 to the same; ldrd r2, [r0]; bx lr; two words.
        case(
            "data of which nobody says how many they are",
            &[
                (0xa002, Code),
                (0xf20f_0108, Code),
                (0xe9d0_2300, Code),
                (0x4770, RETURN),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
                (0x4770, None),
            ],
        ),
        // addw r0, pc, #5; movs r1, #0; movs r1, #1; bx lr.
        case(
            "the address of code, which is odd",
            &[
                (0xf20f_0005, Code),
                (0x2100, Code),
                (0x2101, Code),
                (0x4770, RETURN),
            ],
        ),
    ]
}

fn switches() -> Vec<Case> {
    vec![
        // cmp r1, #1; bhi; ldr r0; adr r2; add r0, pc; tbh [r2, r1, lsl #1]; a literal, and two
        // entries.
        case(
            "a table that is not right behind",
            &[
                (0x2901, Code),
                (0xd80b, Code),
                (0x4802, Code),
                (0xf20f_020c, Code),
                (0x4478, Code),
                (0xe8d2_f011, Code),
                (0x4770, None),
                (0x4770, None),
                (0x0004, None),
                (0x0005, None),
                (0x4770, RETURN),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // and.w r1, r1, #7; tbb [pc, r1]; four bytes, of which two lead behind the function.
        case(
            "a table in which nothing is known of some",
            &[
                (0xf001_0107, Code),
                (0xe8df_f001, Code),
                (0x0504, None),
                (0x0205, None),
                (0x2000, Code),
                (0x4770, RETURN),
                (0xbd10, RETURN),
            ],
        ),
        // cmp r0, #2; bhi; tbb [pc, r0]; three bytes, padded.
        case(
            "a table of an odd number of bytes",
            &[
                (0x2802, Code),
                (0xd805, Code),
                (0xe8df_f000, Code),
                (0x0302, None),
                (0xbd02, None),
                (0x4770, RETURN),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // cmp.w r9, #2; bcs.w; tbh [pc, r9, lsl #1]; two entries, and code that nothing else leads
        // to.
        case(
            "a table of halfwords, with its number",
            &[
                (0xf1b9_0f02, Code),
                (0xf080_8007, Code),
                (0xe8df_f019, Code),
                (0x0004, None),
                (0x0004, None),
                (0x2000, Code),
                (0x4770, RETURN),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // movs r0, r1; tbb [pc, r0]; four bytes.
        case(
            "a table whose length nobody says",
            &[
                (0x0008, Code),
                (0xe8df_f000, Code),
                (0x0302, None),
                (0x0203, None),
                (0x4770, RETURN),
                (0xbd10, RETURN),
            ],
        ),
        // cmp r0, #3; it hi; bxhi lr; tbb [pc, r0]; four bytes.
        case(
            "a return beyond the bound",
            &[
                (0x2803, Code),
                (0xbf88, Code),
                (0x4770, RETURN),
                (0xe8df_f000, Code),
                (0x0303, None),
                (0x0303, None),
                (0x2000, Code),
                (0xbd10, RETURN),
            ],
        ),
        // cmp r6, #2; bhi; addw lr, pc; ldr.w r6, [lr, r6, lsl #2]; add lr, r6; bx lr; nop; three
        // words.
        case(
            "a table of distances in words, by lr",
            &[
                (0x2500, Code),
                (0x2e02, Code),
                (0xd80d, Code),
                (0xf20f_0e0a, Code),
                (0xf85e_6026, Code),
                (0x44b6, Code),
                (0x4770, Code),
                (0x000d, None),
                (0, None),
                (0xffef, None),
                (0xffff, None),
                (0x000f, None),
                (0, None),
                (0x4770, RETURN),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // cmp r3, #1; bhi; adr r2; ldr.w pc, [r2, r3, lsl #2]; nop; two words.
        case(
            "a table of addresses",
            &[
                (0x2b01, Code),
                (0xd809, Code),
                (0xa201, Code),
                (0xf852_f023, Code),
                (0xbf00, Code),
                (0x1017, None),
                (0, None),
                (0x1015, None),
                (0, None),
                (0x4770, RETURN),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // cmp r0, #4; bhi; nop; add r0, pc; ldrb r0, [r0, #4]; lsls r0, r0, #1; add pc, r0; five
        // bytes.
        case(
            "a table without Thumb-2",
            &[
                (0x2804, Code),
                (0xd809, Code),
                (0x46c0, Code),
                (0x4478, Code),
                (0x7900, Code),
                (0x0040, Code),
                (0x4487, Code),
                (0x0303, None),
                (0x0303, None),
                (0x0003, None),
                (0x2000, Code),
                (0xbd10, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // cmp r1, #1; bls; bl; lsls; nop; add r1, pc; ldrh r1, [r1, #4]; lsls r1, r1, #1; add pc,
        // r1; two halves.
        case(
            "a table of halfwords without Thumb-2",
            &[
                (0x2901, Code),
                (0xd901, Code),
                (0xf001_f800, Code),
                (0x0049, Code),
                (0x4479, Code),
                (0x8889, Code),
                (0x0049, Code),
                (0x448f, Code),
                (0x0002, None),
                (0x0002, None),
                (0x2000, Code),
                (0xbd10, RETURN),
            ],
        ),
        // adr r1; add.w r0, r1, r0, lsl #2; mov pc, r0; nop; three branches; movs r0, #0; bx lr.
        case(
            "a row of branches",
            &[
                (0xa102, Code),
                (0xeb01_0080, Code),
                (0x4687, Code),
                (0xbf00, Code),
                (0xbf00, Code),
                (0xf000_b805, Code),
                (0xf000_b802, Code),
                (0xf007_bff4, TAIL),
                (0x2000, Code),
                (0x4770, RETURN),
            ],
        ),
        // ldr.w pc, [r3, #752]; movs r0, #1; bx lr.
        case(
            "a computed jump",
            &[(0xf8d3_f2f0, Code), (0x2001, Code), (0x4770, RETURN)],
        ),
    ]
}

fn exits() -> Vec<Case> {
    vec![
        case("a function that is its return", &[(0x4770, RETURN)]),
        // pop.n {r4, pc}; ldm.w sp!, {r8, pc}; ldr.w pc, [sp], #4; mov pc, lr, each reached.
        case(
            "returns",
            &[
                (0xb110, Code),
                (0xb119, Code),
                (0xb122, Code),
                (0xbd10, RETURN),
                (0xe8bd_8100, RETURN),
                (0xf85d_fb04, RETURN),
                (0x46f7, RETURN),
            ],
        ),
        // it ne; popne {pc}; ittt eq; moveq r0, #0; add.w; bxeq lr; ite mi; movmi r0, #1; bxpl lr;
        // bx lr.
        case(
            "returns under conditions",
            &[
                (0xbf18, Code),
                (0xbd00, RETURN),
                (0xbf02, Code),
                (0x2000, Code),
                (0xf108_0801, Code),
                (0x4770, RETURN),
                (0xbf4c, Code),
                (0x2001, Code),
                (0x4770, RETURN),
                (0x4770, RETURN),
            ],
        ),
        // bne.w to another function; it ne; bne.w; itt cc; movcc r0, r1; bxcc r3; bx r3; b.w;
        // ldr.w pc and its literal; bx ip.
        case(
            "tail calls",
            &[
                (0xf047_87fe, TAIL),
                (0xbf18, Code),
                (0xf007_bffb, TAIL),
                (0xbf3c, Code),
                (0x4608, Code),
                (0x4718, TAIL_BY_REGISTER),
                (0xb110, Code),
                (0xb119, Code),
                (0xb122, Code),
                (0x4718, TAIL_BY_REGISTER),
                (0xf007_bff2, TAIL),
                (0xf8df_f002, TAIL_BY_REGISTER),
                (0x4760, TAIL_BY_REGISTER),
                (0x4770, None),
                (0x4770, None),
            ],
        ),
        // bx pc; nop; a word of A32.
        case(
            "a veneer to A32",
            &[
                (0x4778, TAIL_BY_REGISTER),
                (0xbf00, Code),
                (0xff1e, None),
                (0xe12f, None),
            ],
        ),
        // add r3, r2; bx r3.
        case(
            "a sum that is called like a function",
            &[(0x4413, Code), (0x4718, TAIL_BY_REGISTER)],
        ),
        // movs r0, #1; subs r0, #1; bne; b.
        case(
            "a loop",
            &[
                (0x2001, Code),
                (0x3801, Code),
                (0xd1fd, Code),
                (0xe7fb, Code),
            ],
        ),
        // it ne; subsne pc, lr, #4; rfeia sp!.
        case(
            "ways back from exceptions",
            &[(0xbf18, Code), (0xf3de_8f04, Code), (0xe9bd_c000, Code)],
        ),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        // it ne; bxne lr; udf; zeros.
        case(
            "a bug, and padding",
            &[
                (0xbf18, Code),
                (0x4770, RETURN),
                (0xde01, Code),
                (0, None),
                (0, None),
            ],
        ),
        // udf.w #1.
        case("a long bug", &[(0xf7f0_a001, Code), (0, None)]),
        // nop.w; bx lr; movs r0, #1; bx lr.
        case(
            "a jump that is switched off",
            &[
                (0xf3af_8000, Code),
                (0x4770, RETURN),
                (0x2001, Code),
                (0x4770, RETURN),
            ],
        ),
        // bl; nop; nop.w; mov r8, r8.
        case(
            "a last call",
            &[
                (0xf001_f800, Code),
                (0xbf00, Code),
                (0xf3af_8000, Code),
                (0x46c0, Code),
            ],
        ),
        case("a last call through a register", &[(0x4798, Code)]),
        // movs r0, #1.
        // it ne; bxne lr.
        case(
            "a last return under a condition",
            &[(0xbf18, Code), (0x4770, RETURN)],
        )
        .falling_out(),
        case("no end", &[(0x2001, Code)]).falling_out(),
        // bx lr; movs r0, #1; the first half of ldr.w.
        case(
            "half an instruction",
            &[
                (0xb100, Code),
                (0x4770, RETURN),
                (0x2001, Code),
                (0xf8d0, None),
            ],
        )
        .falling_out(),
    ]
}
