//! The consumer: takes what the engine has recorded, at the rates that options say, and prints it.

mod rates;

use std::collections::HashMap;
use std::time::Duration;

use engine_abi::{BUFFER_SIZE, BufferPolicy, Record, RecordHeader, Records, Status};
use engine_dlang::program::Program;
use engine_dvm::limits::RECORD_MAX;

use crate::drops;
use crate::engine::{Enabled, Engine};
use crate::error::Error;
use crate::event::Interrupts;
use crate::fault;
use crate::firing::Printer;
use crate::output::{Output, tell};
use crate::setting::Settings;
use rates::Rates;

/// What is consumed, and how far.
pub struct Consumer<'a> {
    engine: &'a dyn Engine,
    rates: Rates,
    policy: BufferPolicy,
    printer: Printer<'a>,
    interrupts: Interrupts,
    enabled: HashMap<u32, Enabled>,
    /// The clause that tells of errors.
    error_clause: u32,
    status: Status,
    /// The CPU on which `BEGIN` fired, until its records were printed.
    began_on: Option<u32>,
    /// The CPU on which `END` fired.
    ended_on: Option<u32>,
    buffer: Vec<u8>,
    /// How many snapshots of this size make up a CPU's buffer.
    snapshots: u64,
    aggregated: Vec<u8>,
}

/// The most bytes of a record: where a snapshot has room for these, nothing was left behind.
const LONGEST: usize = size_of::<RecordHeader>() + RECORD_MAX as usize;

/// Which records of a buffer are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// Those of `BEGIN`.
    Begin,
    /// The others.
    Rest,
}

impl<'a> Consumer<'a> {
    /// A consumer of what `engine` records now that it traces; `BEGIN` has fired on `began_on`. When
    /// `interrupts` are impatient it prints no further record.
    pub fn new(
        engine: &'a dyn Engine,
        program: &'a Program,
        settings: &'a Settings,
        output: &'a mut Output,
        error_clause: u32,
        began_on: u32,
        interrupts: Interrupts,
    ) -> Result<Self, Error> {
        Ok(Self {
            engine,
            rates: Rates::new(settings),
            policy: settings.policy,
            printer: Printer::new(program, settings, output)?,
            interrupts,
            enabled: HashMap::new(),
            error_clause,
            status: Status::default(),
            began_on: Some(began_on),
            ended_on: None,
            buffer: vec![0; BUFFER_SIZE as usize],
            snapshots: settings.buffer_size.div_ceil(BUFFER_SIZE.into()),
            aggregated: Vec::new(),
        })
    }

    /// How long nothing is due.
    pub fn idle(&self) -> Duration {
        self.rates.idle(self.policy)
    }

    /// The status of the last `exit()`.
    pub fn exit_status(&self) -> u8 {
        self.printer.exit_status
    }

    /// Ends tracing, unless it has ended.
    pub fn stop(&mut self) -> Result<(), Error> {
        if self.ended_on.is_none() {
            self.ended_on = Some(self.engine.stop()?);
            self.ask_status()?;
        }
        Ok(())
    }

    /// Does what is due; everything, once tracing has ended. Whether it has.
    pub fn work(&mut self) -> Result<bool, Error> {
        if self.ended_on.is_none() && self.rates.status.is_due() {
            self.ask_status()?;
        }
        if self.status.ending != 0 || self.status.killed != 0 {
            self.stop()?;
        }
        let ended = self.ended_on.is_some();
        if !ended && self.policy != BufferPolicy::Switch {
            return Ok(false);
        }
        if self.rates.aggregation.is_due() || ended {
            self.aggregate()?;
        }
        if self.rates.switch.is_due() || ended {
            self.drain()?;
        }
        Ok(ended)
    }

    /// Prints the aggregations that `printa` has not.
    pub fn print_rest(&mut self) {
        self.printer.print_rest();
    }

    /// Ends a line, so that it is no other's beginning.
    pub fn end_line(&mut self) {
        self.printer.end_line();
    }

    /// Hands on what was printed.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.printer.flush()
    }

    /// Whether the engine has ended tracing because the machine suffered from it.
    pub fn was_killed(&self) -> bool {
        self.status.killed != 0
    }

    /// Asks whether tracing is to end, and tells what was lost.
    fn ask_status(&mut self) -> Result<(), Error> {
        let status = self.engine.status()?;
        drops::of_status(&self.status, &status)
            .iter()
            .for_each(tell);
        self.status = status;
        Ok(())
    }

    /// Takes what every CPU has aggregated.
    fn aggregate(&mut self) -> Result<(), Error> {
        for cpu in 0..self.engine.conf().cpus {
            let taken = self.engine.agg_snap(cpu, &mut self.aggregated)?;
            drops::of_buffer(taken.drops, "aggregation", cpu)
                .iter()
                .for_each(tell);
            let data = self.aggregated.get(..taken.bytes).unwrap_or_default();
            let mut records = Records::new(data);
            let all = &mut self.printer.aggregations;
            let added = records.by_ref().all(|it| all.add(it.header.epid, it.data));
            if !added || !records.rest().is_empty() {
                return Err(Error::Buffer(taken.bytes, cpu, "aggregation"));
            }
        }
        Ok(())
    }

    /// Takes and prints the records of every CPU: first those of `BEGIN`, last those of `END`.
    fn drain(&mut self) -> Result<(), Error> {
        let began_on = self.began_on.take();
        let mut held = None;
        if let Some(cpu) = began_on {
            if self.ended_on == Some(cpu) {
                let taken = self.take(cpu)?;
                self.print(cpu, &taken, Which::Begin)?;
                held = Some(taken);
            } else {
                self.drain_cpu(cpu)?;
            }
        }
        let ended_on = self.ended_on;
        for cpu in (0..self.engine.conf().cpus).filter(|&it| Some(it) != ended_on) {
            self.drain_cpu(cpu)?;
        }
        if let Some(cpu) = ended_on {
            if let Some(taken) = held {
                self.print(cpu, &taken, Which::Rest)?;
            }
            self.drain_cpu(cpu)?;
        }
        Ok(())
    }

    /// Prints what a CPU has recorded; once tracing has ended, all of it. Before, no more than its buffer
    /// holds, so that a CPU that records faster than this prints keeps no other waiting.
    fn drain_cpu(&mut self, cpu: u32) -> Result<(), Error> {
        let mut left = self.snapshots;
        loop {
            let taken = self.take(cpu)?;
            self.print(cpu, &taken, Which::All)?;
            left = left.saturating_sub(1);
            let is_enough = left == 0 || taken.len() + LONGEST <= self.buffer.len();
            let is_over = taken.is_empty() || self.interrupts.are_impatient();
            if is_over || (is_enough && self.ended_on.is_none()) {
                return Ok(());
            }
        }
    }

    fn take(&mut self, cpu: u32) -> Result<Vec<u8>, Error> {
        let taken = self.engine.buf_snap(cpu, &mut self.buffer)?;
        drops::of_buffer(taken.drops, "", cpu).iter().for_each(tell);
        Ok(self.buffer.get(..taken.bytes).unwrap_or_default().to_vec())
    }

    fn print(&mut self, cpu: u32, data: &[u8], which: Which) -> Result<(), Error> {
        self.printer.flow.begin();
        let mut records = Records::new(data);
        let mut current = records.next();
        while let Some(record) = current {
            if self.interrupts.are_impatient() {
                return self.printer.flush();
            }
            // Much may have to be printed: who asks for nothing all the while is taken for dead.
            if self.ended_on.is_none() && self.rates.status.is_due() {
                self.ask_status()?;
            }
            let enabled = self.enabled(record.header.epid)?;
            let next = records.next();
            if self.is_one(which, &enabled, &record)? {
                let behind = match next {
                    Some(it) => Some((it.header.epid, self.enabled(it.header.epid)?.probe.id)),
                    None => None,
                };
                self.print_one(cpu, &enabled, &record, behind)?;
                self.printer.flush_much()?;
            }
            self.printer.flow.pass(record.header.epid, &enabled);
            current = next;
        }
        match records.rest().len() {
            0 => self.printer.flush(),
            bytes => Err(Error::Buffer(bytes, cpu, "principal")),
        }
    }

    fn print_one(
        &mut self,
        cpu: u32,
        enabled: &Enabled,
        record: &Record<'_>,
        behind: Option<(u32, u32)>,
    ) -> Result<(), Error> {
        if enabled.clause == self.error_clause {
            let epid = fault::epid(record.data);
            tell(fault::sentence(record.data, &self.enabled(epid)?.probe));
            return Ok(());
        }
        let printed = self.printer.print(cpu, enabled, record, behind);
        printed.ok_or(Error::Buffer(record.data.len(), cpu, "principal"))
    }

    /// Whether a record is one of these: what was wrong in `BEGIN` belongs to it.
    fn is_one(
        &mut self,
        which: Which,
        enabled: &Enabled,
        record: &Record<'_>,
    ) -> Result<bool, Error> {
        let origin = match enabled.clause == self.error_clause {
            true => self.enabled(fault::epid(record.data))?,
            false => *enabled,
        };
        let names = &origin.probe.description;
        let is_begin = names.provider() == b"dtrace" && names.name() == b"BEGIN";
        Ok(which == Which::All || is_begin == (which == Which::Begin))
    }

    fn enabled(&mut self, epid: u32) -> Result<Enabled, Error> {
        if let Some(known) = self.enabled.get(&epid) {
            return Ok(*known);
        }
        let enabled = self.engine.eprobe(epid)?;
        self.enabled.insert(epid, enabled);
        Ok(enabled)
    }
}

#[cfg(test)]
mod tests;
