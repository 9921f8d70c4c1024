//! Draining: how a consumer gets what was recorded, and learns of what it will not get.
//!
//! All of it is done under the control lock, and nothing that was sent is forgotten before all of it
//! arrived: what a consumer is given, it is given once, and a copy to a bad address loses nothing.

use engine_abi::{BufferPolicy, Status};
use engine_isa::Arch;

use crate::error::Error;
use crate::platform::{Lock, Platform, Rcu};
use crate::session::Session;
use crate::session::aggregation::Kept;
use crate::session::consumer::ConsumerId;
use crate::session::outlet::{Outlet, Put, Unwritten};
use crate::tracer::Tracer;

/// What came of a request for records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapped {
    /// How many bytes went out.
    pub bytes: usize,
    /// What was lost for want of room since the last request.
    pub drops: u64,
}

impl From<Unwritten> for Error {
    fn from(_: Unwritten) -> Self {
        Self::Unwritten
    }
}

impl From<Kept> for Error {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::NoRoom => Self::NoRoom,
            Kept::Unwritten => Self::Unwritten,
        }
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Sends the records of a CPU's principal buffer, and those of its that were committed elsewhere:
    /// whole ones, as many as `room` bytes have room for. They go by way of `chunk`, 8 bytes at least,
    /// with `put`.
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
            // The others are what they are named after only if nobody makes room in them.
            if session.policy != BufferPolicy::Switch && !session.activity.is_over() {
                return Ok(Snapped::default());
            }
            session.speculations.settle(|| self.platform.synchronize());
            let mut outlet = Outlet::new(room, chunk, put);
            let copied = ring.copy(&mut outlet)?;
            if copied.is_all {
                session.speculations.copy(cpu, &mut outlet)?;
            }
            let bytes = outlet.flush()?;
            ring.release(copied);
            if copied.is_all {
                session.speculations.release(cpu);
            }
            let drops = ring.take_drops().into();
            Ok(Snapped { bytes, drops })
        })
    }

    /// Sends what a CPU's aggregations were given since they were last sent, all of it or nothing, as
    /// [`Tracer::buf_snap`] does. Nothing is left when nothing comes.
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
            let mut outlet = Outlet::new(room, chunk, put);
            let now = self.platform.now();
            aggregations.copy(now, || self.platform.synchronize(), &mut outlet)?;
            let bytes = outlet.flush()?;
            aggregations.release();
            let drops = aggregations.take_drops();
            Ok(Snapped { bytes, drops })
        })
    }

    /// What the consumer has lost, and whether its tracing is to end.
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

    /// Runs `work` on the session of the consumer of this number, if it has one.
    pub(crate) fn with_session<R>(
        &self,
        number: usize,
        work: impl FnOnce(&Session<P>) -> R,
    ) -> Option<R> {
        self.sessions.get(number)?.read(|session| session.map(work))
    }
}
