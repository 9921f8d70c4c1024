//! The engine's state.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize};

use engine_isa::Arch;

use crate::control::Control;
use crate::fire::guard::Cpu;
use crate::fire::live::Live;
use crate::grow::{Boxed, OutOfMemory, filled, push};
use crate::platform::{Lock, Platform, Rcu};
use crate::providers::fbt::calls::Calls;
use crate::providers::pid::held::Held;
use crate::providers::proc::once::Once;
use crate::providers::syscall::in_flight::InFlight;
use crate::registry::Registry;
use crate::session::Session;
use crate::session::consumer::CONSUMERS_MAX;
use crate::site::patch::Batch;
use crate::site::slots::Slots;
use crate::spin;

/// The probe engine. `control` is the control lock; the rest is read or updated by firings.
pub struct Tracer<A: Arch, P: Platform<Regs = A::Regs>> {
    pub(crate) platform: P,
    pub(crate) control: P::Lock<Control<A>>,
    pub(crate) live: P::Rcu<Live<A>>,
    /// [`CONSUMERS_MAX`] entries, one per consumer number; on the heap, as an array of them would
    /// not fit a kernel stack.
    pub(crate) sessions: Vec<P::Rcu<Session<P>>>,
    pub(crate) cpus: Vec<Cpu<P>>,
    pub(crate) in_flight: InFlight,
    pub(crate) once: Once,
    pub(crate) held: Held,
    /// Number of active consumers; the deadman's threads stop at 0.
    pub(crate) active: AtomicUsize,
    /// Consumers that the deadman has killed: `stalled` for leaving a CPU's threads no time,
    /// `silent` for making no request.
    pub(crate) stalled: AtomicUsize,
    pub(crate) silent: AtomicUsize,
    /// Ticks for which a CPU may fire without a heartbeat; 0 is no limit.
    pub(crate) stall_limit: AtomicU32,
}

/// Frees the slots, and closes the address spaces, that remain if the live table could not be replaced
/// for lack of memory.
impl<A: Arch, P: Platform<Regs = A::Regs>> Drop for Tracer<A, P> {
    fn drop(&mut self) {
        self.control.with(|control| {
            control.registry.pid.close_rest(&self.platform);
            control.slots.release(&self.platform);
        });
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Creates an engine that provides every function of `platform` and has nothing armed.
    #[inline(never)]
    pub fn new(platform: P) -> Result<Self, OutOfMemory> {
        platform.with_irqs_off(|| spin::calibrate(|| platform.now()));
        let mut cpus = Vec::new();
        for _ in 0..platform.cpus() {
            push(&mut cpus, Cpu::new()?)?;
        }
        let consumers = filled(CONSUMERS_MAX, || None)?;
        Ok(Self {
            control: P::Lock::new(Control {
                registry: Self::registry(&platform)?,
                slots: Slots::default(),
                batch: Batch::new()?,
                calls: Calls::default(),
                incomplete: 0,
                consumers,
            }),
            live: P::Rcu::empty(),
            sessions: filled(CONSUMERS_MAX, P::Rcu::empty)?,
            cpus,
            in_flight: InFlight::new()?,
            once: Once::new()?,
            held: Held::new()?,
            active: AtomicUsize::new(0),
            stalled: AtomicUsize::new(0),
            silent: AtomicUsize::new(0),
            stall_limit: AtomicU32::new(0),
            platform,
        })
    }

    /// Apart from [`Tracer::new`], as each move costs its size in stack.
    #[inline(never)]
    fn registry(platform: &P) -> Result<Boxed<Registry<A>>, OutOfMemory> {
        Boxed::new(Registry::provide(platform)?)
    }

    /// Number of possible CPUs, numbered from 0.
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }
}
