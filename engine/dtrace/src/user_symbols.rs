//! Names of addresses in processes.
//!
//! A process is read when it is first seen, in a record or as the process of a description, and read
//! again when an address has no name. What was read stays when it has ended. A process that ended
//! before it was seen has no names: its addresses are printed as they are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine_abi::{FieldKind, Instruction};
use engine_dlang::format::{Piece, Specifier};
use engine_dlang::program::{Action, Detail, FieldType, Program};
use engine_dvm::{Builtin, Op, Verified};
use engine_objects::{Library, Place, Process, Symbols};

/// The number of processes that are known at a time; the one that was used longest ago makes room.
const PROCESSES_MAX: usize = 1024;

/// How long an address without a name keeps its process from being read again.
const PATIENCE: Duration = Duration::from_secs(1);

/// The processes seen so far.
#[derive(Default)]
pub struct UserSymbols {
    known: RefCell<Known>,
    /// The process of an address that says none: `$target`, or 0.
    target: u32,
    /// Whether addresses get no names (the option `noresolve`).
    is_off: bool,
}

#[derive(Default)]
struct Known {
    processes: HashMap<u32, Seen>,
    library: Library,
    /// Counts uses.
    uses: u64,
}

/// A process.
#[derive(Default)]
struct Seen {
    /// None if there was no process of this ID.
    process: Option<Process>,
    symbols: Symbols,
    /// When it was last read.
    read: Option<Instant>,
    /// The number of its last use.
    used: u64,
}

impl UserSymbols {
    /// No process is known yet; `target` is that of addresses without one. If it is off, none will
    /// ever be.
    pub fn new(target: u32, is_off: bool) -> Self {
        Self {
            known: RefCell::default(),
            target,
            is_off,
        }
    }

    /// The process of an address that says none.
    pub fn target(&self) -> u32 {
        self.target
    }

    /// Reads what a process has mapped now.
    pub fn grab(&self, pid: u32) {
        if self.is_off {
            return;
        }
        let known = &mut *self.known.borrow_mut();
        let library = &mut known.library;
        known.processes.entry(pid).or_default().read(pid, library);
    }

    /// Makes sure that these addresses will have names, if they can, when the process has ended.
    pub fn see(&self, pid: u32, addresses: impl IntoIterator<Item = u64>) {
        if self.is_off {
            return;
        }
        let mut known = self.known.borrow_mut();
        for address in addresses {
            known.at(pid, address);
        }
    }

    /// The name of an address, in DTrace's form: `object`function+0x1c`, as far as that is known.
    pub fn name(&self, pid: u32, address: u64, detail: Detail) -> String {
        if self.is_off {
            return format!("{address:#x}");
        }
        let mut known = self.known.borrow_mut();
        match known.at(pid, address).symbols.resolve(address) {
            None => format!("{address:#x}"),
            Some(place) => text(&place, address, detail),
        }
    }

    /// The first address that has the same name: those of a function, or of an object, are one key.
    pub fn first(&self, pid: u32, address: u64, detail: Detail) -> u64 {
        if self.is_off {
            return address;
        }
        let mut known = self.known.borrow_mut();
        let symbols = &known.at(pid, address).symbols;
        let first = match detail {
            Detail::Offset => None,
            Detail::Object => symbols.object_start(address),
            Detail::Function => {
                let function = symbols.resolve(address).and_then(|place| place.function);
                function.map(|(_, offset)| address.wrapping_sub(offset))
            }
        };
        first.unwrap_or(address)
    }
}

impl Known {
    /// The process, which is read if it has no name for this address and was not read just now.
    fn at(&mut self, pid: u32, address: u64) -> &Seen {
        self.uses += 1;
        if !self.processes.contains_key(&pid) {
            self.make_room();
        }
        let seen = self.processes.entry(pid).or_default();
        seen.used = self.uses;
        let is_due = seen.read.is_none_or(|read| read.elapsed() >= PATIENCE);
        if is_due && seen.symbols.resolve(address).is_none() {
            seen.read(pid, &mut self.library);
        }
        seen
    }

    fn make_room(&mut self) {
        while self.processes.len() >= PROCESSES_MAX {
            let oldest = self.processes.iter().min_by_key(|(_, seen)| seen.used);
            let Some((&pid, _)) = oldest else { return };
            self.processes.remove(&pid);
        }
    }
}

impl Seen {
    /// Adds what the process has mapped. If it has ended, there may be another one of its ID.
    fn read(&mut self, pid: u32, library: &mut Library) {
        self.read = Some(Instant::now());
        let process = self.process.take();
        let is_read = |symbols: &mut Symbols, process: &Process, library: &mut Library| {
            symbols.refresh_from(process, library).is_ok()
        };
        self.process = process.filter(|it| is_read(&mut self.symbols, it, library));
        if self.process.is_none() {
            let process = Process::open(pid).ok();
            self.process = process.filter(|it| is_read(&mut self.symbols, it, library));
        }
    }
}

/// Whether a program records addresses of processes.
pub fn are_used(program: &Program) -> bool {
    let is_user =
        |kind: FieldType| matches!(kind, FieldType::UserStack | FieldType::UserAddress(_));
    let mut keys = program.aggregations.iter().flat_map(|it| &it.keys);
    let mut actions = program.clauses.iter().flat_map(|it| &it.actions);
    keys.any(|key| is_user(key.kind))
        || actions.any(|action| match action {
            Action::Trace(field) | Action::Stack(field) => is_user(field.kind),
            Action::Printf(format, _) | Action::System(format, _) | Action::Freopen(format, _) => {
                format.0.iter().any(is_user_address)
            }
            _ => false,
        })
}

fn is_user_address(piece: &Piece) -> bool {
    let Piece::Conversion(conversion) = piece else {
        return false;
    };
    conversion.specifier == Specifier::UserAddress
}

/// Whether a program walks over stacks of processes.
pub fn are_walked(program: &Program) -> bool {
    let Ok(verified) = Verified::new(&program.block) else {
        return false;
    };
    (0..)
        .map_while(|number| verified.clause(number))
        .any(|clause| {
            let mut fields = clause.fields();
            fields.any(|field| field.kind == FieldKind::UserStack)
                || clause.instructions().any(walks)
        })
}

fn walks(instruction: Instruction) -> bool {
    match Op::from_code(instruction.op) {
        Some(Op::Pushu) => true,
        Some(Op::Ldb) => matches!(
            Builtin::from_code(instruction.immediate),
            Some(Builtin::Ucaller | Builtin::Ustackdepth)
        ),
        _ => false,
    }
}

fn text(place: &Place<'_>, address: u64, detail: Detail) -> String {
    let object = place.object;
    let name = place.function_name();
    let offset = place.function.map_or(0, |(_, offset)| offset);
    match (detail, name) {
        (Detail::Object, _) => object.to_owned(),
        (_, None) => format!("{object}`{address:#x}"),
        (Detail::Offset, Some(name)) if offset > 0 => format!("{object}`{name}+{offset:#x}"),
        (_, Some(name)) => format!("{object}`{name}"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::process::Stdio;

    use engine_objects::Objects;

    use super::*;

    #[inline(never)]
    extern "C" fn here() -> u32 {
        std::hint::black_box(7)
    }

    #[test]
    fn addresses_of_this_process_have_names() {
        let (users, own) = (UserSymbols::default(), std::process::id());
        let address = here as extern "C" fn() -> u32 as usize as u64;
        let name = users.name(own, address + 1, Detail::Offset);
        let (object, function) = name.split_once('`').unwrap();
        assert!(
            function.ends_with("user_symbols::tests::here+0x1"),
            "{name}"
        );
        assert_eq!(users.name(own, address + 1, Detail::Object), object);
        let function = users.name(own, address + 1, Detail::Function);
        assert_eq!(name, format!("{function}+0x1"));
    }

    #[test]
    fn addresses_of_one_name_have_one_key() {
        let (users, own) = (UserSymbols::default(), std::process::id());
        let address = here as extern "C" fn() -> u32 as usize as u64;
        let first = |detail| users.first(own, address + 1, detail);
        assert_eq!(first(Detail::Offset), address + 1);
        assert_eq!(first(Detail::Function), address);
        let objects = Objects::of(&Process::open(own).unwrap()).unwrap();
        let start = objects.at(address).unwrap().ranges()[0].start;
        assert_eq!(first(Detail::Object), start);
    }

    #[test]
    fn an_address_without_a_name_is_printed_as_it_is() {
        let users = UserSymbols::default();
        for (pid, address) in [(std::process::id(), 16), (u32::MAX, 0x40_1000)] {
            for detail in [Detail::Offset, Detail::Function, Detail::Object] {
                assert_eq!(users.name(pid, address, detail), format!("{address:#x}"));
                assert_eq!(users.first(pid, address, detail), address);
            }
        }
    }

    #[test]
    fn names_outlive_the_process() {
        let mut child = std::process::Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Its objects are mapped when it answers, not yet when it has been spawned.
        child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let users = UserSymbols::default();
        let process = Process::open(child.id()).unwrap();
        // A new process has no objects until its program is mapped.
        let mut mapped = std::iter::repeat_with(|| Objects::of(&process).unwrap());
        let objects = mapped.find(|it| it.iter().next().is_some()).unwrap();
        let object = objects.iter().next().unwrap();
        let (name, address) = (object.base_name(), object.ranges()[0].start);
        users.grab(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(users.name(child.id(), address, Detail::Object), name);
    }

    #[test]
    fn the_number_of_processes_is_bounded() {
        let users = UserSymbols::default();
        for pid in 0..PROCESSES_MAX as u32 + 10 {
            users.see(u32::MAX - pid, [16]);
        }
        let known = users.known.borrow();
        assert_eq!(known.processes.len(), PROCESSES_MAX);
        assert!(!known.processes.contains_key(&u32::MAX));
    }
}
