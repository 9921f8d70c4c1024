//! Draining: how a consumer gets its records, and learns of those it will not get.

use crate::consumer::ConsumerId;
use crate::isa::Isa;
use crate::platform::{Lock, Platform, Rcu};
use crate::ring::{Copied, Ring};
use crate::tracer::{Error, Tracer};

impl<I: Isa, P: Platform> Tracer<I, P> {
    /// Copies whole records of a CPU's buffer into `target`. They stay in the buffer until
    /// [`Tracer::release`].
    pub fn copy(&self, id: ConsumerId, cpu: usize, target: &mut [u8]) -> Result<Copied, Error> {
        self.with_ring(id, cpu, |ring| ring.copy(target))
    }

    /// Gives back the room of copied records.
    pub fn release(&self, id: ConsumerId, cpu: usize, copied: Copied) -> Result<(), Error> {
        self.with_ring(id, cpu, |ring| ring.release(copied))
    }

    /// The records that found the buffer full since the last call.
    pub fn take_drops(&self, id: ConsumerId, cpu: usize) -> Result<u32, Error> {
        self.with_ring(id, cpu, Ring::take_drops)
    }

    fn with_ring<R>(
        &self,
        id: ConsumerId,
        cpu: usize,
        work: impl FnOnce(&Ring) -> R,
    ) -> Result<R, Error> {
        let rings = self.rings.get(id.0).ok_or(Error::NoSuchConsumer)?;
        self.control.with(|_| {
            rings.read(|rings| {
                let rings = rings.ok_or(Error::WrongState)?;
                rings.of(cpu).map(work).ok_or(Error::NotFound)
            })
        })
    }
}
