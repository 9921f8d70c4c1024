//! Walks over functions: what they find in handwritten bodies, why they fail, and that they
//! terminate on any text.

mod arm;
mod arm64;
mod calls;
mod case;
mod control;
mod random;
mod t32;
mod x86;

use engine_isa::Arch;
use engine_isa::arm::t32::T32;
use engine_isa::arm::{A32, Arm, Block, Mode};
use engine_isa::arm64::A64;
use engine_isa::body::{Exit, Set, Unwalked, room};
use engine_isa::x86::X64;

use case::{START, walk};

#[test]
fn bodies_of_a32_are_as_they_say() {
    arm::cases().iter().for_each(case::Case::check::<A32>);
}

#[test]
fn bodies_of_thumb_are_as_they_say() {
    t32::cases().iter().for_each(case::Case::check::<T32>);
}

#[test]
fn bodies_of_a64_are_as_they_say() {
    arm64::cases().iter().for_each(case::Case::check::<A64>);
}

#[test]
fn bodies_of_x86_are_as_they_say() {
    x86::cases().iter().for_each(case::Case::check::<X64>);
}

/// it eq; bxeq lr; itet ne; addne r0, #1; addeq.w r8, r8, #1; bxne lr; bx lr.
const IN_BLOCKS: [u16; 8] = [
    0xbf08, 0x4770, 0xbf16, 0x3001, 0xf108, 0x0801, 0x4770, 0x4770,
];

#[test]
fn each_instruction_of_thumb_has_its_place_in_a_block() {
    let body = IN_BLOCKS.map(u16::to_le_bytes).concat();
    let text = engine_isa::body::Text {
        load: &|at, bytes| {
            let from = (at - START) as usize;
            bytes.copy_from_slice(&body[from..from + bytes.len()]);
            true
        },
        part: &|_| None,
        returns: &|_| false,
        is_open: false,
    };
    let start = START as usize;
    let mode = Mode::T32(Block::NONE);
    let mut memory = vec![0; Arm::room(body.len(), mode)];
    let mut found = Vec::new();
    let mut see = |at: usize, mode, exit| found.push((at - start, mode, exit));
    Arm::instructions(
        &text,
        start..start + body.len(),
        mode,
        &mut memory,
        &mut see,
    )
    .unwrap();
    let leaves = Some(Exit::Return);
    let expected = [
        (0, 0, None),
        (2, 0x08, None),
        (4, 0, None),
        (6, 0x16, None),
        (8, 0x0c, None),
        (12, 0x18, None),
        (14, 0, None),
        (2, 0x08, leaves),
        (12, 0x18, leaves),
        (14, 0, leaves),
    ];
    assert_eq!(
        found,
        expected.map(|(at, state, exit)| (at, Mode::T32(Block::begun(state)), exit))
    );
}

/// jne to the part.
const TO_PART: [u8; 6] = [0x0f, 0x85, 0xfa, 0x2f, 0, 0];

#[test]
fn what_needs_more_room_than_there_is_fails_and_not_otherwise() {
    let (body, large) = (TO_PART, vec![0x90; 100_000]);
    let more = |bytes| room::<X64>(bytes) + room::<X64>(100_000);
    assert_eq!(walk::<X64>(&body, &[], |_| 0), Err(Unwalked::Room));
    assert_eq!(walk::<X64>(&body, &large, room::<X64>), Err(Unwalked::Room));
    assert!(walk::<X64>(&body, &large[..4096], room::<X64>).is_ok());
    assert!(walk::<X64>(&body, &large, more).is_ok());
}

#[test]
fn a_function_has_whole_instructions() {
    assert_eq!(walk::<A32>(&[], &[], room::<A32>), Err(Unwalked::Extent));
    assert_eq!(
        walk::<A64>(&[0; 6], &[], room::<A64>),
        Err(Unwalked::Extent)
    );
}

#[test]
fn text_that_cannot_be_read_is_told() {
    let text = engine_isa::body::Text {
        load: &|_, _| false,
        part: &|_| None,
        returns: &|_| false,
        is_open: false,
    };
    let mut memory = [0; 64];
    let walk = engine_isa::body::Walk::<A32>::over(&text, START..START + 8, &mut memory);
    assert_eq!(walk.err(), Some(Unwalked::Unreadable(START)));
}

/// ldr r0, [pc, #-8], which is its own literal.
#[test]
fn what_is_data_as_long_as_it_is_code_does_not_settle() {
    let body = 0xe51f_0008_u32.to_le_bytes();
    assert_eq!(
        walk::<A32>(&body, &[], room::<A32>),
        Err(Unwalked::Unsettled)
    );
}

/// The last instruction needs one byte more than the function has: mov eax, imm32.
#[test]
fn what_does_not_end_within_the_function_is_no_instruction() {
    let found = walk::<X64>(&[0x90, 0xb8, 0, 0, 0], &[], room::<X64>).unwrap();
    assert_eq!((found.instructions, found.falls_out), (vec![START], true));
}

/// Whether the function with these bytes branches back to that offset.
fn comes_back<S: Set>(body: &[u8], to: u64) -> bool {
    let text = engine_isa::body::Text {
        load: &|at, bytes| {
            let from = (at - START) as usize;
            bytes.copy_from_slice(&body[from..from + bytes.len()]);
            true
        },
        part: &|_| None,
        returns: &|_| false,
        is_open: false,
    };
    let function = START..START + body.len() as u64;
    engine_isa::body::comes_back::<S>(&text, function, START + to)
}

#[test]
fn a_loop_comes_back_to_its_head_and_to_nothing_else() {
    // subs r0, r0, #1; bhi to it; bx lr.
    let delay = [0xe250_0001_u32, 0x8aff_fffd, 0xe12f_ff1e].map(u32::to_le_bytes);
    // The same beyond one read of the window: sub, then many nops, cbnz to the second; ret.
    let mut long = vec![0xd503_201f_u32; 100];
    long.extend([0xb5ff_f3e0, 0xd65f_03c0]);
    let long: Vec<u8> = long.into_iter().flat_map(u32::to_le_bytes).collect();
    // A jump label, inc %eax, jne to after the label; ret.
    let slot = [0x0f, 0x1f, 0x44, 0, 0, 0xff, 0xc0, 0x75, 0xfc, 0xc3];
    let heads = |len: u64, comes: &dyn Fn(u64) -> bool| {
        (0..len).filter(|to| comes(*to)).collect::<Vec<_>>()
    };
    assert_eq!(heads(12, &|to| comes_back::<A32>(&delay.concat(), to)), [0]);
    assert_eq!(heads(408, &|to| comes_back::<A64>(&long, to)), [12]);
    assert_eq!(heads(10, &|to| comes_back::<X64>(&slot, to)), [5]);
}
