//! From what is enabled to the live table.

use core::sync::atomic::AtomicUsize;

use engine_isa::Arch;

use crate::control::Control;
use crate::fire::live::{self, Live, LiveEcb, Timer};
use crate::grow::OutOfMemory;
use crate::probe::Role;
use crate::probe::ecb::Enabling;
use crate::providers::fbt::{Fbt, Function};
use crate::providers::proc::{Proc, Procs};
use crate::providers::syscall::index::Syscall;
use crate::registry::{Probe, Registry};
use crate::session::consumer::Consumer;
use crate::site::Site;
use crate::site::resume;

/// The live table for the active ECBs, and for what is armed without any.
pub(crate) fn survey<A: Arch>(control: &mut Control<A>) -> Result<Live<A>, OutOfMemory> {
    let registry = &mut control.registry;
    let sites = registry.fbt.enabled();
    let live_sites = sites.filter(|(function, site)| is_live(function, site));
    let mut live = Live::new(live_sites.count())?;
    add_functions(&mut registry.fbt, &mut live)?;
    add_sites::<A>(&registry.fbt, &mut live)?;
    add_timers(registry, &mut live)?;
    add_syscalls(registry, &mut live)?;
    add_processes(&registry.procs, &mut live)?;
    for (number, consumer) in control.consumers.iter().enumerate() {
        let active = consumer.iter().filter(|consumer| consumer.is_active());
        for (epid, ecb) in active.flat_map(Consumer::ecbs) {
            let enabling = Enabling {
                epid,
                clause: ecb.clause,
            };
            let live_ecb = LiveEcb {
                consumer: number,
                enabling,
            };
            if let Some(probe) = place_of(ecb.probe, &control.registry, &live) {
                live.put(probe, live_ecb);
            }
        }
    }
    Ok(live)
}

/// Whether traps are to find it.
fn is_live<A: Arch>(function: &Function, site: &Site<A>) -> bool {
    site.armed || function.wants(site)
}

/// Where the live table has a probe.
fn place_of<A: Arch>(probe: Probe, registry: &Registry<A>, live: &Live<A>) -> Option<u32> {
    match probe {
        Probe::Own(_) => None,
        Probe::Timer(number) => Some(live.timer(number as u32)?.probe),
        Probe::Syscall(number, role) => {
            let call = registry.syscalls.calls().get(number)?;
            let call = live.syscalls().find(call.key)?;
            call.probes.get(role as usize).copied()
        }
        Probe::Process(probe) => Some(live.process(probe)),
        Probe::Function(number, role) => {
            let function = registry.fbt.functions().get(number)?;
            let function = live.function(function.live?)?;
            function.probes.get(role as usize).copied()
        }
    }
}

/// Adds the functions that have a probe which is wanted, and to each function its number there.
fn add_functions<A: Arch>(fbt: &mut Fbt<A>, live: &mut Live<A>) -> Result<(), OutOfMemory> {
    let mut module = None;
    for place in 0..fbt.listed().len() {
        let number = fbt.listed().get(place).map(|number| *number as usize);
        let Some((number, function)) = number.and_then(|n| Some((n, fbt.functions().get(n)?)))
        else {
            continue;
        };
        let [module_name, name] = fbt.called(function);
        let ecbs = Role::ALL.map(|role| function.wanted(role));
        let place = if ecbs != [0; 2] {
            // Mostly functions of a module lie together, so its name is added once.
            let module_span = match module {
                Some((of, span)) if of == function.module => span,
                _ => live.add_name(module_name)?,
            };
            module = Some((function.module, module_span));
            let mut probes = [0; 2];
            for ((probe, role), ecbs) in probes.iter_mut().zip(Role::ALL).zip(ecbs) {
                let id = Probe::Function(number, role).id();
                *probe = live.add_probe(id, ecbs)?;
            }
            let names = [module_span, live.add_name(name)?];
            Some(live.add_function(live::Function { names, probes })?)
        } else {
            None
        };
        fbt.set_live(number, place);
    }
    Ok(())
}

fn add_sites<A: Arch>(fbt: &Fbt<A>, live: &mut Live<A>) -> Result<(), OutOfMemory> {
    for (function, site) in fbt
        .enabled()
        .filter(|(function, site)| is_live(function, site))
    {
        if let Some(resume) = resume::of::<A>(site) {
            live.add_site(live::Site {
                address: site.told_at(),
                resume,
                function: function.live.unwrap_or(u32::MAX),
                offset: site.address.wrapping_sub(function.address),
                is_entry: site.is_entry,
                leaves: site.leaves,
                hits: AtomicUsize::new(0),
            })?;
        }
    }
    Ok(())
}

fn add_timers<A: Arch>(registry: &Registry<A>, live: &mut Live<A>) -> Result<(), OutOfMemory> {
    let timers = registry.profile.timers().iter().enumerate();
    for (number, timer) in timers.filter(|(_, timer)| timer.ecbs > 0) {
        let id = Probe::Timer(number).id();
        let probe = live.add_probe(id, timer.ecbs)?;
        live.add_timer(Timer {
            number: number as u32,
            name: timer.name,
            probe,
        })?;
    }
    Ok(())
}

fn add_syscalls<A: Arch>(registry: &Registry<A>, live: &mut Live<A>) -> Result<(), OutOfMemory> {
    let mut abi = None;
    let programs = Role::ALL.map(|role| registry.procs.wanted(Proc::at_exec(role))) != [0; 2];
    for (number, call) in registry.syscalls.calls().iter().enumerate() {
        let ecbs = Role::ALL.map(|role| call.wanted(role));
        if ecbs == [0; 2] && !(programs && call.is_exec()) {
            continue;
        }
        let [abi_name, name] = registry.syscalls.called(call);
        // Calls of an ABI lie together, so its name is added once.
        let [of, _] = call.names;
        let abi_span = match abi {
            Some((known, span)) if known == of => span,
            _ => live.add_name(abi_name)?,
        };
        abi = Some((of, abi_span));
        let mut probes = [0; 2];
        for ((probe, role), ecbs) in probes.iter_mut().zip(Role::ALL).zip(ecbs) {
            *probe = live.add_probe(Probe::Syscall(number, role).id(), ecbs)?;
        }
        let call = Syscall {
            key: call.key,
            names: [abi_span, live.add_name(name)?],
            probes,
            ending: call.ending,
            returns: call.wanted(Role::Return) > 0,
        };
        live.syscalls_mut().add(call)?;
    }
    Ok(())
}

fn add_processes<A: Arch>(procs: &Procs, live: &mut Live<A>) -> Result<(), OutOfMemory> {
    for probe in Proc::ALL {
        let ecbs = procs.wanted(probe);
        if ecbs > 0 {
            let number = live.add_probe(Probe::Process(probe).id(), ecbs)?;
            live.set_process(probe, number);
        }
    }
    Ok(())
}
