//! Tests of the consumer over a fake engine.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;

use engine_abi::{
    AggregateFunction, Conf, Description, Go, PidArm, PidProbes, PidRange, PidSite, Unwind,
    UnwindRow,
};
use engine_dlang::program::{Action, Aggregation, Clause, Field, FieldType};
use engine_dlang::stability::DEFAULT;
use zerocopy::IntoBytes;

use super::*;
use crate::engine::{Probe, Snapshot};

/// EPIDs 1 to 4 are `BEGIN`, `END`, `ERROR` and `tick`, each with the clause one less.
const NAMES: [&[u8]; 4] = [b"BEGIN", b"END", b"ERROR", b"tick"];

/// An engine with two CPUs and a fixed set of records.
#[derive(Default)]
struct Fake {
    records: [RefCell<Vec<u8>>; 2],
    aggregated: [RefCell<Vec<u8>>; 2],
    ended_on: u32,
    is_ending: Cell<bool>,
    interrupts: Interrupts,
}

impl Fake {
    fn record(&self, cpu: usize, epid: u32, data: &[u64]) {
        put(&mut self.records[cpu].borrow_mut(), epid, data);
    }
}

fn put(buffer: &mut Vec<u8>, id: u32, data: &[u64]) {
    let header = RecordHeader {
        epid: id,
        size: 16 + 8 * data.len() as u32,
        timestamp: 0,
    };
    buffer.extend_from_slice(header.as_bytes());
    buffer.extend_from_slice(data.as_bytes());
}

/// Bytes of the leading whole records that fit `room`; everything, if all of it fits.
fn whole(recorded: &[u8], room: usize) -> usize {
    let fits = recorded.len() <= room;
    let records = Records::new(recorded).map(|it| it.header.size as usize);
    let ends = records.scan(0, |end, size| {
        *end += size;
        (*end <= room).then_some(*end)
    });
    if fits {
        recorded.len()
    } else {
        ends.last().unwrap_or(0)
    }
}

impl Engine for Fake {
    fn traces_processes(&self) -> bool {
        true
    }

    fn conf(&self) -> Conf {
        Conf {
            cpus: 2,
            ..Conf::default()
        }
    }

    fn probe_match(&self, _: &Description, _: u32) -> Result<Option<Probe>, Error> {
        Ok(None)
    }

    fn pid_probes(&self, _: &mut [PidProbes]) -> Result<(), (usize, Error)> {
        Ok(())
    }

    fn unwind(&self, _: &Unwind, _: &[UnwindRow]) -> Result<(), Error> {
        Ok(())
    }

    fn pid_sites(&self, _: &mut [PidSite]) -> Result<(), (usize, Error)> {
        Ok(())
    }

    fn pid_watch(&self, _: &mut PidProbes) -> Result<(), Error> {
        Ok(())
    }

    fn pid_execs(&self) -> Result<(), Error> {
        Ok(())
    }

    fn pid_unmapped(&self, _: PidRange) -> Result<(), Error> {
        Ok(())
    }

    fn pid_arm(&self, _: &mut PidArm) -> Result<(), Error> {
        Ok(())
    }

    fn program(&self, _: &[u64]) -> Result<(), Error> {
        Ok(())
    }

    fn enable(&self, _: &Description, _: u32) -> Result<u32, Error> {
        Ok(1)
    }

    fn go(&self, _: &mut Go) -> Result<(), Error> {
        Ok(())
    }

    fn stop(&self) -> Result<u32, Error> {
        Ok(self.ended_on)
    }

    fn buf_snap(&self, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Error> {
        let mut recorded = self.records[cpu as usize].borrow_mut();
        let bytes = whole(&recorded, buffer.len());
        buffer[..bytes].copy_from_slice(&recorded[..bytes]);
        recorded.drain(..bytes);
        Ok(Snapshot { bytes, drops: 0 })
    }

    fn agg_snap(&self, cpu: u32, buffer: &mut Vec<u8>) -> Result<Snapshot, Error> {
        *buffer = self.aggregated[cpu as usize].take();
        Ok(Snapshot {
            bytes: buffer.len(),
            drops: 0,
        })
    }

    fn eprobe(&self, epid: u32) -> Result<Enabled, Error> {
        let clause = epid - 1;
        let name = NAMES[clause as usize];
        let description = Description::new(b"dtrace", b"", b"", name).unwrap();
        let probe = Probe {
            id: epid,
            description,
        };
        Ok(Enabled { probe, clause })
    }

    fn status(&self) -> Result<Status, Error> {
        Ok(Status {
            ending: self.is_ending.get().into(),
            ..Status::default()
        })
    }
}

/// The captured output.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A program whose clauses trace one number each, with a sum without a key.
fn program() -> Program {
    let number = |offset| Field {
        offset,
        size: 8,
        kind: FieldType::Signed,
    };
    let clause = |actions| Clause {
        text: 0,
        line: 1,
        file: None,
        descriptions: Vec::new(),
        actions,
        is_empty: false,
        attributes: [DEFAULT; 2],
    };
    let trace = vec![Action::Trace(number(0))];
    let errors = (0..5).map(|at| Action::Trace(number(8 * at))).collect();
    Program {
        is_destructive: false,
        block: Vec::new(),
        clauses: [trace.clone(), trace.clone(), errors, trace]
            .map(clause)
            .into(),
        aggregations: vec![Aggregation {
            name: String::new(),
            function: AggregateFunction::Sum,
            parameters: [0; 4],
            keys: Vec::new(),
            key_size: 0,
            is_signed: true,
        }],
        options: Vec::new(),
        needs: Vec::new(),
    }
}

/// All output for the records of `engine`; `BEGIN` fired on `began_on`.
fn consumed(engine: &Fake, began_on: u32) -> Result<String, Error> {
    let written = Written::default();
    let mut output = Output::new("test".into(), Box::new(written.clone()));
    let program = program();
    let settings = Settings {
        quiet: true,
        ..Settings::default()
    };
    let interrupts = engine.interrupts.clone();
    let mut consumer = Consumer::new(
        engine,
        &program,
        &settings,
        &mut output,
        2,
        began_on,
        interrupts,
    )?;
    engine.is_ending.set(true);
    assert!(consumer.work()?);
    consumer.print_rest();
    consumer.flush()?;
    let bytes = written.0.borrow().clone();
    Ok(String::from_utf8(bytes).unwrap())
}

#[test]
fn begin_comes_first_and_end_last() {
    for (began_on, ended_on) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let engine = Fake {
            ended_on,
            ..Fake::default()
        };
        engine.record(began_on as usize, 1, &[1]);
        engine.record(0, 4, &[4]);
        engine.record(1, 4, &[4]);
        engine.record(ended_on as usize, 2, &[9]);
        let output = consumed(&engine, began_on).unwrap();
        assert_eq!(output, "1449", "from CPU {began_on} to CPU {ended_on}");
    }
}

#[test]
fn nothing_is_printed_after_a_second_interrupt() {
    for (times, expected) in [(1, "149"), (2, "")] {
        let engine = Fake::default();
        engine.record(0, 1, &[1]);
        engine.record(1, 4, &[4]);
        engine.record(0, 2, &[9]);
        (0..times).for_each(|_| engine.interrupts.add());
        assert_eq!(consumed(&engine, 0).unwrap(), expected);
    }
}

/// How many records of CPU 1 one drain prints, with buffers of `size` bytes.
fn switched(records: usize, size: u64) -> usize {
    let engine = Fake::default();
    (0..records).for_each(|_| engine.record(1, 4, &[7; 8 << 10]));
    let written = Written::default();
    let mut output = Output::new("test".into(), Box::new(written.clone()));
    let settings = Settings {
        quiet: true,
        buffer_size: size,
        ..Settings::default()
    };
    let program = program();
    let mut consumer = Consumer::new(
        &engine,
        &program,
        &settings,
        &mut output,
        2,
        0,
        Interrupts::default(),
    )
    .unwrap();
    assert!(!consumer.work().unwrap());
    written.0.borrow().len()
}

#[test]
fn a_switch_drains_a_large_buffer_completely() {
    assert_eq!(switched(200, 16 << 20), 200);
    assert_eq!(switched(20, 16 << 20), 20);
}

#[test]
fn a_switch_drains_at_most_one_buffer_of_a_busy_cpu() {
    assert_eq!(switched(200, 4 << 20), 63);
    assert_eq!(switched(200, 8 << 20), 126);
}

#[test]
fn aggregations_of_cpus_are_merged() {
    let engine = Fake::default();
    put(&mut engine.aggregated[0].borrow_mut(), 0, &[5]);
    put(&mut engine.aggregated[1].borrow_mut(), 0, &[7]);
    assert_eq!(consumed(&engine, 0).unwrap(), format!(" {:>16}\n", 12));
}

#[test]
fn faults_are_not_printed_with_the_output() {
    let engine = Fake::default();
    engine.record(0, 3, &[1, 0, 4, 0]);
    engine.record(0, 4, &[4]);
    assert_eq!(consumed(&engine, 0).unwrap(), "4");
}

#[test]
fn records_that_do_not_fit_the_program_are_an_error() {
    let engine = Fake::default();
    engine.record(0, 4, &[]);
    assert!(matches!(consumed(&engine, 0), Err(Error::Buffer(0, 0, _))));
    let engine = Fake::default();
    engine.records[1].borrow_mut().extend_from_slice(&[1; 24]);
    assert!(matches!(consumed(&engine, 0), Err(Error::Buffer(24, 1, _))));
    let engine = Fake::default();
    put(&mut engine.aggregated[0].borrow_mut(), 1, &[5]);
    assert!(matches!(consumed(&engine, 0), Err(Error::Buffer(24, 0, _))));
}
