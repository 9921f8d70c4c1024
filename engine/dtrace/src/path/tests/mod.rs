mod damage;
pub mod kit;
mod random;
mod speed;
mod threads;

use engine_abi::path::Left;

use super::file::record::Kind;
use kit::{Events, file_of, path_of, replay, thread_path};

const NOP: &[u8] = &[0x90];
const RET: &[u8] = &[0xc3];
const SYSCALL: &[u8] = &[0x0f, 0x05];
/// `jmp rax` and `call rax`.
const JUMP: &[u8] = &[0xff, 0xe0];
const CALL: &[u8] = &[0xff, 0xd0];

fn text(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn a_straight_line() {
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, &text(&[NOP, NOP, &[0xeb, 0x0c]]))
        .text(2, 1, 0x1010, &text(&[NOP, SYSCALL]))
        .end(0x1011);
    let path = path_of(events);
    assert_eq!(path, [0x1000, 0x1001, 0x1002, 0x1010, 0x1011]);
}

#[test]
fn a_loop() {
    // nop; loop back; nop; syscall
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, &text(&[NOP, &[0xe2, 0xfd], NOP, SYSCALL]))
        .taken()
        .taken()
        .not_taken()
        .end(0x1004);
    let path = path_of(events);
    let round = [0x1000, 0x1001];
    assert_eq!(path[..6], [round, round, round].concat());
    assert_eq!(path[6..], [0x1003, 0x1004]);
}

#[test]
fn a_return_is_predicted() {
    // call 0x2000; call 0x2000; syscall
    let calls: [&[u8]; 2] = [&[0xe8, 0xfb, 0x0f, 0, 0], &[0xe8, 0xf6, 0x0f, 0, 0]];
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, calls[0])
        .text(2, 1, 0x2000, RET)
        .target(0x1005)
        .text(3, 1, 0x1005, calls[1])
        .target(0x100a)
        .text(4, 1, 0x100a, SYSCALL)
        .end(0x100a);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    assert_eq!(
        thread_path(&all, 0),
        [0x1000, 0x2000, 0x1005, 0x2000, 0x100a]
    );
    // No target is in the file.
    assert_eq!((all.decisions, all.values), (2, 0));
}

#[test]
fn an_indirect_jump_is_predicted_by_the_last_one() {
    let mut events =
        Events::start(0x1000)
            .text(1, 1, 0x1000, JUMP)
            .text(2, 1, 0x2000, &text(&[NOP, JUMP]));
    for _ in 0..3 {
        events = events.target(0x2000).target(0x1000);
    }
    let events = events
        .target(0x3000)
        .text(3, 1, 0x3000, SYSCALL)
        .end(0x3000);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    let round = [0x1000, 0x2000, 0x2001];
    let expected = [&round[..], &round, &round, &[0x1000, 0x3000]].concat();
    assert_eq!(thread_path(&all, 0), expected);
    assert_eq!((all.decisions, all.values), (7, 3));
}

#[test]
fn a_return_elsewhere() {
    // 0x1000 calls 0x2000, that calls 0x3000, which returns to 0x1002, as longjmp does.
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, CALL)
        .target(0x2000)
        .text(2, 1, 0x2000, CALL)
        .target(0x3000)
        .text(3, 1, 0x3000, RET)
        .target(0x1002)
        .text(4, 1, 0x1002, RET)
        .target(0x4000)
        .text(5, 1, 0x4000, SYSCALL)
        .end(0x4000);
    let (file, _) = file_of(&[(0, events.bytes())]);
    let all = replay(&file);
    assert_eq!(
        thread_path(&all, 0),
        [0x1000, 0x2000, 0x3000, 0x1002, 0x4000]
    );
    let depths: Vec<u64> = all.steps.iter().map(|step| step.depth).collect();
    assert_eq!(depths, [0, 1, 2, 0, 0]);
}

#[test]
fn a_signal_and_its_return() {
    let back = text(&[NOP, NOP, RET]);
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, CALL)
        .target(0x2000)
        .text(2, 1, 0x2000, &text(&[NOP, NOP, NOP, RET]))
        .signal(11, 0x2001, 0x3000)
        .text(3, 1, 0x3000, &text(&[NOP, RET]))
        .target(0x3100)
        .text(4, 1, 0x3100, SYSCALL)
        .signal_return(0x3100, 0x2001)
        .text(5, 1, 0x2001, &back)
        .target(0x1002)
        .text(6, 1, 0x1002, SYSCALL)
        .end(0x1002);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    let expected = [
        0x1000, 0x2000, 0x3000, 0x3001, 0x3100, 0x2001, 0x2002, 0x2003, 0x1002,
    ];
    assert_eq!(thread_path(&all, 0), expected);
    // The targets of the call, of the handler's return, and no other.
    assert_eq!(all.values, 2);
}

#[test]
fn a_handler_that_does_not_return() {
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, CALL)
        .target(0x2000)
        .text(2, 1, 0x2000, &text(&[NOP, RET]))
        .signal(11, 0x2001, 0x3000)
        .text(3, 1, 0x3000, SYSCALL)
        .signal_return(0x3000, 0x2001)
        .text(4, 1, 0x2001, RET)
        .target(0x1002)
        .text(5, 1, 0x1002, SYSCALL)
        .end(0x1002);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    let expected = [0x1000, 0x2000, 0x3000, 0x2001, 0x1002];
    assert_eq!(thread_path(&all, 0), expected);
    // The return is predicted.
    assert_eq!(all.values, 1);
}

#[test]
fn a_signal_where_there_is_no_text() {
    // A call to address 0; and a trap, which is executed, and whose signal comes behind it.
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, CALL)
        .target(0)
        .text(2, 1, 0, &[])
        .signal(11, 0, 0x3000)
        .text(3, 1, 0x3000, &[0x90, 0xcc])
        .signal(5, 0x3002, 0x4000)
        .text(4, 1, 0x4000, NOP)
        .left(0x4001, Left::Instruction);
    assert_eq!(path_of(events), [0x1000, 0x3000, 0x3001, 0x4000]);
}

#[test]
fn calls_of_the_system_go_on() {
    let all = text(&[NOP, SYSCALL, NOP, SYSCALL, NOP, SYSCALL]);
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, &all)
        .clone_made(0x1001, 77)
        .exec(0x1004)
        .end(0x1007);
    let (file, recorded) = file_of(&[(0, events.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    let expected = [0x1000, 0x1001, 0x1003, 0x1004, 0x1006, 0x1007];
    assert_eq!(thread_path(&all, 0), expected);
    let marks = [
        Kind::Start { at: 0x1000, id: 0 },
        Kind::Clone {
            at: 0x1001,
            child: 77,
        },
        Kind::Exec { at: 0x1004 },
        Kind::End { at: 0x1007 },
    ];
    assert_eq!(all.marks, marks.map(|mark| (0, mark)));
}

#[test]
fn text_that_changes_is_named() {
    let mut events = Events::start(0x1000).text(1, 1, 0x1000, JUMP);
    let texts = [text(&[NOP, JUMP]), text(&[NOP, NOP, JUMP])];
    for (number, text) in (2..).zip(&texts) {
        events = events.target(0x2000);
        events = events.text(number, 0, 0x2000, text).enter(number);
        events = events.target(0x1000);
    }
    let events = events.target(0x2000).enter(2).target(0x1000);
    let events = events.target(0x2000).enter(2).target(0x3000);
    let events = events.text(4, 1, 0x3000, SYSCALL).end(0x3000);
    let expected = [
        &[0x1000, 0x2000, 0x2001][..],
        &[0x1000, 0x2000, 0x2001, 0x2002],
        &[0x1000, 0x2000, 0x2001],
        &[0x1000, 0x2000, 0x2001],
        &[0x3000],
    ];
    assert_eq!(path_of(events), expected.concat());
}

#[test]
fn text_that_changes_behind_a_direct_jump() {
    // jmp 0x2000, whose text jumps back; it becomes other text.
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, &[0xe9, 0xfb, 0x0f, 0, 0])
        .text(2, 0, 0x2000, &[0x90, 0xe9, 0xfa, 0xef, 0xff, 0xff])
        .enter(2)
        .enter(2)
        .text(3, 0, 0x2000, SYSCALL)
        .enter(3)
        .end(0x2000);
    let round = [0x1000, 0x2000, 0x2001];
    let expected = [&round[..], &round, &[0x1000, 0x2000]].concat();
    assert_eq!(path_of(events), expected);
}

#[test]
fn text_of_another_generation() {
    let events = Events::start(0x1000)
        .generation(0x1000, 1)
        .text(1, 1, 0x1000, JUMP)
        .target(0x2000)
        .text(2, 1, 0x2000, &text(&[NOP, JUMP]))
        .target(0x1000)
        .target(0x2000)
        .target(0x1000)
        .generation(0x1000, 2)
        .text(3, 2, 0x1000, &text(&[NOP, JUMP]))
        .target(0x2000)
        .text(4, 2, 0x2000, &text(&[NOP, NOP, SYSCALL]))
        .end(0x2002);
    let round = [0x1000, 0x2000, 0x2001];
    let last = [0x1000, 0x1001, 0x2000, 0x2001, 0x2002];
    let expected = [&round[..], &round, &last].concat();
    assert_eq!(path_of(events), expected);
}

#[test]
fn blocks_of_the_generation_before() {
    // The generation changes at 0x3000, behind 0x2000, which is executed without a decision. That has other text
    // in the new one.
    let events = Events::start(0x1000)
        .text(1, 1, 0x1000, JUMP)
        .target(0x2000)
        .text(2, 1, 0x2000, &[0x90, 0xe9, 0xfa, 0x0f, 0, 0])
        .text(3, 2, 0x2000, &[0x90, 0x90, 0xe9, 0xf9, 0x0f, 0, 0])
        .generation(0x3000, 2)
        .text(4, 2, 0x3000, SYSCALL)
        .end(0x3000);
    assert_eq!(path_of(events), [0x1000, 0x2000, 0x2001, 0x3000]);
}
