//! The ioctls of `/dev/dtrace`: decodes the argument struct, calls the tracer, encodes the result.
//!
//! Runs on the control path. The argument is untrusted: sizes and reserved fields are checked here,
//! the program by the tracer's verifier. What an argument refers to is in the memory of the
//! [`Caller`].

use core::ffi::c_int;

use engine_abi::{
    BufSnap, Command, Conf, Enable, EprobeDesc, Go, PROGRAM_MAX, PidArm, PidExecs, PidProbes,
    PidRange, PidSite, ProbeMatch, Program, Status, Stop, UNWIND_ROWS_MAX, Unwind, UnwindRow,
    VERSION,
};
use engine_isa::Arch;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::error::Error;
use crate::grow::{OutOfMemory, filled};
use crate::platform::Platform;
use crate::providers::pid::Created;
use crate::session::consumer::ConsumerId;
use crate::session::drain::Snapped;
use crate::session::sink::{Put, Unwritten};
use crate::site::reason::Reason;
use crate::tracer::Tracer;
use crate::unwind::tables::Object;

/// Who makes a request: the memory that its argument refers to.
pub trait Caller {
    /// Fills `to` from the caller's memory. May sleep.
    fn copy_from(&self, to: &mut [u8], from: u64) -> Result<(), BadAddress>;

    /// Copies to the caller's memory. Does not sleep, and so may fail where memory is only not
    /// present.
    fn copy_to(&self, to: u64, from: &[u8]) -> Result<(), BadAddress>;

    /// Has the caller's memory present, as far as it is there. May sleep.
    fn fault_in(&self, address: u64, size: usize) -> Result<(), BadAddress>;
}

/// The caller's memory is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAddress;

impl From<BadAddress> for Errno {
    fn from(_: BadAddress) -> Self {
        Self::BadAddress
    }
}

/// Bytes per copy to the caller.
const CHUNK: usize = 64 << 10;

/// How often a snapshot is tried before `EFAULT`. The consumer's pages are faulted in between
/// tries.
const ATTEMPTS: usize = 8;

/// The Linux error numbers that an ioctl returns (`asm-generic/errno-base.h` and `errno.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Executes ioctl `number` for a consumer. `body` holds the argument struct and receives the
    /// result.
    ///
    /// # Errors
    /// As `engine_abi` says of each request.
    pub fn ioctl(
        &self,
        id: ConsumerId,
        number: u32,
        body: &mut [u8],
        caller: &impl Caller,
    ) -> Result<(), Errno> {
        match Command::from_number(number).ok_or(Errno::NoSuchRequest)? {
            Command::Conf => self.do_conf(body_as(body)?),
            Command::Program => self.do_program(id, body_as(body)?, caller),
            Command::ProbeMatch => self.do_probe_match(body_as(body)?),
            Command::Enable => self.do_enable(id, body_as(body)?),
            Command::Go => self.do_go(id, body_as(body)?),
            Command::Stop => self.do_stop(id, body_as(body)?),
            Command::Status => self.do_status(id, body_as(body)?),
            Command::BufSnap => self.do_buf_snap(id, body_as(body)?, caller),
            Command::AggSnap => self.do_agg_snap(id, body_as(body)?, caller),
            Command::Eprobe => self.do_eprobe(id, body_as(body)?),
            Command::PidProbes => pid_probes(body_as(body)?, |body| self.pid_probes(id, body)),
            Command::PidWatch => pid_probes(body_as(body)?, |body| self.pid_watch(id, body)),
            Command::PidUnmapped => self.do_pid_unmapped(id, body_as(body)?),
            Command::PidArm => self.do_pid_arm(id, body_as(body)?),
            Command::PidSite => self.do_pid_site(id, body_as(body)?),
            Command::PidExecs => self.do_pid_execs(id, body_as(body)?),
            Command::Unwind => self.do_unwind(id, body_as(body)?, caller),
        }
    }
}

/// The requests, one each. None is inlined, so that the stack frame of `ioctl` does not hold the locals of
/// all of them.
impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    fn do_conf(&self, conf: &mut Conf) -> Result<(), Errno> {
        *conf = Conf {
            version: VERSION,
            cpus: self.cpus() as u32,
            pointer: size_of::<usize>() as u32,
            reserved: 0,
        };
        Ok(())
    }

    #[inline(never)]
    fn do_program(
        &self,
        id: ConsumerId,
        body: &Program,
        caller: &impl Caller,
    ) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        let size = body.size as usize;
        if body.size > PROGRAM_MAX || !size.is_multiple_of(size_of::<u64>()) {
            return Err(Errno::Invalid);
        }
        let mut words = filled(size / size_of::<u64>(), || 0u64)?;
        caller.copy_from(words.as_mut_bytes(), body.address)?;
        Ok(self.program(id, words)?)
    }

    #[inline(never)]
    fn do_probe_match(&self, body: &mut ProbeMatch) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        let wanted = body.description;
        body.id = self.probe_match_to(&wanted, body.id, &mut body.description)?;
        Ok(())
    }

    #[inline(never)]
    fn do_enable(&self, id: ConsumerId, body: &mut Enable) -> Result<(), Errno> {
        body.matched = self.enable(id, &body.description, body.clause)?;
        Ok(())
    }

    #[inline(never)]
    fn do_go(&self, id: ConsumerId, body: &mut Go) -> Result<(), Errno> {
        Ok(self.go(id, body)?)
    }

    #[inline(never)]
    fn do_stop(&self, id: ConsumerId, body: &mut Stop) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        body.cpu = self.stop(id)?;
        Ok(())
    }

    #[inline(never)]
    fn do_status(&self, id: ConsumerId, body: &mut Status) -> Result<(), Errno> {
        *body = self.status(id)?;
        Ok(())
    }

    #[inline(never)]
    fn do_eprobe(&self, id: ConsumerId, body: &mut EprobeDesc) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        (body.id, body.clause) = self.eprobe_to(id, body.epid, &mut body.description)?;
        Ok(())
    }

    #[inline(never)]
    fn do_unwind(&self, id: ConsumerId, body: &Unwind, caller: &impl Caller) -> Result<(), Errno> {
        if body.count > UNWIND_ROWS_MAX || body.start > body.end {
            return Err(Errno::Invalid);
        }
        let mut rows = filled(body.count as usize, UnwindRow::default)?;
        caller.copy_from(rows.as_mut_bytes(), body.rows)?;
        let object = Object {
            code: body.start..body.end,
            bias: body.bias,
            rows,
        };
        Ok(self.unwind(id, body.pid, object)?)
    }

    #[inline(never)]
    fn do_pid_site(&self, id: ConsumerId, body: &mut PidSite) -> Result<(), Errno> {
        let created = self.pid_site(id, body);
        let counts = (&mut body.provided, &mut body.refused);
        conclude(created, counts, &mut body.reason)
    }

    #[inline(never)]
    fn do_pid_execs(&self, id: ConsumerId, body: &PidExecs) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        Ok(self.pid_execs(id)?)
    }

    #[inline(never)]
    fn do_pid_unmapped(&self, id: ConsumerId, body: &PidRange) -> Result<(), Errno> {
        check_zero(body.reserved)?;
        Ok(self.pid_unmapped(id, body)?)
    }

    #[inline(never)]
    fn do_pid_arm(&self, id: ConsumerId, body: &mut PidArm) -> Result<(), Errno> {
        Ok(self.pid_arm(id, body)?)
    }

    #[inline(never)]
    fn do_buf_snap(
        &self,
        id: ConsumerId,
        body: &mut BufSnap,
        caller: &impl Caller,
    ) -> Result<(), Errno> {
        let (cpu, room) = (body.cpu as usize, body.size as usize);
        snap(body, caller, |chunk, put| {
            self.buf_snap(id, cpu, room, chunk, put)
        })
    }

    #[inline(never)]
    fn do_agg_snap(
        &self,
        id: ConsumerId,
        body: &mut BufSnap,
        caller: &impl Caller,
    ) -> Result<(), Errno> {
        let (cpu, room) = (body.cpu as usize, body.size as usize);
        snap(body, caller, |chunk, put| {
            self.agg_snap(id, cpu, room, chunk, put)
        })
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

#[inline(never)]
fn pid_probes(
    body: &mut PidProbes,
    create: impl FnOnce(&PidProbes) -> Result<Created, Error>,
) -> Result<(), Errno> {
    check_zero(body.is_open & !1)?;
    let created = create(body);
    let counts = (&mut body.provided, &mut body.refused);
    conclude(created, counts, &mut body.reason)
}

/// Says in a request what came of it.
fn conclude(
    created: Result<Created, Error>,
    (provided, refused): (&mut u32, &mut u32),
    reason: &mut [u8],
) -> Result<(), Errno> {
    match created {
        Ok(created) => {
            (*provided, *refused) = (created.provided, created.refused);
            put_reason(reason, created.reason.map_or("", Reason::sentence));
        }
        Err(Error::Bound(bound)) => put_reason(reason, bound.sentence()),
        Err(_) => {}
    }
    created.map(drop).map_err(Errno::from)
}

fn put_reason(to: &mut [u8], reason: &str) {
    let place = to.split_last_mut().map(|(_, place)| place);
    for (to, from) in place.unwrap_or_default().iter_mut().zip(reason.bytes()) {
        *to = from;
    }
}

/// Takes a snapshot of a buffer and copies it to the caller.
///
/// The control lock is held during the copy, so the copy must not wait for a page fault: if a page
/// is missing, the snapshot fails and leaves the buffer as it was, and the page is faulted in,
/// without the lock, before the next try.
fn snap(
    body: &mut BufSnap,
    caller: &impl Caller,
    take: impl Fn(&mut [u8], &mut Put<'_>) -> Result<Snapped, Error>,
) -> Result<(), Errno> {
    let mut chunk = filled(CHUNK, || 0)?;
    for _ in 0..ATTEMPTS {
        match take(&mut chunk, &mut to(caller, body.address)) {
            Err(Error::Unwritten) => caller.fault_in(body.address, body.size as usize)?,
            taken => {
                let snapped = taken?;
                (body.size, body.drops) = (snapped.bytes as u32, snapped.drops);
                return Ok(());
            }
        }
    }
    Err(Errno::BadAddress)
}

/// Returns a sink that copies successive chunks to the caller's memory from `address` on. It does
/// not sleep.
fn to(caller: &impl Caller, address: u64) -> impl FnMut(&[u8]) -> Result<(), Unwritten> {
    let mut to = address;
    move |bytes| {
        caller.copy_to(to, bytes).map_err(|_| Unwritten)?;
        to = to.wrapping_add(bytes.len() as u64);
        Ok(())
    }
}
