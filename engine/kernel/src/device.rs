//! The ioctls of `/dev/dtrace`: decodes the argument struct, calls the tracer, encodes the result.
//!
//! Runs on the control path, in the calling process. The argument is untrusted: sizes and reserved
//! fields are checked here, the program by the tracer's verifier.

use core::ffi::c_int;

use engine_abi::{
    BufSnap, Command, Conf, Enable, EprobeDesc, Go, PROGRAM_MAX, PidArm, PidProbes, PidRange,
    ProbeMatch, Program, Status, Stop, UNWIND_ROWS_MAX, Unwind, UnwindRow, VERSION,
};
use engine_tracer::unwind::tables::Object;
use engine_tracer::{
    ConsumerId, Created, Error, OutOfMemory, Put, Reason, Snapped, Tracer, Unwritten, filled,
};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::arch::Native;
use crate::cell::Platform;
use crate::ffi;

/// Bytes per copy to the consumer.
const CHUNK: usize = 64 << 10;

/// How often a snapshot is tried before `EFAULT`. The consumer's pages are faulted in between
/// tries.
const ATTEMPTS: usize = 8;

/// The Linux error numbers that an ioctl returns (`asm-generic/errno-base.h` and `errno.h`).
#[derive(Clone, Copy)]
#[repr(i32)]
pub enum Errno {
    /// EPERM
    NotAllowed = 1,
    /// ESRCH
    NotFound = 3,
    /// EIO
    NoDispatch = 5,
    /// ENOEXEC
    Foreign = 8,
    /// ENOMEM
    OutOfMemory = 12,
    /// EACCES
    Destructive = 13,
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
    /// EOPNOTSUPP
    Unsupported = 95,
}

impl Errno {
    /// The error as a kernel function returns it: negative.
    pub fn negated(self) -> c_int {
        (self as c_int).wrapping_neg()
    }
}

impl From<Error> for Errno {
    fn from(error: Error) -> Self {
        match error {
            Error::OutOfMemory => Self::OutOfMemory,
            Error::TooManyConsumers => Self::Busy,
            Error::TooManyEcbs | Error::NoRoom | Error::Bound(_) => Self::TooMuch,
            Error::NoSuchConsumer | Error::Invalid => Self::Invalid,
            Error::NotFound => Self::NotFound,
            Error::WrongState => Self::WrongState,
            Error::Unwritten => Self::BadAddress,
            Error::NoDispatch => Self::NoDispatch,
            Error::Unsupported => Self::Unsupported,
            Error::NotAllowed => Self::NotAllowed,
            Error::Foreign => Self::Foreign,
            Error::Destructive => Self::Destructive,
        }
    }
}

impl From<OutOfMemory> for Errno {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

type Engine = Tracer<Native, Platform>;

/// Executes ioctl `number` for a consumer. `body` holds the argument struct and receives the
/// result.
///
/// The handlers that call into the tracer are not inlined, so that the stack frame here does not
/// hold the locals of all of them.
pub fn request(tracer: &Engine, id: ConsumerId, number: u32, body: &mut [u8]) -> Result<(), Errno> {
    match Command::from_number(number).ok_or(Errno::NoSuchRequest)? {
        Command::Conf => conf(tracer, body_as(body)?),
        Command::Program => program(tracer, id, body_as(body)?),
        Command::ProbeMatch => probe_match(tracer, body_as(body)?),
        Command::Enable => enable(tracer, id, body_as(body)?),
        Command::Go => go(tracer, id, body_as(body)?),
        Command::Stop => stop(tracer, id, body_as(body)?),
        Command::Status => status(tracer, id, body_as(body)?),
        Command::BufSnap => buf_snap(tracer, id, body_as(body)?),
        Command::AggSnap => agg_snap(tracer, id, body_as(body)?),
        Command::Eprobe => eprobe(tracer, id, body_as(body)?),
        Command::PidProbes => pid_probes(body_as(body)?, |body| tracer.pid_probes(id, body)),
        Command::PidWatch => pid_probes(body_as(body)?, |body| tracer.pid_watch(id, body)),
        Command::PidUnmapped => pid_unmapped(tracer, id, body_as(body)?),
        Command::PidArm => pid_arm(tracer, id, body_as(body)?),
        Command::Unwind => unwind(tracer, id, body_as(body)?),
    }
}

/// `body` as the struct `T`; `EINVAL` unless the size is exactly `T`'s.
fn body_as<T: FromBytes + IntoBytes + KnownLayout + Immutable>(
    body: &mut [u8],
) -> Result<&mut T, Errno> {
    T::mut_from_bytes(body).map_err(|_| Errno::Invalid)
}

/// Rejects a reserved field that is not zero, so that it can be given a meaning later.
fn check_zero(reserved: u32) -> Result<(), Errno> {
    match reserved {
        0 => Ok(()),
        _ => Err(Errno::Invalid),
    }
}

fn conf(tracer: &Engine, conf: &mut Conf) -> Result<(), Errno> {
    *conf = Conf {
        version: VERSION,
        cpus: tracer.cpus() as u32,
        pointer: size_of::<usize>() as u32,
        reserved: 0,
    };
    Ok(())
}

#[inline(never)]
fn program(tracer: &Engine, id: ConsumerId, body: &Program) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    let size = body.size as usize;
    if body.size > PROGRAM_MAX || !size.is_multiple_of(size_of::<u64>()) {
        return Err(Errno::Invalid);
    }
    let mut words = filled(size / size_of::<u64>(), || 0u64)?;
    copy_from_user(words.as_mut_bytes(), body.address)?;
    Ok(tracer.program(id, words)?)
}

/// Fills `to` from the consumer's memory.
fn copy_from_user(to: &mut [u8], from: u64) -> Result<(), Errno> {
    // SAFETY: `to` is valid for writes of its length; the shim checks the user address.
    match unsafe { ffi::shim_copy_from_user(to.as_mut_ptr().cast(), from, to.len()) } {
        0 => Ok(()),
        _ => Err(Errno::BadAddress),
    }
}

#[inline(never)]
fn probe_match(tracer: &Engine, body: &mut ProbeMatch) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    let wanted = body.description;
    body.id = tracer.probe_match_to(&wanted, body.id, &mut body.description)?;
    Ok(())
}

#[inline(never)]
fn enable(tracer: &Engine, id: ConsumerId, body: &mut Enable) -> Result<(), Errno> {
    body.matched = tracer.enable(id, &body.description, body.clause)?;
    Ok(())
}

#[inline(never)]
fn go(tracer: &Engine, id: ConsumerId, body: &mut Go) -> Result<(), Errno> {
    Ok(tracer.go(id, body)?)
}

#[inline(never)]
fn stop(tracer: &Engine, id: ConsumerId, body: &mut Stop) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    body.cpu = tracer.stop(id)?;
    Ok(())
}

#[inline(never)]
fn status(tracer: &Engine, id: ConsumerId, body: &mut Status) -> Result<(), Errno> {
    *body = tracer.status(id)?;
    Ok(())
}

#[inline(never)]
fn eprobe(tracer: &Engine, id: ConsumerId, body: &mut EprobeDesc) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    (body.id, body.clause) = tracer.eprobe_to(id, body.epid, &mut body.description)?;
    Ok(())
}

#[inline(never)]
fn pid_probes(
    body: &mut PidProbes,
    create: impl FnOnce(&PidProbes) -> Result<Created, Error>,
) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    let created = create(body);
    match created {
        Ok(created) => {
            (body.provided, body.refused) = (created.provided, created.refused);
            put_reason(body, created.reason.map_or("", Reason::sentence));
        }
        Err(Error::Bound(bound)) => put_reason(body, bound.sentence()),
        Err(_) => {}
    }
    created.map(drop).map_err(Errno::from)
}

fn put_reason(body: &mut PidProbes, reason: &str) {
    let place = body.reason.split_last_mut().map(|(_, place)| place);
    for (to, from) in place.unwrap_or_default().iter_mut().zip(reason.bytes()) {
        *to = from;
    }
}

#[inline(never)]
fn unwind(tracer: &Engine, id: ConsumerId, body: &Unwind) -> Result<(), Errno> {
    if body.count > UNWIND_ROWS_MAX || body.start > body.end {
        return Err(Errno::Invalid);
    }
    let mut rows = filled(body.count as usize, UnwindRow::default)?;
    copy_from_user(rows.as_mut_bytes(), body.rows)?;
    let object = Object {
        code: body.start..body.end,
        bias: body.bias,
        rows,
    };
    Ok(tracer.unwind(id, body.pid, object)?)
}

#[inline(never)]
fn pid_unmapped(tracer: &Engine, id: ConsumerId, body: &PidRange) -> Result<(), Errno> {
    check_zero(body.reserved)?;
    Ok(tracer.pid_unmapped(id, body)?)
}

#[inline(never)]
fn pid_arm(tracer: &Engine, id: ConsumerId, body: &mut PidArm) -> Result<(), Errno> {
    Ok(tracer.pid_arm(id, body)?)
}

#[inline(never)]
fn buf_snap(tracer: &Engine, id: ConsumerId, body: &mut BufSnap) -> Result<(), Errno> {
    let (cpu, room) = (body.cpu as usize, body.size as usize);
    snap(body, |chunk, put| {
        tracer.buf_snap(id, cpu, room, chunk, put)
    })
}

#[inline(never)]
fn agg_snap(tracer: &Engine, id: ConsumerId, body: &mut BufSnap) -> Result<(), Errno> {
    let (cpu, room) = (body.cpu as usize, body.size as usize);
    snap(body, |chunk, put| {
        tracer.agg_snap(id, cpu, room, chunk, put)
    })
}

/// Takes a snapshot of a buffer and copies it to the consumer.
///
/// The control mutex is held during the copy, so the copy must not wait for a page fault: if a page
/// is missing, the snapshot fails and leaves the buffer as it was, and the page is faulted in,
/// without the mutex, before the next try.
fn snap(
    body: &mut BufSnap,
    take: impl Fn(&mut [u8], &mut Put<'_>) -> Result<Snapped, Error>,
) -> Result<(), Errno> {
    let mut chunk = filled(CHUNK, || 0)?;
    for _ in 0..ATTEMPTS {
        match take(&mut chunk, &mut to_user(body.address)) {
            Err(Error::Unwritten) => fault_in(body)?,
            taken => {
                let snapped = taken?;
                (body.size, body.drops) = (snapped.bytes as u32, snapped.drops);
                return Ok(());
            }
        }
    }
    Err(Errno::BadAddress)
}

fn fault_in(body: &BufSnap) -> Result<(), Errno> {
    match ffi::shim_bring_in(body.address, body.size as usize) {
        0 => Ok(()),
        _ => Err(Errno::BadAddress),
    }
}

/// Returns a sink that copies successive chunks to the consumer's memory from `address` on. It does
/// not sleep.
fn to_user(address: u64) -> impl FnMut(&[u8]) -> Result<(), Unwritten> {
    let mut to = address;
    move |bytes| {
        // SAFETY: `bytes` is valid for reads of its length; the shim checks the user address.
        match unsafe { ffi::shim_copy_to_user(to, bytes.as_ptr().cast(), bytes.len()) } {
            0 => {
                to = to.wrapping_add(bytes.len() as u64);
                Ok(())
            }
            _ => Err(Unwritten),
        }
    }
}
