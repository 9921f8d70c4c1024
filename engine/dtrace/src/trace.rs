//! Tracing, from the parsed command line to the exit code.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::rc::Rc;

use engine_abi::{Description, Opened};
use engine_dlang::kernel::Kernel;
use engine_dlang::signature::Signatures;

use crate::compile::Compilation;
use crate::consume::Consumer;
use crate::device::Device;
use crate::enable::{enable, go, needs_no_kernel};
use crate::engine::{Absence, Engine};
use crate::error::Error;
use crate::event::{Event, Events};
use crate::inside::{self, Inside};
use crate::kernel::Running;
use crate::list;
use crate::local::Local;
use crate::options::{Mode, Options, Target as Wanted};
use crate::output::{Output, notice, report};
use crate::process_probes;
use crate::setting::{ProcessMechanism, Settings};
use crate::sources::Surroundings;
use crate::target::Target;
use crate::unwind;
use crate::user_symbols::{self, UserSymbols};

/// Runs the command. Returns its exit code.
pub fn run(options: &Options) -> Result<u8, Error> {
    let settings = &options.settings;
    if options.mode == Mode::Trace && options.programs.is_empty() && !settings.zero_matches {
        return Err(Error::NoProbes);
    }
    let mut targets = targets(&options.targets)?;
    let target = targets.first().map_or(0, Target::pid);
    let device = match options.only_compile {
        true => Device::open(),
        false => Device::open_or_load(),
    };
    let device = device?.map(Rc::new);
    let pointer = device
        .as_ref()
        .map_or(size_of::<usize>() as u32, |it| it.conf().pointer);
    let kernel: Rc<dyn Kernel> = Rc::new(Running::new(
        device.as_ref().ok().cloned(),
        settings.types.clone(),
    ));
    check_data_model(options, pointer)?;
    let lookup = |pattern: &Description, from| match &device {
        Ok(device) => device.probe_match(pattern, from),
        Err(absence) => Local::open(*absence)?.probe_match(pattern, from),
    };
    let around = Surroundings {
        pointer,
        target,
        lookup: &lookup,
        kernel: kernel.clone(),
    };
    let compilation = Compilation::new(options, &around)?;
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
    let program = &compilation.program;
    let reads_users = user_symbols::are_used(program) || user_symbols::are_walked(program);
    let named = named(&compilation, &targets);
    let lists_targets = options.mode == Mode::List && compilation.count() == 0;
    let is_read =
        |target: &&mut Target| reads_users || lists_targets || named.contains(&target.pid());
    for target in targets.iter_mut().filter(is_read) {
        target.run_to_entry()?;
    }
    let engine = engine(device, options, &compilation, &mut targets)?;
    if let Some(absence) = engine.absence().filter(|_| !engine.traces_processes())
        && user_symbols::are_walked(&compilation.program)
    {
        let message = format!("user stacks need the module: {absence}");
        return Err(Error::Device(message));
    }
    match options.mode {
        Mode::List => {
            let signatures = options.verbose.then(|| Signatures::new(pointer, kernel));
            let pids: Vec<u32> = targets.iter().map(Target::pid).collect();
            list::probes(&*engine, &compilation, &pids, signatures, &mut output).map(|()| 0)
        }
        _ => trace(&*engine, options, &compilation, &mut output, &mut targets),
    }
}

/// Programs have the kernel's data model; `-32` and `-64` only say which one is expected.
fn check_data_model(options: &Options, pointer: u32) -> Result<(), Error> {
    match options.pointer {
        Some(expected) if expected != pointer => Err(Error::DataModel(8 * expected, 8 * pointer)),
        _ => Ok(()),
    }
}

/// The processes that a program has descriptions of probes in, as far as it names them: those of a
/// pattern may be in any process, and are in the targets.
fn named(compilation: &Compilation, targets: &[Target]) -> BTreeSet<u32> {
    let descriptions = compilation.clauses().flat_map(|it| &it.1.descriptions);
    let pids = descriptions.flat_map(|(_, description)| {
        process_probes::named(description, targets.iter().map(Target::pid))
    });
    pids.collect()
}

/// The kernel's engine; if that is unavailable, one in the process that the program names, or one in
/// this process.
fn engine(
    device: Result<Rc<Device>, Absence>,
    options: &Options,
    compilation: &Compilation,
    targets: &mut [Target],
) -> Result<Rc<dyn Engine>, Error> {
    let mut processes = named(compilation, targets);
    if options.mode == Mode::List && compilation.count() == 0 {
        processes.extend(targets.iter().map(Target::pid));
    }
    let mechanism = compilation.settings.process_mechanism;
    let is_inline = mechanism == ProcessMechanism::Inline && !processes.is_empty();
    let absence = match device {
        Ok(device) if !is_inline => return Ok(device),
        Ok(_) => Absence::Unwanted,
        Err(absence) => absence,
    };
    let needs_kernel =
        processes.is_empty() && (options.mode == Mode::List || !needs_no_kernel(compilation));
    announce(absence, needs_kernel, &compilation.settings)?;
    let pid = match Vec::from_iter(processes)[..] {
        [] => return Ok(Rc::new(Local::open(absence)?)),
        [pid] => pid,
        ref several => return Err(Error::SeveralProcesses(several.to_vec())),
    };
    let own = targets.iter().find(|target| target.pid() == pid);
    let command = std::process::id();
    let begun = match own.filter(|target| target.is_at_entry()) {
        Some(target) => {
            let has_jumps = mechanism != ProcessMechanism::Trap && target.is_held();
            target.while_stopped(|| inside::inject(pid, command, has_jumps, absence))
        }
        None => inside::apart(pid, || {
            let target = Target::grab(&pid.to_string())?;
            target.while_stopped(|| inside::inject(pid, command, false, absence))
        }),
    };
    Ok(Rc::new(Inside::open(pid, begun?, absence)?))
}

/// Reports that the kernel's engine is there but not for this user, or returns that as an error if it
/// is needed. A missing module is not an error yet: `enable` names the probe that needs it.
fn announce(absence: Absence, needs_kernel: bool, settings: &Settings) -> Result<(), Error> {
    match (absence, needs_kernel) {
        (Absence::NotLoaded | Absence::Unwanted, _) => {}
        (Absence::Forbidden, true) => return Err(Error::Device(absence.to_string())),
        (Absence::Forbidden, false) => notice(
            settings,
            format_args!("{absence}: tracing without the module"),
        ),
    }
    Ok(())
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
    // The engine need not know what it must not do.
    if !settings.destructive && compilation.program.is_destructive {
        return Err(Error::Destructive);
    }
    let (mut notices, mut processes) = enable(engine, compilation)?;
    if !settings.destructive && compilation.is_destructive() {
        return Err(Error::Destructive);
    }
    if user_symbols::are_walked(&compilation.program) {
        notices.extend(unwind::hand_over(engine, &pids(compilation, targets)));
    }
    if options.verbose {
        list::clauses(compilation, output)?;
    }
    let users = users(compilation, targets);
    let events = Events::new()?;
    let began_on = go(engine, settings);
    // Printed only now: anyone waiting for this message may rely on the probes being armed.
    notices.iter().for_each(|it| notice(settings, it));
    let began_on = began_on?;
    if let Some(device) = engine.opened().filter(|_| processes.are_watched()) {
        events.watch_opened(device);
    }
    // What was opened since the probes were created.
    processes.look_at_all(engine).iter().for_each(report);
    for (number, target) in targets.iter().enumerate() {
        events.watch(number, target.handle()?);
        target.resume();
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
    )?
    .with_users(users);
    let look = |opened| processes.look(engine, opened).iter().for_each(report);
    consume(&mut consumer, settings, &events, targets, look)?;
    processes.unmatched().iter().for_each(report);
    if consumer.was_killed() {
        return Err(Error::Unresponsive);
    }
    Ok(consumer.exit_status())
}

/// The processes that a program names, and its targets.
fn pids(compilation: &Compilation, targets: &[Target]) -> BTreeSet<u32> {
    let own = targets.iter().map(Target::pid);
    own.chain(named(compilation, targets)).collect()
}

/// The processes whose addresses the program may record, as far as they are known before it runs:
/// they may end before their first record is seen.
fn users(compilation: &Compilation, targets: &[Target]) -> UserSymbols {
    let target = targets.first().map_or(0, Target::pid);
    let users = UserSymbols::new(target, compilation.settings.no_user_symbols);
    if user_symbols::are_used(&compilation.program) {
        let pids = pids(compilation, targets);
        pids.into_iter().for_each(|pid| users.grab(pid));
    }
    users
}

/// Consumes until a signal, the last target's exit or `exit()`; then prints the remaining
/// aggregations, unless interrupted again.
fn consume(
    consumer: &mut Consumer<'_>,
    settings: &Settings,
    events: &Events,
    targets: &mut [Target],
    mut look: impl FnMut(Opened),
) -> Result<(), Error> {
    let mut alive = targets.len();
    loop {
        match events.wait(consumer.idle()) {
            None => {}
            Some(Event::Interrupt) => {
                // The terminal has echoed ^C.
                if io::stdout().is_terminal() {
                    consumer.end_line();
                }
                consumer.stop()?;
            }
            Some(Event::Opened(opened)) => look(opened),
            Some(Event::End(number)) => {
                let ended = targets.get_mut(number).map(Target::describe_end);
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
    if !events.interrupts.are_repeated() {
        consumer.print_rest();
    }
    consumer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_the_kernel_needs_privilege() {
        for (absence, needs_kernel, is_refused) in [
            (Absence::NotLoaded, false, false),
            (Absence::NotLoaded, true, false),
            (Absence::Forbidden, false, false),
            (Absence::Forbidden, true, true),
        ] {
            let announced = announce(absence, needs_kernel, &Settings::default());
            assert_eq!(announced.is_err(), is_refused, "{absence}, {needs_kernel}");
        }
    }
}
