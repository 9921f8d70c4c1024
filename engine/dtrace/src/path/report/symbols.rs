//! Names of addresses: of the files that were mapped, as they are now.

use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;

use engine_objects::Functions;
use object::elf::{FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use rustc_hash::FxHashMap;

use super::lines::{Line, Lines};
use crate::path::block::Blocks;
use crate::path::file::record::Map;

/// The largest file that is read for its names.
const LARGEST: u64 = 1 << 30;

/// A function, or what there is instead of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The object's name, empty if the text is of none.
    pub module: Rc<str>,
    /// Its name, if it has one.
    pub name: Option<Rc<str>>,
    /// Its first address, and the one behind it.
    pub start: u64,
    pub end: u64,
}

impl Function {
    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// The name of an address in it.
    pub fn at(&self, address: u64) -> String {
        let module = &self.module;
        let offset = address.wrapping_sub(self.start);
        match &self.name {
            Some(name) if offset == 0 => format!("{module}`{name}"),
            Some(name) => format!("{module}`{name}+{offset:#x}"),
            None if module.is_empty() => format!("{address:#x}"),
            None => format!("{module}`{offset:#x}"),
        }
    }

    /// Its own name.
    pub fn text(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => format!("{:#x}", self.start),
        }
    }

    /// Whether a name is its: with or without the module.
    pub fn is_called(&self, name: &str) -> bool {
        let Some(own) = &self.name else { return false };
        match name.split_once('`') {
            Some((module, name)) => *module == *self.module && *name == **own,
            None => *name == **own,
        }
    }
}

/// A file that was mapped.
struct Object {
    functions: Functions,
    /// The offset of each segment in the file, its end, and its address.
    segments: Vec<[u64; 3]>,
    data: Vec<u8>,
    /// Read when the first is asked for.
    lines: OnceCell<Option<Lines>>,
}

struct Module {
    map: Map,
    name: Rc<str>,
    object: Option<Rc<Object>>,
}

/// The names of a program.
#[derive(Default)]
pub struct Symbols {
    modules: Vec<Module>,
    objects: FxHashMap<Vec<u8>, Option<Rc<Object>>>,
}

impl Symbols {
    /// Text is mapped. What was mapped before at these addresses has no names any more.
    pub fn map(&mut self, map: Map) {
        let object = self
            .objects
            .entry(map.name.clone())
            .or_insert_with(|| Object::read(&map.name).map(Rc::new));
        let path = String::from_utf8_lossy(&map.name).into_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        self.modules.push(Module {
            name: name.into(),
            object: object.clone(),
            map,
        });
    }

    fn module(&self, address: u64) -> Option<&Module> {
        let mut modules = self.modules.iter().rev();
        modules.find(|module| (module.map.start..module.map.end).contains(&address))
    }

    /// The function at an address.
    pub fn function(&self, address: u64) -> Function {
        let Some(module) = self.module(address) else {
            return Function {
                module: "".into(),
                name: None,
                start: address,
                end: address.saturating_add(1),
            };
        };
        module.function(address).unwrap_or_else(|| Function {
            module: module.name.clone(),
            name: None,
            start: module.map.start.wrapping_sub(module.map.offset),
            end: module.map.end,
        })
    }

    /// The source line of an address.
    pub fn line(&self, address: u64) -> Option<Line<'_>> {
        let module = self.module(address)?;
        let object = module.object.as_ref()?;
        let lines = object.lines.get_or_init(|| Lines::read(&object.data));
        lines.as_ref()?.at(module.linked(address)?)
    }

    /// Files that are not those that were executed, or are not there: their names.
    pub fn changed(&self, blocks: &Blocks) -> Vec<String> {
        let mut names = Vec::new();
        for block in (0..blocks.count()).map(|block| blocks.get(block)) {
            let Some(module) = self.module(block.address) else {
                continue;
            };
            let name = String::from_utf8_lossy(&module.map.name).into_owned();
            let is_file = name.starts_with('/') && !module.map.changes;
            if is_file && !module.has(block.address, &block.text) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl Module {
    fn function(&self, address: u64) -> Option<Function> {
        let object = self.object.as_ref()?;
        let (function, within) = object.functions.at(self.linked(address)?)?;
        let start = address.wrapping_sub(within);
        let name = function.demangled_plain();
        let name = name.unwrap_or_else(|| function.name().into_owned());
        Some(Function {
            module: self.name.clone(),
            name: Some(name.into()),
            start,
            end: start.saturating_add(function.size),
        })
    }

    /// What the object calls an address.
    fn linked(&self, address: u64) -> Option<u64> {
        let offset = address - self.map.start + self.map.offset;
        let mut segments = self.object.as_ref()?.segments.iter();
        let [from, _, at] = segments.find(|[from, end, _]| (*from..*end).contains(&offset))?;
        at.checked_add(offset - from)
    }

    /// Whether the file has this text where it was mapped.
    fn has(&self, address: u64, text: &[u8]) -> bool {
        let offset = address - self.map.start + self.map.offset;
        let Some(object) = &self.object else {
            return false;
        };
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let data = object.data.get(offset..).unwrap_or_default();
        data.starts_with(text)
    }
}

impl Object {
    fn read(name: &[u8]) -> Option<Self> {
        let path = Path::new(std::str::from_utf8(name).ok()?);
        let metadata = std::fs::metadata(path).ok().filter(|_| path.is_absolute());
        metadata.filter(|it| it.is_file() && it.len() <= LARGEST)?;
        let data = std::fs::read(path).ok()?;
        let (_, functions) = Functions::of_bytes(&data).ok()?;
        let segments = segments(&data)?;
        Some(Self {
            functions,
            segments,
            data,
            lines: OnceCell::new(),
        })
    }
}

fn segments(data: &[u8]) -> Option<Vec<[u64; 3]>> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let headers: &[elf::ProgramHeader64<Endianness>] = header.program_headers(endian, data).ok()?;
    let loaded = headers.iter().filter(|it| it.p_type(endian) == PT_LOAD);
    let loaded = loaded.map(|it| {
        let from = it.p_offset(endian);
        // A page of it may have its neighbour's bytes.
        let end = from.saturating_add(it.p_filesz(endian));
        [from, end, it.p_vaddr(endian)]
    });
    Some(loaded.collect())
}

/// The offset in the file of the segment that has an address, and that segment's address.
#[cfg(test)]
pub fn tests_segment(data: &[u8], address: u64) -> (u64, u64) {
    let segments = segments(data).unwrap_or_default();
    let mut segments = segments.iter();
    let found = segments.find(|[from, end, at]| (*at..at + (end - from)).contains(&address));
    found.map_or((0, 0), |[from, _, at]| (*from, *at))
}
