//! Requests, most of them nearly right: what is refused at first sight reaches nothing.

use std::ptr;

use engine_abi::{
    BufSnap, Command, Conf, Description, Enable, EprobeDesc, Go, ProbeMatch, Program,
};
use engine_abi::{Status, Stop};
use fastrand::Rng;
use zerocopy::{FromZeros, Immutable, IntoBytes};

use crate::cliff::Cliff;
use crate::seeds::Seeds;

/// Bytes of room for what is drained.
const ROOM: usize = 128 << 10;

/// More than the largest struct that a request's number can name.
const BODY_MAX: usize = 1 << 14;

/// Functions that are called all the time, that the fuzzer calls, and that are none.
const FUNCTIONS: [&[u8]; 5] = [
    b"set_fs_pwd",
    b"set_fs_root",
    b"vfs_getattr*",
    b"*chdir*",
    b"nosuch",
];

/// One request.
pub struct Request {
    /// Its number.
    pub number: u32,
    /// Its struct, as large as any number says that it is.
    body: Vec<u8>,
    /// Where its struct is, if not there.
    elsewhere: Option<u64>,
    /// The program whose address is in its struct.
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

    /// Where its struct is.
    pub fn address(&mut self) -> *mut u8 {
        match self.elsewhere {
            Some(address) => ptr::with_exposed_provenance_mut(address as usize),
            None => self.body.as_mut_ptr(),
        }
    }

    /// The bytes that its number says its struct has.
    fn size(&self) -> usize {
        self.number as usize >> 16 & (BODY_MAX - 1)
    }
}

/// Makes them.
pub struct Maker<'a> {
    seeds: &'a Seeds,
    cliff: &'a Cliff,
    room: Vec<u8>,
}

impl<'a> Maker<'a> {
    /// With these programs, and with addresses off this cliff.
    pub fn new(seeds: &'a Seeds, cliff: &'a Cliff) -> Self {
        Self {
            seeds,
            cliff,
            room: vec![0; ROOM],
        }
    }

    /// A program that is one, and some clauses of it enabled; one in three for functions, to fire.
    pub fn sound_start(&self, chance: &mut Rng) -> Vec<Request> {
        let program = Request::program(self.seeds.sound(chance));
        let enabled = (0..3).map(|clause| {
            let mut body = Enable::new_zeroed();
            body.description = match chance.u32(..3) {
                0 => of_functions(chance),
                _ => description(chance),
            };
            body.clause = clause;
            Request::new(Command::Enable, &body, Vec::new())
        });
        std::iter::once(program).chain(enabled).collect()
    }

    /// Any request.
    pub fn request(&mut self, chance: &mut Rng) -> Request {
        let command = Command::ALL[chance.usize(..Command::ALL.len())];
        let mut request = self.nearly_right(command, chance);
        match chance.u32(..24) {
            0 => request.number = chance.u32(..),
            1 => request.number ^= 1 << chance.u32(..32),
            2 | 3 => {
                let size = request.size();
                chance.fill(&mut request.body[..size]);
            }
            4 => request.elsewhere = Some(self.cliff.bad_address(request.size(), chance)),
            _ => {}
        }
        request
    }

    /// A struct of the right kind, whose members are often what they may be.
    fn nearly_right(&mut self, command: Command, chance: &mut Rng) -> Request {
        let plain = |body: &dyn Body| body.request(command);
        match command {
            Command::Conf => plain(&Conf::default()),
            Command::Stop => plain(&Stop::default()),
            Command::Status => plain(&Status::default()),
            Command::ProbeMatch => {
                let mut body = ProbeMatch::new_zeroed();
                (body.description, body.id) = (description(chance), number(chance, 100));
                plain(&body)
            }
            Command::Enable => {
                let mut body = Enable::new_zeroed();
                (body.description, body.clause) = (description(chance), number(chance, 4));
                plain(&body)
            }
            Command::Eprobe => {
                let mut body = EprobeDesc::new_zeroed();
                body.epid = number(chance, 8);
                plain(&body)
            }
            Command::Go => plain(&go(chance)),
            Command::BufSnap | Command::AggSnap => plain(&self.snapshot(chance)),
            Command::Program => self.program(chance),
        }
    }

    fn program(&self, chance: &mut Rng) -> Request {
        let program = self.seeds.malformed(chance);
        let size = program.len();
        let mut request = Request::program(program);
        if chance.u32(..10) == 0 {
            let body = Program {
                address: self.cliff.bad_address(size, chance),
                size: size as u32,
                reserved: 0,
            };
            request = Request::new(Command::Program, &body, Vec::new());
        }
        request
    }

    fn snapshot(&mut self, chance: &mut Rng) -> BufSnap {
        let size = match chance.u32(..4) {
            0 => chance.usize(..64),
            1 => chance.usize(..ROOM),
            _ => ROOM,
        };
        let address = match chance.u32(..5) {
            0 => self.cliff.bad_address(size, chance),
            _ => self.room.as_mut_ptr().expose_provenance() as u64,
        };
        BufSnap {
            address,
            size: size as u32,
            cpu: number(chance, 3),
            drops: 0,
        }
    }
}

/// A struct that makes a request.
trait Body {
    fn request(&self, command: Command) -> Request;
}

impl<T: IntoBytes + Immutable> Body for T {
    fn request(&self, command: Command) -> Request {
        Request::new(command, self, Vec::new())
    }
}

/// Below `usual` most of the time.
fn number(chance: &mut Rng, usual: u32) -> u32 {
    match chance.u32(..8) {
        0 => chance.u32(..) >> chance.u32(..32),
        _ => chance.u32(..usual),
    }
}

/// How to trace, with as much memory as a guest has for it most of the time.
fn go(chance: &mut Rng) -> Go {
    let mut how = Go {
        buffer_size: 1 << 16,
        aggregation_size: chance.u32(..1 << 20),
        dynamic_size: chance.u32(..1 << 20),
        speculations: chance.u32(..8),
        speculation_size: chance.u32(..70_000),
        policy: number(chance, 3),
        ..Go::default()
    };
    // Seldom, for the function tracer's calls take long to be switched on and off.
    if chance.u32(..16) == 0 {
        how.mechanism = number(chance, 3);
    }
    if chance.u32(..8) == 0 {
        let members = [
            &mut how.buffer_size,
            &mut how.aggregation_size,
            &mut how.dynamic_size,
            &mut how.speculations,
            &mut how.speculation_size,
        ];
        let at = chance.usize(..members.len());
        for member in members.into_iter().skip(at).take(1) {
            *member = chance.u32(..) >> chance.u32(..32);
        }
    }
    how
}

/// A description of probes that there are, most of the time. For each the module looks at every probe that there
/// is; what is found of functions is walked over and patched besides, so those are few.
fn description(chance: &mut Rng) -> Description {
    let names: [&[u8]; 3] = [b"BEGIN", b"END", b"ERROR"];
    let [provider, function, name]: [&[u8]; 3] = match chance.u32(..24) {
        0..8 => [b"dtrace", b"", names[chance.usize(..names.len())]],
        8..14 => return timer(chance),
        14..16 => return of_functions(chance),
        16..20 => [b"dtrace", b"", b""],
        _ => {
            let mut any = Description::new_zeroed();
            chance.fill(any.as_mut_bytes());
            return any;
        }
    };
    Description::new(provider, b"", function, name).unwrap_or(Description::new_zeroed())
}

fn of_functions(chance: &mut Rng) -> Description {
    let function = FUNCTIONS[chance.usize(..FUNCTIONS.len())];
    let name: &[u8] = if chance.bool() { b"entry" } else { b"return" };
    Description::new(b"fbt", b"", function, name).unwrap_or(Description::new_zeroed())
}

fn timer(chance: &mut Rng) -> Description {
    let kind = if chance.bool() { "tick" } else { "profile" };
    let units = ["", "hz", "ms", "s", "us", "x"];
    let unit = units[chance.usize(..units.len())];
    let name = format!("{kind}-{}{unit}", chance.u32(..1000));
    Description::new(b"profile", b"", b"", name.as_bytes()).unwrap_or(Description::new_zeroed())
}
