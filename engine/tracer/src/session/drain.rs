//! Draining: how a consumer gets its records and learns of drops.
//!
//! Every request runs under the control lock and may sleep. Records are released only after all of
//! them were copied out: each is delivered once, and a failed copy loses nothing.

use engine_abi::{BufferPolicy, Status};
use engine_isa::Arch;

use crate::error::Error;
use crate::platform::{Lock, Platform, Rcu};
use crate::session::Session;
use crate::session::aggregation::NotTaken;
use crate::session::consumer::ConsumerId;
use crate::session::sink::{Put, Sink, Unwritten};
use crate::tracer::Tracer;

/// The outcome of a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapped {
    /// Bytes copied out.
    pub bytes: usize,
    /// Records or values dropped since the last snapshot.
    pub drops: u64,
}

impl From<Unwritten> for Error {
    fn from(_: Unwritten) -> Self {
        Self::Unwritten
    }
}

impl From<NotTaken> for Error {
    fn from(reason: NotTaken) -> Self {
        match reason {
            NotTaken::NoRoom => Self::NoRoom,
            NotTaken::Unwritten => Self::Unwritten,
        }
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Copies out whole records of a CPU's principal buffer, as many as fit `room` bytes, and after
    /// them this CPU's records in speculations that other CPUs committed. `chunk`, at least 8
    /// bytes, is a bounce buffer for `put`. May sleep.
    pub fn buf_snap(
        &self,
        id: ConsumerId,
        cpu: usize,
        room: usize,
        chunk: &mut [u8],
        put: &mut Put<'_>,
    ) -> Result<Snapped, Error> {
        self.with_tracing(id, |session| {
            let ring = session.rings.of(cpu).ok_or(Error::NotFound)?;
            // A `ring` or `fill` buffer must not be drained while tracing: draining would make room
            // in it.
            if session.policy != BufferPolicy::Switch && !session.activity.is_over() {
                return Ok(Snapped::default());
            }
            session.speculations.settle(|| self.platform.synchronize());
            let mut sink = Sink::new(room, chunk, put);
            let copied = ring.copy(&mut sink)?;
            if copied.is_all {
                session.speculations.copy(cpu, &mut sink)?;
            }
            let bytes = sink.flush()?;
            ring.release(copied);
            if copied.is_all {
                session.speculations.release(cpu);
            }
            let drops = ring.take_drops().into();
            Ok(Snapped { bytes, drops })
        })
    }

    /// Copies out a CPU's aggregations since the last snapshot: all or none (`NoRoom`). The
    /// arguments are those of [`Tracer::buf_snap`]. May sleep.
    pub fn agg_snap(
        &self,
        id: ConsumerId,
        cpu: usize,
        room: usize,
        chunk: &mut [u8],
        put: &mut Put<'_>,
    ) -> Result<Snapped, Error> {
        self.with_tracing(id, |session| {
            let aggregations = session.aggregations(cpu).ok_or(Error::NotFound)?;
            let mut sink = Sink::new(room, chunk, put);
            let now = self.platform.now();
            aggregations.copy(now, || self.platform.synchronize(), &mut sink)?;
            let bytes = sink.flush()?;
            aggregations.release();
            let drops = aggregations.take_drops();
            Ok(Snapped { bytes, drops })
        })
    }

    /// The drop and error counts, and whether tracing is about to end. May sleep.
    pub fn status(&self, id: ConsumerId) -> Result<Status, Error> {
        self.with_tracing(id, |session| {
            session.speculations.settle(|| self.platform.synchronize());
            Ok(session.status())
        })
    }

    fn with_tracing<R>(
        &self,
        id: ConsumerId,
        work: impl FnOnce(&Session<P>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.control.with(|control| {
            control.consumer(id)?;
            let work = |session: &Session<P>| {
                session.ask();
                work(session)
            };
            self.with_session(id.0, work).ok_or(Error::WrongState)?
        })
    }

    /// Runs `work` on a consumer's session, if it has one. Fire path and control side.
    pub(crate) fn with_session<R>(
        &self,
        number: usize,
        work: impl FnOnce(&Session<P>) -> R,
    ) -> Option<R> {
        self.sessions.get(number)?.read(|session| session.map(work))
    }
}
