//! The USDT probes of an ELF file: its SystemTap notes, version 3.
//!
//! `sys/sdt.h`, the crates `probe` and `usdt`, and the headers of `dtrace -h` leave one note for each
//! site in the section `.note.stapsdt`: owner `stapsdt`, type 3, and
//!
//! ```text
//! address of the site             a word of the file's class, as are the next two
//! address of .stapsdt.base        when the file was linked
//! address of the semaphore        0 if there is none
//! provider\0 name\0 arguments\0
//! ```
//!
//! The site is a `nop`. Prelinking moves a file's addresses but not those in notes: what
//! `.stapsdt.base` has moved by is added to both other addresses. Arguments are operands in the
//! syntax of the architecture's assembler ([`Argument`]), as the compiler chose them.
//!
//! Invariants:
//!
//! - **A note is a site or a fault.** A malformed note is a [`Fault::Probe`] with its offset in the file,
//!   and the others are read. A file without the section has no sites.
//! - **A site can be armed.** Its address is in the contents of an executable segment, and
//!   its semaphore is in a writable one.
//! - **A well-formed argument costs no probe.** If its value cannot be read when the probe fires, it
//!   is [`Operand::Unreadable`] with the reason.
//! - Addresses are the file's, as in [`Functions`](crate::Functions): without the Thumb bit, and
//!   [`Object::bias`](crate::Object::bias) added to one is the address in the process.
//!
//! 32-bit ARM does not note the instruction set of a site. The two sets have no encoding of `nop` in
//! common, so the instruction itself tells ([`mode`]); for other instructions it is the function's.

mod argument;
mod expression;
mod lookup;
mod mode;
mod note;
mod operand;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use object::read::ReadRef;

use crate::elf::Elf;
use crate::error::Fault;
use crate::functions::{Function, Functions, Mode};
use crate::reason::Reason;
pub use argument::Argument;
use lookup::Lookup;
use note::Note;
pub use operand::{Extension, Index, Operand};

/// The probes of one file.
#[derive(Debug, Clone, Default)]
pub struct Sites {
    /// The sites, in the order of their notes. Sites with the same provider and name are one probe.
    pub list: Vec<Site>,
    /// What is wrong with other notes.
    pub faults: Vec<Fault>,
}

/// One site of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its provider, without a PID.
    pub provider: String,
    /// Its name, as noted.
    pub name: String,
    /// The address of its instruction.
    pub address: u64,
    /// The offset of its instruction in the file.
    pub offset: u64,
    /// The instruction set there; none if the file does not tell which of two it is.
    pub mode: Option<Mode>,
    /// The address of the 16-bit counter of the tracers that have it enabled.
    pub semaphore: Option<u64>,
    /// The function that it is in, by its symbol.
    pub function: Option<Arc<str>>,
    /// What it passes.
    pub arguments: Vec<Argument>,
}

impl Site {
    /// Its name in D, where `__` is `-`.
    pub fn probe_name(&self) -> String {
        self.name.replace("__", "-")
    }
}

impl Sites {
    /// Reads the sites of a file from its contents. Its functions are those of its own symbols.
    ///
    /// # Errors
    /// A fault that leaves nothing to read. Other faults are in [`Sites::faults`].
    pub fn of_bytes(data: &[u8]) -> Result<(Elf, Self), Fault> {
        let elf = Elf::read(data)?;
        let functions = match elf.notes_of_probes {
            Some(_) => Functions::read(&elf, data, |_| {}),
            None => Functions::default(),
        };
        let sites = Self::read(&elf, data, &functions);
        Ok((elf, sites))
    }

    /// Reads the sites of a file with these functions.
    pub fn read<'d, R: ReadRef<'d>>(elf: &Elf, data: R, functions: &Functions) -> Self {
        let mut faults = Vec::new();
        let notes = note::all(elf, data, &mut faults);
        let symbols: HashSet<_> = notes.iter().flat_map(Note::symbols).collect();
        let reader = Reader {
            elf,
            functions,
            lookup: Lookup::read(elf, data, symbols),
            known: RefCell::default(),
        };
        let mut list = Vec::new();
        for note in &notes {
            match reader.site(note, data) {
                Ok(site) => list.push(site),
                Err(reason) => faults.push(note.fault(reason)),
            }
        }
        faults.sort_by_key(|fault| match fault {
            Fault::Probe { offset, .. } => *offset,
            _ => 0,
        });
        Self { list, faults }
    }
}

/// What makes sites of notes.
struct Reader<'a> {
    elf: &'a Elf,
    functions: &'a Functions,
    lookup: Lookup<'a>,
    /// Names of functions that have a site, by address: sites of one function share its name.
    known: RefCell<HashMap<u64, Arc<str>>>,
}

impl Reader<'_> {
    fn site<'d, R: ReadRef<'d>>(&self, note: &Note<'_>, data: R) -> Result<Site, Reason> {
        let has_thumb = self.elf.machine.has_thumb();
        let noted = note.address;
        let address = if has_thumb { noted & !1 } else { noted };
        let offset = self.offset(address);
        let offset = offset.filter(|offset| data.read_bytes_at(*offset, 1).is_ok());
        let offset = offset.ok_or(Reason::Address(noted))?;
        let function = self.functions.at(address).map(|(function, _)| function);
        let mode = match has_thumb {
            false => Some(Mode::Native),
            true if noted != address => Some(Mode::Thumb),
            true => mode::at(offset, self.elf.endian, data).or(function.map(|it| it.mode)),
        };
        let semaphore = note.semaphore;
        if let Some(semaphore) = semaphore.filter(|address| !self.is_counter(*address)) {
            return Err(Reason::Semaphore(semaphore));
        }
        let place = operand::Place {
            elf: self.elf,
            lookup: &self.lookup,
            site: address,
        };
        let arguments = note.arguments.iter();
        Ok(Site {
            provider: note.provider.to_owned(),
            name: note.name.to_owned(),
            address,
            offset,
            mode,
            semaphore,
            function: function.map(|it| self.name(&it)),
            arguments: arguments.map(|it| it.argument(&place)).collect(),
        })
    }

    /// The name of a function.
    fn name(&self, function: &Function<'_>) -> Arc<str> {
        let mut known = self.known.borrow_mut();
        let known = known.entry(function.address);
        known.or_insert_with(|| function.name().into()).clone()
    }

    /// The offset in the file of an address of code.
    fn offset(&self, address: u64) -> Option<u64> {
        let mut code = self.elf.loaded().filter(|segment| segment.is_executable);
        code.find_map(|segment| {
            let within = address.checked_sub(segment.address)?;
            (within < segment.file_size).then(|| segment.offset.checked_add(within))?
        })
    }

    /// Whether a counter of two bytes can be at an address.
    fn is_counter(&self, address: u64) -> bool {
        let mut data = self.elf.loaded().filter(|segment| segment.is_writable);
        data.any(|segment| {
            let within = address.checked_sub(segment.address);
            within.is_some_and(|within| within < segment.memory_size.saturating_sub(1))
        })
    }
}
