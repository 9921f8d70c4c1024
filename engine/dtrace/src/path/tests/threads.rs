//! Several threads, and events that make no sense.

use super::kit::{Events, file_of, recorder, replay, thread_path};
use super::{CALL, JUMP, NOP, RET, SYSCALL, text};
use crate::path::file::record::{Kind, Map};

/// A thread that executes text that is another one's.
fn user() -> Events {
    Events::start(0x1000).target(0x2000).not_taken().end(0x2003)
}

/// The other one, which has translated it all.
fn owner() -> Events {
    Events::start(0x1000)
        .text(1, 1, 0x1000, JUMP)
        .target(0x2000)
        .text(2, 1, 0x2000, &text(&[NOP, &[0x74, 0xfd], SYSCALL]))
        .taken()
        .not_taken()
        .end(0x2003)
}

fn map() -> Map {
    Map {
        start: 0x1000,
        end: 0x3000,
        offset: 0x1000,
        changes: false,
        name: b"/bin/prog".to_vec(),
    }
}

#[test]
fn a_thread_executes_the_text_of_another_one() {
    let (user, owner) = (user(), owner());
    let used = [0x1000, 0x2000, 0x2001, 0x2003];
    let owned = [0x1000, 0x2000, 0x2001, 0x2000, 0x2001, 0x2003];
    let mut orders = vec![
        vec![(0, user.bytes()), (1, owner.bytes())],
        vec![(1, owner.bytes()), (0, user.bytes())],
    ];
    let pieces = user.bytes().chunks(7).map(|piece| (0, piece));
    let others = owner.bytes().chunks(13).map(|piece| (1, piece));
    let mixed = pieces.clone().zip(others.clone());
    let mixed = mixed.flat_map(|(one, other)| [one, other]);
    let rest = others.skip(pieces.len());
    orders.push(mixed.chain(rest).collect());
    for order in orders {
        let (file, recorded) = file_of(&order);
        assert_eq!(recorded.faults, []);
        let all = replay(&file);
        let mut paths = [0, 1].map(|thread| thread_path(&all, thread));
        paths.sort();
        assert_eq!(paths, [&owned[..], &used[..]].map(<[u64]>::to_vec));
    }
}

#[test]
fn threads_that_wait_for_each_other() {
    // Each has the text that the other one needs first.
    let of = |at: u64, own: u64, number| {
        let block = text(&[NOP, JUMP]);
        let all = Events::start(at).target(own);
        all.text(number, 1, own, &block).target(0x3000).end(0x3000)
    };
    let one = of(0x1000, 0x2000, 1);
    let map = map();
    let two = of(0x2000, 0x1000, 2).map(&map).text(3, 1, 0x3000, SYSCALL);
    let (file, recorded) = file_of(&[(4, one.bytes()), (9, two.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    let expected = [0x1000, 0x1001, 0x2000, 0x2001, 0x3000];
    assert_eq!(thread_path(&all, 0), expected);
    let expected = [0x2000, 0x2001, 0x1000, 0x1001, 0x3000];
    assert_eq!(thread_path(&all, 1), expected);
    assert_eq!(all.maps, [map]);
}

#[test]
fn text_becomes_changing_behind_decisions() {
    let block = text(&[NOP, &[0x74, 0xfd], SYSCALL]);
    let begin = Events::start(0x1000).text(1, 1, 0x1000, &block);
    let begin = begin.taken().taken();
    let other = Events::default().text(2, 0, 0x1000, &block);
    let rest = Events::default().taken().not_taken().end(0x1003);
    let (file, recorded) = file_of(&[(0, begin.bytes()), (1, other.bytes()), (0, rest.bytes())]);
    assert_eq!(recorded.faults, []);
    let all = replay(&file);
    assert!(all.error.is_none(), "{:?}", all.error);
    let path = thread_path(&all, 0);
    assert_eq!(path, [&[0x1000, 0x1001].repeat(4)[..], &[0x1003]].concat());
}

#[test]
fn an_area_is_used_again() {
    let (memory, mut recorder) = recorder();
    for id in [100, 200] {
        recorder.name(3, id);
        recorder.take(3, owner().bytes()).unwrap();
    }
    assert_eq!(recorder.finish().unwrap().threads, 2);
    let all = replay(&memory.0.borrow());
    assert_eq!(thread_path(&all, 0), thread_path(&all, 1));
    let starts = all.marks.iter().filter_map(|(thread, mark)| match mark {
        Kind::Start { id, .. } => Some((*thread, *id)),
        _ => None,
    });
    assert_eq!(starts.collect::<Vec<_>>(), [(0, 100), (1, 200)]);
}

#[test]
fn mappings_are_kept() {
    let map = map();
    let events = Events::start(0x1000).map(&map).text(1, 1, 0x1000, SYSCALL);
    let (file, _) = file_of(&[(0, events.end(0x1000).bytes())]);
    assert_eq!(replay(&file).maps, [map]);
}

/// The fault of events behind a first block, and that what came before is in the file.
fn fault(events: Events) -> (u64, String) {
    let (file, recorded) = file_of(&[(0, events.bytes()), (1, owner().bytes())]);
    let [fault] = &recorded.faults[..] else {
        panic!("{:?}", recorded.faults);
    };
    let all = replay(&file);
    assert!(all.error.is_none() && all.is_complete);
    assert_eq!(thread_path(&all, 0)[..2], [0x5000, 0x6000]);
    assert_eq!(thread_path(&all, 1).len(), 6);
    let lost = all.marks.iter().find(|(thread, _)| *thread == 0);
    assert!(lost.is_some());
    (fault.address, fault.why.clone())
}

fn begun() -> Events {
    Events::start(0x5000)
        .text(50, 1, 0x5000, CALL)
        .target(0x6000)
        .text(51, 1, 0x6000, &text(&[NOP, &[0x74, 0xfd], NOP, RET]))
        .not_taken()
}

#[test]
fn events_that_make_no_sense() {
    let (address, why) = fault(begun().taken().taken());
    assert_eq!(address, 0x6003);
    assert_eq!(why, "the branch at 0x6004 does not fit to the next event");
    let (_, why) = fault(begun().signal(11, 0x7777, 0x3000));
    assert_eq!(why, "0x7777 is not reached");
    let (address, why) = fault(begun().target(0x9000).taken());
    assert_eq!(address, 0x9000);
    assert_eq!(why, "its text was not recorded");
    let endless = text(&[NOP, &[0xeb, 0xfd]]);
    let events = begun().target(0x8000).text(52, 1, 0x8000, &endless);
    let (_, why) = fault(events.end(0x8100));
    assert!(why.starts_with("no decision in"), "{why}");
    let (_, why) = fault(begun().enter(99));
    assert_eq!(why, "its text was not recorded");
    let (_, why) = fault(begun().end(0x6004));
    assert_eq!(why, "the branch at 0x6004 does not fit to the next event");
}
