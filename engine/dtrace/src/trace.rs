//! Listing and tracing: from descriptions to lines.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine_abi::{BUFFER_SIZE, Description, Records};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::device::{Device, Probe};
use crate::error::Error;
use crate::options::Options;
use crate::output::{Output, tell};
use crate::specifier;
use crate::workload::Workload;

/// How often buffers are drained.
const SWITCH_RATE: Duration = Duration::from_millis(100);

/// `-l`: prints the probes that match, or all.
pub fn list(options: &Options) -> Result<(), Error> {
    let descriptions = if options.specifiers.is_empty() {
        vec![Description::default()]
    } else {
        described(options)?
    };
    let device = Device::open()?;
    let mut output = Output::open(options.output.as_deref())?;
    output.list_header()?;
    let mut unmatched = None;
    for description in descriptions {
        if !list_matching(&device, &description, &mut output)? {
            unmatched.get_or_insert(Error::NoMatch(description.to_string()));
        }
    }
    output.flush()?;
    unmatched.map_or(Ok(()), Err)
}

/// Every description on the command line.
fn described(options: &Options) -> Result<Vec<Description>, Error> {
    let parsed = options.specifiers.iter().map(|it| specifier::parse(it));
    Ok(parsed.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Whether there was one.
fn list_matching(
    device: &Device,
    description: &Description,
    output: &mut Output,
) -> Result<bool, Error> {
    let mut any = false;
    for probe in device.matching(description) {
        output.list_probe(&probe?)?;
        any = true;
    }
    Ok(any)
}

/// Traces until a signal, or the end of the `-c` command.
pub fn trace(options: &Options) -> Result<(), Error> {
    let interrupted = catch_signals()?;
    let device = Device::open()?;
    let matched = enable(&device, options)?;
    let mut printer = Printer::new(&device, options)?;
    let unarmed = device.go()?;
    if !options.quiet {
        matched.iter().for_each(tell);
    }
    if unarmed > 0 {
        tell(format_args!(
            "{unarmed} probes were not armed: their text is no longer what it was when listed"
        ));
    }
    let mut workload = options
        .command
        .as_deref()
        .map(Workload::start)
        .transpose()?;
    loop {
        // Asked before draining, so that all it caused is drained.
        let ended = workload.as_mut().and_then(Workload::ended);
        if let Some(how) = ended.as_ref().filter(|_| !options.quiet) {
            tell(how);
        }
        if ended.is_some() || interrupted.load(Ordering::Relaxed) {
            break;
        }
        printer.drain()?;
        thread::sleep(SWITCH_RATE);
    }
    device.stop()?;
    while printer.drain()? {}
    printer.output.end()
}

/// A flag that any of the signals sets by which people end a trace.
fn catch_signals() -> Result<Arc<AtomicBool>, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(Error::Signal)?;
    }
    Ok(interrupted)
}

/// Enables every description; what to say of each.
fn enable(device: &Device, options: &Options) -> Result<Vec<String>, Error> {
    options
        .specifiers
        .iter()
        .map(|specifier| {
            let mut total = 0;
            for description in specifier::parse(specifier)? {
                total += match device.enable(&description)? {
                    0 => return Err(no_match(specifier, &description)),
                    matched => matched,
                };
            }
            let plural = if total == 1 { "" } else { "s" };
            Ok(format!(
                "description '{specifier}' matched {total} probe{plural}"
            ))
        })
        .collect()
}

fn no_match(specifier: &str, description: &Description) -> Error {
    let why = format!("probe description {description} does not match any probes");
    Error::Specifier {
        specifier: specifier.into(),
        why,
    }
}

/// Prints what the buffers hold.
struct Printer<'a> {
    device: &'a Device,
    output: Output,
    quiet: bool,
    buffer: Vec<u8>,
    probes: HashMap<u32, Probe>,
}

impl<'a> Printer<'a> {
    fn new(device: &'a Device, options: &Options) -> Result<Self, Error> {
        Ok(Self {
            device,
            output: Output::open(options.output.as_deref())?,
            quiet: options.quiet,
            buffer: vec![0; BUFFER_SIZE as usize],
            probes: HashMap::new(),
        })
    }

    /// Prints the records of every CPU and reports its drops; whether there were records.
    fn drain(&mut self) -> Result<bool, Error> {
        let mut any = false;
        for cpu in 0..self.device.cpus() {
            let (filled, drops) = self.device.snapshot(cpu, &mut self.buffer)?;
            any |= filled > 0;
            self.print(cpu, filled)?;
            if drops > 0 {
                let plural = if drops == 1 { "" } else { "s" };
                tell(format_args!("{drops} drop{plural} on CPU {cpu}"));
            }
        }
        self.output.flush()?;
        Ok(any)
    }

    fn print(&mut self, cpu: u32, filled: usize) -> Result<(), Error> {
        let mut records = Records::new(&self.buffer[..filled]);
        for record in records.by_ref() {
            let epid = record.header.epid;
            if !self.probes.contains_key(&epid) {
                self.probes.insert(epid, self.device.eprobe(epid)?);
            }
            if !self.quiet {
                self.output.firing(cpu, &self.probes[&epid])?;
            }
        }
        match records.rest().len() {
            0 => Ok(()),
            bytes => Err(Error::Buffer(bytes, cpu)),
        }
    }
}
