//! Tracing: from a command line to the end.

use std::io::{self, IsTerminal};

use crate::compile::Compilation;
use crate::consume::Consumer;
use crate::device::Device;
use crate::enable::{enable, go};
use crate::engine::Engine;
use crate::error::Error;
use crate::event::{Event, Events};
use crate::list;
use crate::local::Local;
use crate::options::{Mode, Options, Target as Wanted};
use crate::output::{Output, notice};
use crate::setting::Settings;
use crate::target::Target;

/// Does what `options` say; the exit code.
pub fn run(options: &Options) -> Result<u8, Error> {
    let settings = &options.settings;
    if options.mode == Mode::Trace && options.programs.is_empty() && !settings.zero_matches {
        return Err(Error::NoProbes);
    }
    let mut targets = targets(&options.targets)?;
    let target = targets.first().map_or(0, Target::pid);
    let device = Device::open()?;
    let pointer = device
        .as_ref()
        .map_or(size_of::<usize>() as u32, |it| it.conf().pointer);
    let compilation = Compilation::new(options, pointer, target)?;
    if compilation.settings.disassemble {
        list::code(&compilation)?;
    }
    let mut output = Output::open(options.output.as_deref())?;
    if options.mode == Mode::Trace && options.only_compile {
        if options.verbose {
            list::clauses(&compilation, &mut output)?;
        }
        return Ok(0);
    }
    let engine: Box<dyn Engine> = match device {
        Some(device) => Box::new(device),
        None => Box::new(Local::open()?),
    };
    match options.mode {
        Mode::List => list::probes(&*engine, &compilation, &mut output).map(|()| 0),
        _ => trace(&*engine, options, &compilation, &mut output, &mut targets),
    }
}

fn targets(wanted: &[Wanted]) -> Result<Vec<Target>, Error> {
    let target = |wanted: &Wanted| match wanted {
        Wanted::Command(command) => Target::start(command),
        Wanted::Process(pid) => Target::grab(pid),
    };
    wanted.iter().map(target).collect()
}

fn trace(
    engine: &dyn Engine,
    options: &Options,
    compilation: &Compilation,
    output: &mut Output,
    targets: &mut [Target],
) -> Result<u8, Error> {
    let settings = &compilation.settings;
    let notices = enable(engine, compilation)?;
    if options.verbose {
        list::clauses(compilation, output)?;
    }
    let events = Events::new()?;
    let began_on = go(engine, settings);
    // Not before, so that whoever waits for it finds the probes live.
    notices.iter().for_each(|it| notice(settings, it));
    let began_on = began_on?;
    for (number, target) in targets.iter().enumerate() {
        events.watch(number, target.handle()?);
        target.go_on();
    }
    let (error_clause, _) = compilation.error_clause();
    let program = &compilation.program;
    let mut consumer = Consumer::new(
        engine,
        program,
        settings,
        output,
        error_clause,
        began_on,
        events.interrupts.clone(),
    )?;
    consume(&mut consumer, settings, &events, targets)?;
    Ok(consumer.exit_status())
}

/// Consumes until a signal, the last process's end, or the program's own; then prints what is left, if
/// nobody is in a hurry.
fn consume(
    consumer: &mut Consumer<'_>,
    settings: &Settings,
    events: &Events,
    targets: &mut [Target],
) -> Result<(), Error> {
    let mut alive = targets.len();
    loop {
        match events.wait(consumer.idle()) {
            None => {}
            Some(Event::Interrupt) => {
                // The terminal has just shown a ^C.
                if io::stdout().is_terminal() {
                    consumer.end_line();
                }
                consumer.stop()?;
            }
            Some(Event::End(number)) => {
                let ended = targets.get_mut(number).map(Target::how_it_ended);
                ended.iter().for_each(|it| notice(settings, it));
                alive = alive.saturating_sub(1);
                if alive == 0 {
                    consumer.stop()?;
                }
            }
        }
        if consumer.work()? {
            break;
        }
    }
    consumer.end_line();
    if !events.interrupts.are_impatient() {
        consumer.print_rest();
    }
    consumer.flush()
}
