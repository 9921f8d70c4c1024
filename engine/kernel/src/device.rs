//! The requests of `/dev/dtrace`: bytes from a stranger in, a call of the tracer, bytes out.

use alloc::vec::Vec;
use core::ffi::c_int;

use engine_abi::{BufSnap, Command, Conf, Enable, EprobeDesc, Go, ProbeMatch, VERSION};
use engine_tracer::{ConsumerId, Error, OutOfMemory, Tracer};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::arch::Native;
use crate::ffi;
use crate::platform::Kernel;

/// Bytes that one copy to the consumer moves.
const CHUNK: usize = 64 << 10;

/// Linux' error numbers (`asm-generic/errno-base.h` and `errno.h`), as far as requests end in one.
#[derive(Clone, Copy)]
#[repr(i32)]
pub enum Errno {
    /// ESRCH
    NotFound = 3,
    /// ENOMEM
    OutOfMemory = 12,
    /// EFAULT
    BadAddress = 14,
    /// EBUSY
    Busy = 16,
    /// EINVAL
    Invalid = 22,
    /// ENOTTY
    NoSuchRequest = 25,
    /// ENOSPC
    TooMuch = 28,
    /// EBADFD
    WrongState = 77,
}

impl Errno {
    /// What a C function of the kernel returns for it.
    pub fn returned(self) -> c_int {
        (self as c_int).wrapping_neg()
    }
}

impl From<Error> for Errno {
    fn from(error: Error) -> Self {
        match error {
            Error::OutOfMemory => Self::OutOfMemory,
            Error::TooManyConsumers => Self::Busy,
            Error::TooManyEcbs => Self::TooMuch,
            Error::NoSuchConsumer => Self::Invalid,
            Error::NotFound => Self::NotFound,
            Error::WrongState => Self::WrongState,
        }
    }
}

impl From<OutOfMemory> for Errno {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

type Engine = Tracer<Native, Kernel>;

/// Carries out the request `number`, whose struct is in `body`, for a consumer.
pub fn request(tracer: &Engine, id: ConsumerId, number: u32, body: &mut [u8]) -> Result<(), Errno> {
    match Command::from_number(number).ok_or(Errno::NoSuchRequest)? {
        Command::Conf => conf(tracer, of(body)?),
        Command::ProbeMatch => probe_match(tracer, of(body)?),
        Command::Enable => enable(tracer, id, of(body)?),
        Command::Go => go(tracer, id, of(body)?),
        Command::Stop => Ok(tracer.stop(id)?),
        Command::BufSnap => buf_snap(tracer, id, of(body)?),
        Command::Eprobe => eprobe(tracer, id, of(body)?),
    }
}

/// The struct in `body`, which must be just that.
fn of<T: FromBytes + IntoBytes + KnownLayout + Immutable>(
    body: &mut [u8],
) -> Result<&mut T, Errno> {
    T::mut_from_bytes(body).map_err(|_| Errno::Invalid)
}

fn conf(tracer: &Engine, conf: &mut Conf) -> Result<(), Errno> {
    *conf = Conf {
        version: VERSION,
        cpus: tracer.cpus() as u32,
    };
    Ok(())
}

fn probe_match(tracer: &Engine, body: &mut ProbeMatch) -> Result<(), Errno> {
    (body.id, body.description) = tracer.probe_match(&body.description, body.id)?;
    Ok(())
}

fn enable(tracer: &Engine, id: ConsumerId, body: &mut Enable) -> Result<(), Errno> {
    body.matched = tracer.enable(id, &body.description)?;
    Ok(())
}

fn go(tracer: &Engine, id: ConsumerId, body: &mut Go) -> Result<(), Errno> {
    body.unarmed = tracer.go(id, body.buffer_size)?;
    Ok(())
}

fn eprobe(tracer: &Engine, id: ConsumerId, body: &mut EprobeDesc) -> Result<(), Errno> {
    (body.id, body.description) = tracer.eprobe(id, body.epid)?;
    Ok(())
}

/// Moves records chunk by chunk; each stays in its buffer until the consumer has it.
fn buf_snap(tracer: &Engine, id: ConsumerId, body: &mut BufSnap) -> Result<(), Errno> {
    let cpu = body.cpu as usize;
    let mut chunk = chunk()?;
    let mut moved: u32 = 0;
    loop {
        let room = body.size.wrapping_sub(moved) as usize;
        let target = chunk.get_mut(..room.min(CHUNK)).unwrap_or_default();
        let copied = tracer.copy(id, cpu, target)?;
        if copied.bytes == 0 {
            break;
        }
        let to = body.address.wrapping_add(u64::from(moved));
        // SAFETY: `copy` filled this many bytes of `chunk`; the shim checks the user's side.
        if unsafe { ffi::shim_copy_to_user(to, chunk.as_ptr().cast(), copied.bytes) } != 0 {
            // What the consumer has already, it is told of; the rest stays in the buffer.
            if moved == 0 {
                return Err(Errno::BadAddress);
            }
            break;
        }
        tracer.release(id, cpu, copied)?;
        moved = moved.wrapping_add(copied.bytes as u32);
    }
    body.size = moved;
    body.drops = u64::from(tracer.take_drops(id, cpu)?);
    Ok(())
}

fn chunk() -> Result<Vec<u8>, Errno> {
    let mut chunk = Vec::new();
    chunk
        .try_reserve_exact(CHUNK)
        .map_err(|_| Errno::OutOfMemory)?;
    while chunk.len() < chunk.capacity() {
        chunk.push(0);
    }
    Ok(chunk)
}
