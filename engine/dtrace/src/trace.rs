//! Tracing: from a command line to the end.

use engine_abi::{Description, Go};

use crate::compile::Compilation;
use crate::consume::Consumer;
use crate::device::Device;
use crate::engine::Engine;
use crate::error::Error;
use crate::event::{Event, Events};
use crate::list;
use crate::local::Local;
use crate::options::{Mode, Options, Target as Wanted};
use crate::output::{Output, tell};
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
    enable(engine, compilation)?;
    if options.verbose {
        list::clauses(compilation, output)?;
    }
    let events = Events::new()?;
    let mut how = go(settings);
    engine.go(&mut how)?;
    if how.unarmed > 0 {
        tell(format_args!(
            "{} probes were not armed: their text is no longer what it was when listed",
            how.unarmed
        ));
    }
    if settings.destructive {
        notice(settings, "allowing destructive actions");
    }
    for (number, target) in targets.iter().enumerate() {
        events.watch(number, target.handle()?);
        target.go_on();
    }
    let mut consumer = Consumer::new(
        engine,
        &compilation.program,
        settings,
        output,
        compilation.error_clause(),
        how.cpu,
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
        let mut done = false;
        match events.wait(consumer.idle()) {
            Some(Event::Interrupt) => {
                consumer.end_line();
                done = true;
            }
            Some(Event::End(number)) => {
                if let Some(target) = targets.get_mut(number) {
                    notice(settings, target.how_it_ended());
                }
                alive -= 1;
                done = alive == 0;
            }
            None => {}
        }
        if done {
            consumer.stop()?;
        }
        if consumer.work()? {
            break;
        }
    }
    consumer.end_line();
    if events.pending() != Some(Event::Interrupt) {
        consumer.print_rest();
    }
    consumer.flush()
}

/// Enables every clause, and says how many probes each program has matched.
fn enable(engine: &dyn Engine, compilation: &Compilation) -> Result<(), Error> {
    let settings = &compilation.settings;
    engine.program(&compilation.program.block)?;
    let mut total = 0u64;
    for text in 0..compilation.count() {
        let mut matched = 0u64;
        for (number, clause) in compilation.clauses().filter(|it| it.1.text == text) {
            for (_, description) in &clause.descriptions {
                match engine.enable(description, number)? {
                    0 if !settings.zero_matches => {
                        let missing = engine.without().filter(|_| needs_kernel(description));
                        return Err(match missing {
                            None => compilation.unmatched(clause, description),
                            Some(missing) => Error::Missing(*description, missing),
                        });
                    }
                    probes => matched += u64::from(probes),
                }
            }
        }
        let plural = if matched == 1 { "" } else { "s" };
        let name = compilation.name(text);
        notice(
            settings,
            format_args!("{name} matched {matched} probe{plural}"),
        );
        total += matched;
    }
    if total == 0 && !settings.zero_matches {
        return Err(Error::NoneMatched);
    }
    let clause = compilation.error_clause();
    if let Some(fault) = compilation.program.clauses.get(clause as usize) {
        for (_, description) in &fault.descriptions {
            engine.enable(description, clause)?;
        }
    }
    Ok(())
}

/// Whether a description is for more than the engine's own probes and its timers.
fn needs_kernel(description: &Description) -> bool {
    let is_own = [&b""[..], b"dtrace", b"profile"].contains(&description.provider());
    !is_own || !description.module().is_empty() || !description.function().is_empty()
}

/// What only concerns who is not to be left in quiet.
fn notice(settings: &Settings, what: impl std::fmt::Display) {
    if !settings.quiet {
        tell(what);
    }
}

/// The most bytes of a buffer.
const MOST: u64 = 1 << 30;

/// With what to trace.
fn go(settings: &Settings) -> Go {
    Go {
        buffer_size: lowered("buffer size", settings.buffer_size),
        aggregation_size: lowered("aggregation size", settings.aggregation_size),
        dynamic_size: lowered("dynamic variable size", settings.dynamic_size),
        speculations: u32::try_from(settings.speculations).unwrap_or(u32::MAX),
        speculation_size: lowered("speculation size", settings.speculation_size),
        policy: settings.policy.code(),
        ..Go::default()
    }
}

fn lowered(name: &str, size: u64) -> u32 {
    if size > MOST {
        tell(format_args!("{name} lowered to 1g"));
    }
    size.clamp(1, MOST) as u32
}
