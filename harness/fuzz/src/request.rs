//! Generates requests, most of them nearly valid: anything else is refused before it reaches much.

use std::ptr;

use engine_abi::{
    BufSnap, Command, Conf, Description, Enable, EprobeDesc, Go, Opened, Operand, PidArm, PidExecs,
    PidProbes, PidRange, PidSite, ProbeMatch, Program, Unwind, UnwindRow,
};
use engine_abi::{Status, Stop};
use fastrand::Rng;
use zerocopy::{FromZeros, Immutable, IntoBytes};

use crate::cliff::Cliff;
use crate::seeds::Seeds;

/// Bytes of the buffer that snapshots are copied to.
const ROOM: usize = 128 << 10;

/// One more than the largest size that a request number can encode (`_IOC_SIZEBITS`).
const BODY_MAX: usize = 1 << 14;

/// Functions that run all the time, some that only the fuzzer calls, and one that does not exist.
const FUNCTIONS: [&[u8]; 5] = [
    b"set_fs_pwd",
    b"set_fs_root",
    b"vfs_getattr*",
    b"*chdir*",
    b"nosuch",
];

/// An ioctl request.
pub struct Request {
    /// Its number.
    pub number: u32,
    /// Its argument, allocated as large as any number can claim.
    body: Vec<u8>,
    /// The argument's address, if not `body`'s.
    elsewhere: Option<u64>,
    /// The program that `body` points to, kept alive with it.
    _program: Vec<u8>,
}

impl Request {
    fn new(command: Command, of: &(impl IntoBytes + Immutable), program: Vec<u8>) -> Self {
        let mut body = vec![0; BODY_MAX];
        of.write_to_prefix(&mut body).ok();
        Self {
            number: command.number(),
            body,
            elsewhere: None,
            _program: program,
        }
    }

    fn program(program: Vec<u8>) -> Self {
        let body = Program {
            address: program.as_ptr().expose_provenance() as u64,
            size: program.len() as u32,
            reserved: 0,
        };
        Self::new(Command::Program, &body, program)
    }

    /// The argument's address.
    pub fn address(&mut self) -> *mut u8 {
        match self.elsewhere {
            Some(address) => ptr::with_exposed_provenance_mut(address as usize),
            None => self.body.as_mut_ptr(),
        }
    }

    /// The argument's size, as encoded in the number.
    fn size(&self) -> usize {
        self.number as usize >> 16 & (BODY_MAX - 1)
    }
}

/// Generates requests.
pub struct Maker<'a> {
    seeds: &'a Seeds,
    cliff: &'a Cliff,
    room: Vec<u8>,
}

impl<'a> Maker<'a> {
    /// Programs come from `seeds`, bad addresses from `cliff`.
    pub fn new(seeds: &'a Seeds, cliff: &'a Cliff) -> Self {
        Self {
            seeds,
            cliff,
            room: vec![0; ROOM],
        }
    }

    /// A valid program, with three clauses enabled; one in three on functions, so that it fires.
    pub fn valid_start(&self, prng: &mut Rng) -> Vec<Request> {
        let program = Request::program(self.seeds.valid(prng));
        let enabled = (0..3).map(|clause| {
            let mut body = Enable::new_zeroed();
            body.description = match prng.u32(..3) {
                0 => of_functions(prng),
                _ => description(prng),
            };
            body.clause = clause;
            Request::new(Command::Enable, &body, Vec::new())
        });
        std::iter::once(program).chain(enabled).collect()
    }

    /// Any request.
    pub fn request(&mut self, prng: &mut Rng) -> Request {
        let command = Command::ALL[prng.usize(..Command::ALL.len())];
        let mut request = self.nearly_valid(command, prng);
        match prng.u32(..24) {
            0 => request.number = prng.u32(..),
            1 => request.number ^= 1 << prng.u32(..32),
            2 | 3 => {
                let size = request.size();
                prng.fill(&mut request.body[..size]);
            }
            4 => request.elsewhere = Some(self.cliff.bad_address(request.size(), prng)),
            _ => {}
        }
        request
    }

    /// A struct of the right type, whose fields are often valid.
    fn nearly_valid(&mut self, command: Command, prng: &mut Rng) -> Request {
        let plain = |body: &dyn Body| body.request(command);
        match command {
            Command::Conf => plain(&Conf::default()),
            Command::Stop => plain(&Stop::default()),
            Command::Status => plain(&Status::default()),
            Command::ProbeMatch => {
                let mut body = ProbeMatch::new_zeroed();
                (body.description, body.id) = (description(prng), number(prng, 100));
                plain(&body)
            }
            Command::Enable => {
                let mut body = Enable::new_zeroed();
                (body.description, body.clause) = (description(prng), number(prng, 4));
                plain(&body)
            }
            Command::Eprobe => {
                let mut body = EprobeDesc::new_zeroed();
                body.epid = number(prng, 8);
                plain(&body)
            }
            Command::Go => plain(&go(prng)),
            Command::BufSnap | Command::AggSnap => plain(&self.snapshot(prng)),
            Command::Program => self.program(prng),
            Command::PidProbes | Command::PidWatch => plain(&in_process(prng)),
            Command::PidUnmapped => plain(&PidRange {
                address: 0x40_0000 + u64::from(number(prng, 1 << 16)),
                size: number(prng, 1 << 16).into(),
                pid: number(prng, 2),
                reserved: 0,
            }),
            Command::PidArm => {
                let (pid, ticket) = (number(prng, 2), number(prng, 4));
                let mut body = PidArm::new_zeroed();
                let begins = number(prng, 2);
                body.opened = Opened {
                    pid,
                    ticket,
                    begins,
                    reserved: 0,
                };
                body.arm = number(prng, 2);
                plain(&body)
            }
            Command::Unwind => plain(&self.unwind(prng)),
            Command::PidSite => plain(&site(prng)),
            Command::PidExecs => plain(&PidExecs {
                reserved: number(prng, 1),
            }),
        }
    }

    fn program(&self, prng: &mut Rng) -> Request {
        let program = self.seeds.malformed(prng);
        let size = program.len();
        let mut request = Request::program(program);
        if prng.u32(..10) == 0 {
            let body = Program {
                address: self.cliff.bad_address(size, prng),
                size: size as u32,
                reserved: 0,
            };
            request = Request::new(Command::Program, &body, Vec::new());
        }
        request
    }

    /// A table of arbitrary rows, of some text of init.
    fn unwind(&mut self, prng: &mut Rng) -> Unwind {
        let size = size_of::<UnwindRow>();
        let count = prng.usize(..64);
        prng.fill(&mut self.room[..count * size]);
        let rows = match prng.u32(..5) {
            0 => self.cliff.bad_address(count * size, prng),
            _ => self.room.as_ptr().expose_provenance() as u64,
        };
        let start = u64::from(number(prng, 1 << 24));
        Unwind {
            rows,
            start,
            end: start.wrapping_add(number(prng, 1 << 24).into()),
            bias: number(prng, 1 << 24).into(),
            count: match prng.u32(..16) {
                0 => prng.u32(..),
                _ => count as u32,
            },
            pid: number(prng, 2),
        }
    }

    fn snapshot(&mut self, prng: &mut Rng) -> BufSnap {
        let size = match prng.u32(..4) {
            0 => prng.usize(..64),
            1 => prng.usize(..ROOM),
            _ => ROOM,
        };
        let address = match prng.u32(..5) {
            0 => self.cliff.bad_address(size, prng),
            _ => self.room.as_mut_ptr().expose_provenance() as u64,
        };
        BufSnap {
            address,
            size: size as u32,
            cpu: number(prng, 3),
            drops: 0,
        }
    }
}

/// A site somewhere in the text of init, with operands of all forms.
fn site(prng: &mut Rng) -> PidSite {
    let address = 0x40_0000 + u64::from(number(prng, 1 << 20));
    let mut site = PidSite::new(number(prng, 2), description(prng), address);
    site.semaphore = u64::from(number(prng, 1 << 24));
    site.count = number(prng, 13);
    for operand in &mut site.operands {
        *operand = Operand {
            displacement: u64::from(prng.u32(..)) as i64,
            base: prng.u8(..),
            index: prng.u8(..),
            scale: prng.u8(..34),
            shift: prng.u8(..65),
            size: 1 << prng.u8(..4),
            flags: prng.u8(..17),
            reserved: 0,
        };
    }
    site
}

/// The argument of a request.
trait Body {
    fn request(&self, command: Command) -> Request;
}

impl<T: IntoBytes + Immutable> Body for T {
    fn request(&self, command: Command) -> Request {
        Request::new(command, self, Vec::new())
    }
}

/// Below `usual` seven times in eight, else any number.
fn number(prng: &mut Rng, usual: u32) -> u32 {
    match prng.u32(..8) {
        0 => prng.u32(..) >> prng.u32(..32),
        _ => prng.u32(..usual),
    }
}

/// Probes of some text of a process: of init, which only waits, or of one that is not there. The
/// names are patterns, and the extent is often too large or in the middle of an instruction.
fn in_process(prng: &mut Rng) -> PidProbes {
    let names: [&[u8]; 5] = [b"entry", b"return", b"", b"4", b"[0-9a-f]*"];
    let name = names[prng.usize(..names.len())];
    let description = Description::new(b"", b"init", b"some", name);
    let address = 0x40_0000 + u64::from(number(prng, 1 << 16));
    let mut body = PidProbes::new(
        number(prng, 2),
        description.unwrap_or(Description::new_zeroed()),
        address,
        number(prng, 256).into(),
    );
    if prng.u32(..16) == 0 {
        prng.fill(&mut body.reason);
    }
    body
}

/// Session options, usually with no more memory than a guest can spare.
fn go(prng: &mut Rng) -> Go {
    let mut how = Go {
        buffer_size: 1 << 16,
        aggregation_size: prng.u32(..1 << 20),
        dynamic_size: prng.u32(..1 << 20),
        speculations: prng.u32(..8),
        speculation_size: prng.u32(..70_000),
        policy: number(prng, 3),
        ..Go::default()
    };
    // Rarely: switching ftrace's call sites takes long.
    if prng.u32(..16) == 0 {
        how.mechanism = number(prng, 3);
    }
    if prng.u32(..8) == 0 {
        let members = [
            &mut how.buffer_size,
            &mut how.aggregation_size,
            &mut how.dynamic_size,
            &mut how.speculations,
            &mut how.speculation_size,
        ];
        let at = prng.usize(..members.len());
        for member in members.into_iter().skip(at).take(1) {
            // Now and then more than any guest has.
            *member = match prng.u32(..4) {
                0 => u32::MAX,
                _ => prng.u32(..) >> prng.u32(..32),
            };
        }
    }
    how
}

/// A description, usually of existing probes. The module matches each against every probe, and
/// matched functions are disassembled and patched, so `fbt` is kept rare.
fn description(prng: &mut Rng) -> Description {
    let names: [&[u8]; 3] = [b"BEGIN", b"END", b"ERROR"];
    let [provider, function, name]: [&[u8]; 3] = match prng.u32(..24) {
        0..8 => [b"dtrace", b"", names[prng.usize(..names.len())]],
        8..14 => return timer(prng),
        14..16 => return of_functions(prng),
        16..20 => [b"dtrace", b"", b""],
        _ => {
            let mut any = Description::new_zeroed();
            prng.fill(any.as_mut_bytes());
            return any;
        }
    };
    Description::new(provider, b"", function, name).unwrap_or(Description::new_zeroed())
}

fn of_functions(prng: &mut Rng) -> Description {
    let function = FUNCTIONS[prng.usize(..FUNCTIONS.len())];
    let name: &[u8] = if prng.bool() { b"entry" } else { b"return" };
    Description::new(b"fbt", b"", function, name).unwrap_or(Description::new_zeroed())
}

fn timer(prng: &mut Rng) -> Description {
    let kind = if prng.bool() { "tick" } else { "profile" };
    let units = ["", "hz", "ms", "s", "us", "x"];
    let unit = units[prng.usize(..units.len())];
    let name = format!("{kind}-{}{unit}", prng.u32(..1000));
    Description::new(b"profile", b"", b"", name.as_bytes()).unwrap_or(Description::new_zeroed())
}
