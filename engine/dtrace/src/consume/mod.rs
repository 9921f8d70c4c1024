//! Drains the engine at the rates set by options, and prints what it recorded.
//!
//! Each turn of [`Consumer::work`] asks for the status, drains aggregations and drains principal
//! buffers, each if due. Buffers of the policies `ring` and `fill` are drained only after tracing
//! has stopped. Records are printed CPU by CPU, those of `BEGIN` first and those of `END` last.
//! Printing may take long, so the status is also asked for in between: the deadman takes a silent
//! consumer for dead.

mod rates;

use std::collections::HashMap;
use std::time::Duration;

use engine_abi::{BUFFER_SIZE, BufferPolicy, Record, RecordHeader, Records, Status};
use engine_dlang::program::Program;
use engine_dvm::limits::RECORD_MAX;

use crate::drops::{self, Drops};
use crate::engine::{Enabled, Engine};
use crate::error::Error;
use crate::event::Interrupts;
use crate::fault;
use crate::firing::Printer;
use crate::output::{Output, report};
use crate::setting::Settings;
use crate::user_symbols::UserSymbols;
use rates::Rates;

/// The state of consuming one trace.
pub struct Consumer<'a> {
    engine: &'a dyn Engine,
    rates: Rates,
    policy: BufferPolicy,
    /// Whether messages about drops have tags.
    drop_tags: bool,
    printer: Printer<'a>,
    interrupts: Interrupts,
    enabled: HashMap<u32, Enabled>,
    /// The clause that reports faults.
    error_clause: u32,
    status: Status,
    /// The CPU on which `BEGIN` fired, until its records were printed.
    began_on: Option<u32>,
    /// The CPU on which `END` fired, once tracing has stopped.
    ended_on: Option<u32>,
    buffer: Vec<u8>,
    /// How many snapshots make up a CPU's principal buffer.
    snapshots: u64,
    aggregated: Vec<u8>,
}

/// The largest record in bytes: a snapshot with this much room left has emptied the buffer.
const LONGEST: usize = size_of::<RecordHeader>() + RECORD_MAX as usize;

/// Which records of a buffer to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// Those of `BEGIN`.
    Begin,
    /// All others.
    Rest,
}

impl<'a> Consumer<'a> {
    /// A consumer of an engine that is tracing; `BEGIN` fired on `began_on`. Once `interrupts` are
    /// repeated it prints no more records.
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
            drop_tags: settings.drop_tags,
            printer: Printer::new(program, settings, output)?.with_pulse(move || {
                // Only to make a request: the deadman takes a silent consumer for dead.
                let _ = engine.status();
            }),
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

    /// The same, with processes that have been read already.
    pub fn with_users(mut self, users: UserSymbols) -> Self {
        self.printer.set_users(users);
        self
    }

    /// How long until something is due.
    pub fn idle(&self) -> Duration {
        self.rates.idle(self.policy)
    }

    /// The status of the last `exit()`.
    pub fn exit_status(&self) -> u8 {
        self.printer.exit_status
    }

    /// Stops tracing, unless it has stopped.
    pub fn stop(&mut self) -> Result<(), Error> {
        if self.ended_on.is_none() {
            self.ended_on = Some(self.engine.stop()?);
            self.ask_status()?;
        }
        Ok(())
    }

    /// Does what is due, or everything once tracing has stopped. Returns whether it has.
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

    /// Prints the aggregations that `printa` has not printed.
    pub fn print_rest(&mut self) {
        self.printer.print_rest();
    }

    /// Ends the line.
    pub fn end_line(&mut self) {
        self.printer.end_line();
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.printer.flush()
    }

    /// Whether the deadman ended tracing.
    pub fn was_killed(&self) -> bool {
        self.status.killed != 0
    }

    fn report_drops(&self, drops: impl IntoIterator<Item = Drops>) {
        for drops in drops {
            report(drops.text(self.drop_tags));
        }
    }

    /// Reads the status and reports new drops.
    fn ask_status(&mut self) -> Result<(), Error> {
        let status = self.engine.status()?;
        self.report_drops(drops::of_status(&self.status, &status));
        self.status = status;
        Ok(())
    }

    /// Drains the aggregations of all CPUs.
    fn aggregate(&mut self) -> Result<(), Error> {
        for cpu in 0..self.engine.conf().cpus {
            let taken = self.engine.agg_snap(cpu, &mut self.aggregated)?;
            self.report_drops(drops::of_buffer(taken.drops, "aggregation", cpu));
            let data = self.aggregated.get(..taken.bytes).unwrap_or_default();
            let mut records = Records::new(data);
            let printer = &mut self.printer;
            let added = records
                .by_ref()
                .all(|it| printer.add(it.header.epid, it.data));
            if !added || !records.rest().is_empty() {
                return Err(Error::Buffer(taken.bytes, cpu, "aggregation"));
            }
        }
        Ok(())
    }

    /// Drains and prints the records of all CPUs: those of `BEGIN` first, those of `END` last.
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

    /// Drains and prints a CPU's records; while tracing no more than one buffer's worth, lest a CPU
    /// that records faster than we print starve the others.
    fn drain_cpu(&mut self, cpu: u32) -> Result<(), Error> {
        let mut left = self.snapshots;
        loop {
            let taken = self.take(cpu)?;
            self.print(cpu, &taken, Which::All)?;
            left = left.saturating_sub(1);
            let is_enough = left == 0 || taken.len() + LONGEST <= self.buffer.len();
            let is_over = taken.is_empty() || self.interrupts.are_repeated();
            if is_over || (is_enough && self.ended_on.is_none()) {
                return Ok(());
            }
        }
    }

    fn take(&mut self, cpu: u32) -> Result<Vec<u8>, Error> {
        let taken = self.engine.buf_snap(cpu, &mut self.buffer)?;
        self.report_drops(drops::of_buffer(taken.drops, "", cpu));
        Ok(self.buffer.get(..taken.bytes).unwrap_or_default().to_vec())
    }

    fn print(&mut self, cpu: u32, data: &[u8], which: Which) -> Result<(), Error> {
        self.printer.flow.begin();
        let mut records = Records::new(data);
        let mut current = records.next();
        while let Some(record) = current {
            if self.interrupts.are_repeated() {
                return self.printer.flush();
            }
            // Printing may take long, and the deadman kills a consumer that makes no requests.
            if self.ended_on.is_none() && self.rates.status.is_due() {
                self.ask_status()?;
            }
            let enabled = self.enabled(record.header.epid)?;
            let next = records.next();
            if self.is_one(which, &enabled, &record)? {
                let next_ids = match next {
                    Some(it) => Some((it.header.epid, self.enabled(it.header.epid)?.probe.id)),
                    None => None,
                };
                self.print_one(cpu, &enabled, &record, next_ids)?;
                self.printer.flush_if_large()?;
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
        next_ids: Option<(u32, u32)>,
    ) -> Result<(), Error> {
        if enabled.clause == self.error_clause {
            let epid = fault::epid(record.data);
            report(fault::sentence(record.data, &self.enabled(epid)?));
            return Ok(());
        }
        let printed = self.printer.print(cpu, enabled, record, next_ids);
        if let Some(settings) = self.printer.changed() {
            self.rates = Rates::new(settings);
        }
        printed.ok_or(Error::Buffer(record.data.len(), cpu, "principal"))
    }

    /// Whether to print a record now. A fault in `BEGIN` counts as a record of `BEGIN`.
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
