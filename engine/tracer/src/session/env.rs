//! The interpreter's environment for one run of a clause: the firing and the consumer's session.
//! Fire path.

use engine_abi::RecordHeader;
use engine_dvm::limits::USER_FRAMES_MAX;
use engine_dvm::{Builtin, Destructive, Env, Held as Value, Refused, Unreadable};
use engine_isa::Arch;

use crate::fire::firing::Firing;
use crate::fire::guard::Held;
use crate::platform::{self, Platform};
use crate::session::Session;
use crate::session::ring::{Reservation, Ring};
use crate::session::speculation::SpeculationReservation;
use crate::session::variables::{Access, Locals};

/// Bytes of a record's header.
const HEAD: u32 = size_of::<RecordHeader>() as u32;

/// The record that a clause is writing.
#[derive(Clone, Copy)]
enum Open<'a> {
    /// No record is open.
    Closed,
    /// A record in this principal buffer.
    Principal(&'a Ring, Reservation),
    /// A record in a speculation.
    Speculation(SpeculationReservation),
}

/// One run of a clause.
pub struct Run<'a, A: Arch, P: Platform<Regs = A::Regs>> {
    firing: &'a Firing<'a, A, P>,
    session: &'a Session<P>,
    locals: &'a mut Locals,
    held: &'a mut Held,
    epid: u32,
    record_size: u32,
    open: Open<'a>,
    /// Bytes zeroed for what is new, that have not been charged for.
    work: usize,
}

impl<'a, A: Arch, P: Platform<Regs = A::Regs>> Run<'a, A, P> {
    /// A run of the clause with this EPID, whose record has `record_size` bytes without the header.
    pub fn new(
        firing: &'a Firing<'a, A, P>,
        session: &'a Session<P>,
        locals: &'a mut Locals,
        held: &'a mut Held,
        (epid, record_size): (u32, u32),
    ) -> Self {
        Self {
            firing,
            session,
            locals,
            held,
            epid,
            record_size,
            open: Open::Closed,
            work: 0,
        }
    }

    /// Publishes the open record. A record that is never closed, as after a fault, was not written.
    pub fn close(&mut self) {
        match self.open {
            Open::Closed => {}
            Open::Principal(ring, reservation) => ring.close(reservation),
            Open::Speculation(reservation) => {
                self.session.speculations.close(reservation, self.cpu())
            }
        }
        self.open = Open::Closed;
    }

    /// Not inlined, as are the others that hold a walk: it would be on the stack of every clause.
    #[inline(never)]
    fn user_caller(&self) -> u64 {
        let mut stack = self.firing.user_stack(&self.session.tables);
        stack.as_mut().and_then(|it| it.nth(1)).unwrap_or_default()
    }

    #[inline(never)]
    fn user_depth(&self) -> u64 {
        let stack = self.firing.user_stack(&self.session.tables);
        stack.map_or(0, |it| it.take(USER_FRAMES_MAX as usize).count() as u64)
    }

    fn cpu(&self) -> u32 {
        self.firing.cpu as u32
    }

    fn header(&self) -> RecordHeader {
        RecordHeader {
            epid: self.epid,
            size: self.record_size.wrapping_add(HEAD),
            timestamp: self.firing.now(),
        }
    }

    /// They may have been disallowed since the program was loaded.
    fn allowed(&self) -> Result<(), Refused> {
        let allows = self.firing.platform.allows_destructive();
        allows.then_some(()).ok_or(Refused)
    }

    /// The clause's time is cached, and no longer right afterwards.
    #[inline(never)]
    fn chill(&mut self, nanoseconds: u64) -> Result<(), platform::Refused> {
        let now = self.firing.platform.now();
        if !self.held.chill.takes(now, nanoseconds) {
            return Err(platform::Refused);
        }
        self.firing.platform.spin(nanoseconds);
        self.firing.forget_time();
        Ok(())
    }

    fn access<R>(&mut self, variable: u32, key: &[u8], work: impl FnOnce(Access<'_>) -> R) -> R {
        let firing = self.firing;
        work(Access {
            variables: &self.session.variables,
            locals: self.locals,
            variable,
            key,
            thread: &|| firing.task().identity(firing.cpu),
        })
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Env for Run<'_, A, P> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.firing
            .platform
            .load(address, bytes)
            .map_err(|_| Unreadable)
    }

    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.firing
            .platform
            .load_user(address, bytes)
            .map_err(|_| Unreadable)
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64 {
        match builtin {
            Builtin::Epid => self.epid.into(),
            Builtin::Stackdepth => self.firing.stack(&mut self.held.frames).len() as u64,
            Builtin::Ucaller => self.user_caller(),
            Builtin::Ustackdepth => self.user_depth(),
            _ => self.firing.builtin(builtin, index),
        }
    }

    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize {
        self.firing.text(builtin, text)
    }

    fn stack(&mut self, frames: &mut [u8]) {
        let stack = self.firing.stack(&mut self.held.frames);
        let stack = stack.iter().copied().chain(core::iter::repeat(0));
        for (bytes, pc) in frames.as_chunks_mut().0.iter_mut().zip(stack) {
            *bytes = pc.to_ne_bytes();
        }
    }

    #[inline(never)]
    fn user_stack(&mut self, words: &mut [u8]) {
        let mut words = words.as_chunks_mut().0.iter_mut();
        if let Some(first) = words.next() {
            *first = u64::from(self.firing.task().pid).to_ne_bytes();
        }
        let mut stack = self.firing.user_stack(&self.session.tables);
        for word in words {
            let frame = stack.as_mut().and_then(Iterator::next);
            *word = frame.unwrap_or_default().to_ne_bytes();
        }
    }

    fn get(&mut self, variable: u32, key: &[u8]) -> u64 {
        self.access(variable, key, |access| access.get())
    }

    fn set(&mut self, variable: u32, key: &[u8], value: u64) {
        self.access(variable, key, |mut access| access.set(value));
    }

    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> Value {
        self.access(variable, key, |access| access.get_bytes(value))
    }

    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>) {
        self.access(variable, key, |mut access| access.set_bytes(value));
    }

    fn load_part(&mut self, variable: u32, offset: u32, bytes: &mut [u8]) {
        self.access(variable, &[], |access| {
            access.get_part(offset as usize, bytes)
        });
    }

    fn store_part(&mut self, variable: u32, offset: u32, bytes: &[u8]) {
        let known = self.session.program.variable(variable);
        let size = known.map_or(0, |known| known.size as usize);
        let zeroed = self.access(variable, &[], |mut access| {
            access.set_part(size, offset as usize, bytes)
        });
        self.work = self.work.saturating_add(zeroed);
    }

    fn take_work(&mut self) -> usize {
        core::mem::take(&mut self.work)
    }

    fn open(&mut self, speculation: Option<u64>) -> bool {
        let header = self.header();
        let opened = match speculation {
            None => {
                let privileged = self.session.is_privileged(self.firing);
                let ring = self.session.rings.of(self.firing.cpu);
                ring.and_then(|ring| Some(Open::Principal(ring, ring.open(header, privileged)?)))
            }
            Some(number) => {
                let speculations = &self.session.speculations;
                speculations
                    .open(number, self.cpu(), header)
                    .map(Open::Speculation)
            }
        };
        self.open = opened.unwrap_or(Open::Closed);
        opened.is_some()
    }

    fn record(&mut self, offset: u32, bytes: &[u8]) {
        let offset = offset.saturating_add(HEAD);
        match self.open {
            Open::Closed => {}
            Open::Principal(ring, reservation) => ring.write(reservation, offset, bytes),
            Open::Speculation(reservation) => {
                self.session
                    .speculations
                    .write(reservation, self.cpu(), offset, bytes);
            }
        }
    }

    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64) {
        let (cpu, times) = (self.firing.cpu, self.firing.times);
        if times != 1 {
            return self.session.tally(cpu, aggregation, key, times);
        }
        let zeroed = self
            .session
            .aggregate(cpu, aggregation, key, (value, increment));
        self.work = self.work.saturating_add(zeroed);
    }

    fn random(&mut self) -> u64 {
        self.firing.platform.random()
    }

    fn descends_from(&mut self, pid: u64) -> bool {
        u32::try_from(pid).is_ok_and(|pid| self.firing.platform.descends_from(pid))
    }

    fn speculation(&mut self) -> u64 {
        self.session.speculations.speculation()
    }

    fn has_speculation(&self, speculation: u64) -> bool {
        self.session.speculations.has(speculation)
    }

    fn commit(&mut self, speculation: u64) {
        if let Some(ring) = self.session.rings.of(self.firing.cpu) {
            let now = self.firing.now();
            self.session
                .speculations
                .commit(speculation, self.cpu(), now, ring);
        }
    }

    fn discard(&mut self, speculation: u64) {
        if matches!(self.open, Open::Speculation(reservation) if reservation.number == speculation)
        {
            self.open = Open::Closed;
        }
        self.session.speculations.discard(speculation, self.cpu());
    }

    fn exit(&mut self) {
        // Only the first `exit` leaves a record, so there is one exit status.
        if !self.session.activity.exit() {
            self.open = Open::Closed;
        }
    }

    #[inline(never)]
    fn perform(&mut self, action: Destructive) -> Result<(), Refused> {
        self.allowed()?;
        let platform = self.firing.platform;
        let performed = match action {
            Destructive::Raise(signal) => match u32::try_from(signal) {
                Ok(signal) => platform.raise(signal),
                Err(_) => Err(platform::Refused),
            },
            Destructive::Stop => platform.stop(),
            Destructive::Chill(nanoseconds) => self.chill(nanoseconds),
            Destructive::Panic => platform.panic(self.firing.id),
            Destructive::Breakpoint => platform.breakpoint(),
        };
        performed.map_err(|_| Refused)
    }

    fn store_user(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        self.allowed()?;
        let stored = self.firing.platform.store_user(address, bytes);
        stored.map_err(|_| Refused)
    }
}
