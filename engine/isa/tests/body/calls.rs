//! What a function calls, up to where a path ends.

use engine_isa::arm::A32;
use engine_isa::arm::t32::T32;
use engine_isa::arm64::A64;
use engine_isa::body::{Set, Text, calls, room};
use engine_isa::x86::X64;

const START: u64 = 0x1_0000;

/// The targets that `body` calls; a path ends at a call of `end`.
fn found<S: Set>(body: &[u8], end: u64) -> Vec<u64> {
    let load = |at: u64, bytes: &mut [u8]| {
        let from = (at - START) as usize;
        let text = body.get(from..from + bytes.len());
        text.map(|text| bytes.copy_from_slice(text)).is_some()
    };
    let text = Text {
        load: &load,
        part: &|_| None,
        returns: &|_| false,
        is_open: false,
    };
    let mut memory = vec![0; room::<S>(body.len() as u64)];
    let mut found = Vec::new();
    let extent = START..START + body.len() as u64;
    calls::<S>(&text, extent, &mut memory, &mut |to| {
        found.push(to);
        to != end
    })
    .expect("walked over");
    found
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn of_a32() {
    let body = words(&[
        0xeb00_003e, // bl START+0x100
        0x0b00_003d, // bleq START+0x100
        0x0a00_007c, // beq START+0x200
        0xe12f_ff33, // blx r3
        0xeb00_00bb, // bl START+0x304, where it ends
        0xeb00_00fa, // bl START+0x404
        0xe12f_ff1e, // bx lr
    ]);
    let expected = [0x100, 0x100, 0x200, 0x304].map(|by| START + by);
    assert_eq!(found::<A32>(&body, START + 0x304), expected);
}

#[test]
fn of_thumb() {
    let body: Vec<u8> = [
        [0xf000, 0xf87e].as_slice(), // bl START+0x100
        &[0xbf08],                   // it eq
        &[0xf000, 0xf87b],           // bleq START+0x100
        &[0xf000, 0xe97a],           // blx START+0x300
        &[0xbf00],                   // nop
        &[0xf000, 0x80f6],           // beq.w START+0x200
        &[0x4798],                   // blx r3
        &[0xf000, 0xf975],           // bl START+0x304, where it ends
        &[0xf000, 0xf9f3],           // bl START+0x404
        &[0x4770],                   // bx lr
    ]
    .concat()
    .into_iter()
    .flat_map(u16::to_le_bytes)
    .collect();
    let expected = [0x100, 0x100, 0x300, 0x200, 0x304].map(|by| START + by);
    assert_eq!(found::<T32>(&body, START + 0x304), expected);
}

#[test]
fn of_a64() {
    let body = words(&[
        0x9400_0040, // bl START+0x100
        0x5400_0fe0, // b.eq START+0x200
        0xd63f_0060, // blr x3
        0x97ff_fffd, // bl START
        0x9400_00bc, // bl START+0x300, where it ends
        0x9400_00fb, // bl START+0x400
        0xd65f_03c0, // ret
    ]);
    let expected = [0x100, 0x200, 0, 0x300].map(|by| START + by);
    assert_eq!(found::<A64>(&body, START + 0x300), expected);
}

#[test]
fn of_x64() {
    let body = [
        &[0xe8, 0xfb, 0x00, 0x00, 0x00][..],   // call START+0x100
        &[0x2e, 0xe8, 0xf5, 0x01, 0x00, 0x00], // cs call START+0x200
        &[0x0f, 0x84, 0xef, 0x02, 0x00, 0x00], // je START+0x300
        &[0xff, 0xd0],                         // call *%rax
        &[0xe8, 0xe8, 0x03, 0x00, 0x00],       // call START+0x400, where it ends
        &[0xe8, 0xe3, 0x04, 0x00, 0x00],       // call START+0x500
        &[0xc3],
    ]
    .concat();
    let expected = [0x100, 0x200, 0x300, 0x400].map(|by| START + by);
    assert_eq!(found::<X64>(&body, START + 0x400), expected);
}

#[test]
fn a_jump_that_is_switched_off_leads_nowhere() {
    // A nop; ret; and the instruction that the nop would jump to.
    let mut body = vec![0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3];
    body.extend([0xe8, 0xf5, 0x00, 0x00, 0x00, 0xc3]);
    assert_eq!(found::<X64>(&body, 0), []);
    // The nop becomes a jmp to it.
    body.splice(0..5, [0xe9, 0x01, 0x00, 0x00, 0x00]);
    assert_eq!(found::<X64>(&body, 0), [START + 0x100]);
}
