//! Tests of speculations together with principal buffers.

use std::vec::Vec;

use engine_abi::{BufferPolicy, Records};

use super::*;
use crate::session::ring::Rings;

struct Fixture {
    speculations: Speculations,
    rings: Rings,
}

fn fixture(count: usize, bytes: usize) -> Fixture {
    Fixture {
        speculations: Speculations::new(count, 2, bytes).unwrap(),
        rings: Rings::new(2, 256, BufferPolicy::Switch, 0).unwrap(),
    }
}

impl Fixture {
    fn record(&self, number: u64, cpu: u32, epid: u32) -> bool {
        let header = RecordHeader {
            epid,
            size: 24,
            timestamp: 1,
        };
        let Some(reservation) = self.speculations.open(number, cpu, header) else {
            return false;
        };
        self.speculations
            .write(reservation, cpu, 16, &epid.to_ne_bytes());
        self.speculations.close(reservation, cpu);
        true
    }

    fn commit(&self, number: u64, cpu: u32, now: u64) {
        let ring = self.rings.of(cpu as usize).unwrap();
        self.speculations.commit(number, cpu, now, ring);
    }

    /// EPID and timestamp of each record drained from a CPU.
    fn drain(&self, cpu: usize, room: usize) -> Vec<(u32, u64)> {
        let (mut chunk, mut got) = ([0; 16], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut sink = Sink::new(room, &mut chunk, &mut put);
        self.speculations.settle(|| {});
        let ring = self.rings.of(cpu).unwrap();
        let copied = ring.copy(&mut sink).unwrap();
        self.speculations.copy(cpu, &mut sink).unwrap();
        sink.flush().unwrap();
        ring.release(copied);
        self.speculations.release(cpu);
        Records::new(&got)
            .map(|record| {
                assert_eq!(record.data[..4], record.header.epid.to_ne_bytes());
                (record.header.epid, record.header.timestamp)
            })
            .collect()
    }
}

#[test]
fn a_commit_on_the_only_cpu_moves_records_at_once() {
    let it = fixture(1, 256);
    let number = it.speculations.speculation();
    assert_eq!(number, 1);
    assert!(it.record(1, 0, 5) && it.record(1, 0, 6));
    assert_eq!(it.drain(0, 256), [], "not committed yet");
    it.commit(1, 0, 9);
    assert_eq!(it.speculations.speculation(), 1, "free at once");
    assert_eq!(it.drain(0, 256), [(5, 9), (6, 9)]);
}

#[test]
fn records_of_several_cpus_are_drained_once_before_it_is_free() {
    let it = fixture(1, 256);
    it.speculations.speculation();
    assert!(it.record(1, 0, 5) && it.record(1, 1, 6));
    it.commit(1, 0, 9);
    it.commit(1, 1, 10);
    assert!(!it.record(1, 1, 7), "committed");
    assert_eq!(it.drain(0, 256), [(5, 9)]);
    assert_eq!(it.speculations.speculation(), 0);
    assert_eq!(it.speculations.counts().busy, 1);
    assert_eq!(it.drain(1, 256), [(6, 9)]);
    assert_eq!(it.drain(1, 256), []);
    assert_eq!(it.speculations.speculation(), 1);
}

#[test]
fn a_cpu_without_records_can_commit() {
    let it = fixture(1, 256);
    it.speculations.speculation();
    it.record(1, 1, 6);
    it.commit(1, 0, 9);
    assert_eq!(
        (it.drain(0, 256), it.drain(1, 256)),
        (Vec::new(), Vec::from([(6, 9)]))
    );
}

#[test]
fn a_small_buffer_drains_in_several_reads() {
    let it = fixture(1, 256);
    it.speculations.speculation();
    (1..6).for_each(|epid| assert!(it.record(1, 1, epid)));
    it.commit(1, 0, 9);
    let parts: Vec<_> = (0..4).map(|_| it.drain(1, 50)).collect();
    assert_eq!(
        parts.concat(),
        (1..6).map(|epid| (epid, 9)).collect::<Vec<_>>()
    );
    assert_eq!(parts[3], []);
}

#[test]
fn discarded_records_are_never_drained() {
    let it = fixture(2, 256);
    let (one, other) = (it.speculations.speculation(), it.speculations.speculation());
    assert!(it.record(one, 0, 1) && it.record(other, 0, 2) && it.record(other, 1, 3));
    it.speculations.discard(one, 0);
    assert_eq!(
        it.speculations.speculation(),
        one,
        "no other CPU wrote to it"
    );
    it.speculations.discard(other, 0);
    assert_eq!(it.speculations.speculation(), 0);
    assert_eq!(
        (it.drain(0, 256), it.drain(1, 256)),
        (Vec::new(), Vec::new())
    );
    assert_eq!(it.speculations.speculation(), other);
    it.commit(other, 0, 9);
    assert_eq!(it.drain(0, 256), [], "emptied before reuse");
    assert_eq!(
        it.speculations.counts(),
        Counts {
            busy: 1,
            ..Counts::default()
        }
    );
}

#[test]
fn all_in_use_is_unavailable_not_busy() {
    let it = fixture(1, 256);
    assert_eq!(
        (it.speculations.speculation(), it.speculations.speculation()),
        (1, 0)
    );
    assert_eq!(
        it.speculations.counts(),
        Counts {
            unavailable: 1,
            ..Counts::default()
        }
    );
}

#[test]
fn a_full_part_counts_drops_and_invalid_numbers_are_ignored() {
    let it = fixture(1, 55);
    it.speculations.speculation();
    let kept = (0..4).filter(|&epid| it.record(1, 0, epid)).count();
    assert_eq!((kept, it.speculations.counts().drops), (2, 2));
    for number in [0, 2, u64::MAX] {
        assert!(!it.record(number, 0, 1));
        it.commit(number, 0, 1);
        it.speculations.discard(number, 0);
    }
    assert!(!it.record(1, 2, 1), "no such CPU");
    assert_eq!(it.speculations.counts().drops, 2);
}

#[test]
fn a_commit_to_a_full_principal_buffer_counts_its_drops() {
    let it = fixture(1, 1024);
    it.speculations.speculation();
    (0..12).for_each(|epid| assert!(it.record(1, 0, epid)));
    it.commit(1, 0, 9);
    assert_eq!(it.rings.of(0).unwrap().take_drops(), 2);
    assert_eq!(it.drain(0, 256).len(), 10);
}
