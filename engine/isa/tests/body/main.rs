//! Walks over functions: what they find in bodies that were written for it, why they fail, and that they end
//! on anything.

mod arm;
mod arm64;
mod case;
mod chance;
mod control;
#[path = "../words/mod.rs"]
mod words;
mod x86;

use engine_isa::arm::A32;
use engine_isa::arm64::A64;
use engine_isa::body::{Unwalked, room};
use engine_isa::x86::X64;

use case::{START, walk};

#[test]
fn bodies_of_a32_are_as_they_say() {
    arm::cases().iter().for_each(case::Case::check::<A32>);
}

#[test]
fn bodies_of_a64_are_as_they_say() {
    arm64::cases().iter().for_each(case::Case::check::<A64>);
}

#[test]
fn bodies_of_x86_are_as_they_say() {
    x86::cases().iter().for_each(case::Case::check::<X64>);
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

/// The last instruction would need a byte more than the function has: mov eax, imm32.
#[test]
fn what_does_not_end_within_the_function_is_no_instruction() {
    let found = walk::<X64>(&[0x90, 0xb8, 0, 0, 0], &[], room::<X64>).unwrap();
    assert_eq!((found.instructions, found.falls_out), (vec![START], true));
}
