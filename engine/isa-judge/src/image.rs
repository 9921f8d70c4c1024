//! A kernel image with its symbols: which bytes of its text are instructions, and where functions
//! begin.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::elf::STT_FUNC;
use object::{Architecture, Object, ObjectSection, ObjectSymbol, SymbolFlags, SymbolKind};

/// Why an image cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// Not an ELF file, or a malformed one.
    #[error("{0}")]
    Elf(#[from] object::Error),
    /// A missing section.
    #[error("the image has no section {0}")]
    NoSection(&'static str),
    /// No mapping symbols, so code and data cannot be told apart.
    #[error("the image has no mapping symbols: it takes one with debugging symbols")]
    Unmapped,
}

/// The bytes from an instruction on, as many as the longest has.
pub type Code = [u8; 15];

/// The text of a kernel.
#[derive(Debug)]
pub struct Image {
    /// The architecture it was built for.
    pub architecture: Architecture,
    /// The functions by address; one name per address.
    pub functions: BTreeMap<u64, Function>,
    start: u64,
    text: Vec<u8>,
    /// The ranges that are code.
    code: Vec<Range<u64>>,
    /// The ranges without probes (noprobe and entry text).
    kept_out: Vec<Range<u64>>,
    /// The instructions in the exception table.
    fixed_up: Vec<u64>,
    /// The instructions that the kernel patches at run time.
    rewritten: BTreeSet<u64>,
    /// The address of `__fentry__`.
    tracer: Option<u64>,
    /// The addresses of the return thunks; which one is used depends on the processor.
    thunks: BTreeSet<u64>,
}

/// A function of the text.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its size in bytes, including data in it.
    pub size: u64,
}

impl Function {
    /// Whether it is the cold part of another function.
    pub fn is_part(&self) -> bool {
        self.name.contains(".cold")
    }
}

/// The parts of the text in which the kernel allows no probes: entry and fault handling.
const KEPT_OUT: [&str; 7] = [
    "cpuidle",
    "entry",
    "idmap",
    "irqentry",
    "kprobes",
    "noinstr",
    "softirqentry",
];

/// The tracer's call at the beginning of x86 functions.
const TRACER: &str = "__fentry__";
/// The mapping symbol of A32; that of A64 is `$x`.
const ARM: &str = "$a";
/// The suffix of the names of return thunks.
const THUNK: &str = "_return_thunk";

/// The kernel's lists of what it patches at run time: jump labels and static calls. (Alternatives
/// are patched once at boot, before any module is loaded.)
const JUMPS: [&str; 2] = ["__start___jump_table", "__stop___jump_table"];
const CALLS: [&str; 2] = ["__start_static_call_sites", "__stop_static_call_sites"];

/// The labels that are looked up.
const NAMED: [&str; 5] = [TRACER, JUMPS[0], JUMPS[1], CALLS[0], CALLS[1]];

impl Image {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`ImageError`] if it is malformed or lacks something.
    pub fn read(elf: &[u8]) -> Result<Self, ImageError> {
        let file = object::File::parse(elf)?;
        let section = file
            .section_by_name(".text")
            .ok_or(ImageError::NoSection(".text"))?;
        let (start, text) = (section.address(), section.data()?.to_vec());
        let symbols = Symbols::of(&file, start..start + text.len() as u64, ARM)?;
        Ok(Self {
            architecture: file.architecture(),
            code: symbols.code(file.architecture(), start + text.len() as u64)?,
            tracer: symbols.named.get(TRACER).copied(),
            kept_out: symbols.kept_out(),
            rewritten: symbols.rewritten(&file)?,
            functions: symbols.functions,
            thunks: symbols.thunks,
            fixed_up: fixed_up(&file)?,
            start,
            text,
        })
    }

    /// Reads a program's Thumb code, and its symbols from the file with its debugging information.
    ///
    /// # Errors
    /// [`ImageError`] if one of the two is malformed or lacks something.
    pub fn of_thumb(program: &[u8], symbols: &[u8]) -> Result<Self, ImageError> {
        let file = object::File::parse(program)?;
        let section = file
            .section_by_name(".text")
            .ok_or(ImageError::NoSection(".text"))?;
        let (start, text) = (section.address(), section.data()?.to_vec());
        let end = start + text.len() as u64;
        let symbols = Symbols::of(&object::File::parse(symbols)?, start..end, "$t")?;
        // The address of a function in Thumb state is odd.
        let functions = symbols.functions.iter();
        let functions = functions.filter(|(at, _)| *at & 1 == 1);
        Ok(Self {
            architecture: file.architecture(),
            code: symbols.code(file.architecture(), end)?,
            functions: functions.map(|(at, it)| (at & !1, it.clone())).collect(),
            start,
            text,
            kept_out: Vec::new(),
            fixed_up: Vec::new(),
            rewritten: BTreeSet::new(),
            tracer: None,
            thunks: BTreeSet::new(),
        })
    }

    /// Each contiguous run of instructions, with their addresses.
    pub fn code(&self, length: fn(&Code) -> usize) -> impl Iterator<Item = Vec<(u64, Code)>> {
        self.code.iter().map(move |run| {
            let mut found = Vec::new();
            let mut at = run.start;
            while at < run.end {
                let code = self.bytes(at);
                let bytes = length(&code).max(1);
                if !self.is_filling(at, &code[..bytes]) {
                    found.push((at, code));
                }
                at += bytes as u64;
            }
            found
        })
    }

    /// Whether this is padding: zeros between functions, up to the next aligned address.
    fn is_filling(&self, at: u64, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| *byte == 0) && self.spanning(at).is_none()
    }

    /// Each instruction of a part of the text, with its address.
    pub fn instructions(
        &self,
        part: Range<u64>,
        length: fn(&Code) -> usize,
    ) -> impl Iterator<Item = (u64, Code)> {
        let mut at = part.start;
        std::iter::from_fn(move || {
            let run = self.code.partition_point(|run| run.end <= at);
            at = at.max(self.code.get(run)?.start);
            if at >= part.end {
                return None;
            }
            let (here, code) = (at, self.bytes(at));
            at += length(&code).max(1) as u64;
            Some((here, code))
        })
    }

    /// Whether an address is in an instruction.
    pub fn is_code(&self, at: u64) -> bool {
        let before = self.code.partition_point(|run| run.start <= at);
        let run = before.checked_sub(1).and_then(|last| self.code.get(last));
        run.is_some_and(|run| run.contains(&at))
    }

    /// Copies text; false if it is out of range.
    pub fn load(&self, at: u64, bytes: &mut [u8]) -> bool {
        let from = at.wrapping_sub(self.start) as usize;
        let end = from.saturating_add(bytes.len());
        let found = self.text.get(from..end);
        if let Some(found) = found {
            bytes.copy_from_slice(found);
        }
        found.is_some()
    }

    /// The extent of the part of a function that an address is in.
    pub fn part_of(&self, function: &Function, at: u64) -> Option<Range<u64>> {
        let (start, part) = self.spanning(at)?;
        let is_its = part.name.strip_prefix(&function.name)?.starts_with(".cold");
        is_its.then_some(start..start + part.size)
    }

    /// Whether a jump to this address is a return.
    pub fn is_return_thunk(&self, at: u64) -> bool {
        self.thunks.contains(&at)
    }

    /// The bytes from an address on; zero past the end of the text.
    pub fn bytes(&self, at: u64) -> Code {
        let rest = &self.text[(at - self.start) as usize..];
        let mut code = [0; 15];
        let count = rest.len().min(code.len());
        code[..count].copy_from_slice(&rest[..count]);
        code
    }

    /// Where a probe on a function's entry is placed: after the call of the kernel's tracer on x86.
    /// The cold part of a function has no entry.
    pub fn entry(&self, start: u64) -> Option<u64> {
        let is_part = self.functions.get(&start)?.is_part();
        let calls_tracer = self.goes_to(start, 0xe8) == self.tracer && self.tracer.is_some();
        let behind = if calls_tracer { 5 } else { 0 };
        (!is_part).then_some(start + behind)
    }

    /// Whether the jump at this address is a return through a thunk.
    pub fn jumps_to_return(&self, at: u64) -> bool {
        let target = self.goes_to(at, 0xe9);
        target.is_some_and(|target| self.is_return_thunk(target))
    }

    /// The target of a branch with this opcode and a 32-bit displacement.
    fn goes_to(&self, at: u64, opcode: u8) -> Option<u64> {
        let [first, a, b, c, d, ..] = self.bytes(at);
        let away = i32::from_le_bytes([a, b, c, d]);
        (first == opcode).then(|| (at + 5).wrapping_add_signed(away.into()))
    }

    /// The function that an address is in, if the kernel allows probes there.
    pub fn function(&self, address: u64) -> Option<(u64, &Function)> {
        let is_kept_out = self.kept_out.iter().any(|part| part.contains(&address));
        self.spanning(address).filter(|_| !is_kept_out)
    }

    /// The function that an address is in.
    fn spanning(&self, address: u64) -> Option<(u64, &Function)> {
        let (start, function) = self.functions.range(..=address).next_back()?;
        (address - start < function.size).then_some((*start, function))
    }

    /// Whether the exception table has this address.
    pub fn is_fixed_up(&self, address: u64) -> bool {
        self.fixed_up.binary_search(&address).is_ok()
    }

    /// Whether the kernel patches the instruction at this address at run time: a jump label or a
    /// static call.
    pub fn is_rewritten(&self, address: u64) -> bool {
        self.rewritten.contains(&address)
    }
}

/// The symbols of the text.
struct Symbols {
    functions: BTreeMap<u64, Function>,
    /// Where code (true) and data (false) begin.
    marks: BTreeMap<u64, bool>,
    /// Beginnings and ends of the parts, by name.
    bounds: BTreeMap<String, u64>,
    /// Labels by name.
    named: BTreeMap<String, u64>,
    /// The return thunks of x86.
    thunks: BTreeSet<u64>,
}

impl Symbols {
    fn of(
        file: &object::File<'_>,
        text: Range<u64>,
        instructions: &str,
    ) -> Result<Self, ImageError> {
        let mut symbols = Self {
            functions: BTreeMap::new(),
            marks: BTreeMap::new(),
            bounds: BTreeMap::new(),
            named: BTreeMap::new(),
            thunks: BTreeSet::new(),
        };
        for symbol in file.symbols() {
            let (name, address) = (symbol.name()?, symbol.address());
            let is_bound = name.ends_with("_text_start") || name.ends_with("_text_end");
            if is_bound {
                symbols.bounds.insert(name.to_owned(), address);
            }
            if NAMED.contains(&name) {
                symbols.named.insert(name.to_owned(), address);
            }
            if name.ends_with(THUNK) {
                symbols.thunks.insert(address);
            }
            if !text.contains(&address) {
                continue;
            }
            match name.split('.').next() {
                Some(mark @ ("$a" | "$x" | "$d" | "$t")) => {
                    let is_code = instructions == mark || instructions == ARM && mark == "$x";
                    symbols.marks.insert(address, is_code);
                }
                _ if symbol.kind() == SymbolKind::Text && !is_bound && is_function(&symbol) => {
                    symbols.add_function(address, name, symbol.size());
                }
                _ => {}
            }
        }
        Ok(symbols)
    }

    /// Keeps the largest of several functions at one address.
    fn add_function(&mut self, address: u64, name: &str, size: u64) {
        let function = Function {
            name: name.to_owned(),
            size,
        };
        let known = self
            .functions
            .get(&address)
            .is_some_and(|known| known.size >= size);
        if !known {
            self.functions.insert(address, function);
        }
    }

    /// The functions' extents: x86 has no mapping symbols, and no data in functions.
    fn of_functions(&self, end: u64) -> Vec<Range<u64>> {
        let mut from = 0;
        let mut code = Vec::new();
        for (start, function) in &self.functions {
            let stretch = from.max(*start)..(start + function.size).min(end);
            if !stretch.is_empty() {
                from = stretch.end;
                code.push(stretch);
            }
        }
        code
    }

    fn code(&self, architecture: Architecture, end: u64) -> Result<Vec<Range<u64>>, ImageError> {
        if architecture == Architecture::X86_64 {
            return Ok(self.of_functions(end));
        }
        let ends = self.marks.keys().skip(1).copied().chain([end]);
        let spans = self.marks.iter().zip(ends);
        let mut code: Vec<Range<u64>> = Vec::new();
        for ((&start, _), end) in spans.filter(|((_, is_code), _)| **is_code) {
            match code.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => code.push(start..end),
            }
        }
        if code.is_empty() {
            Err(ImageError::Unmapped)
        } else {
            Ok(code)
        }
    }

    /// The instructions that the kernel patches, from its lists.
    fn rewritten(&self, file: &object::File<'_>) -> Result<BTreeSet<u64>, ImageError> {
        let is_absolute = file.architecture() == Architecture::Arm;
        let jump_bytes = if is_absolute { 12 } else { 16 };
        let mut found = BTreeSet::new();
        for (bounds, bytes) in [(JUMPS, jump_bytes), (CALLS, 8)] {
            let [Some(start), Some(end)] = bounds.map(|name| self.named.get(name).copied()) else {
                continue;
            };
            let list = span(file, start..end)?;
            found.extend(addresses(start, list, bytes, is_absolute));
        }
        Ok(found)
    }

    fn kept_out(&self) -> Vec<Range<u64>> {
        let bound = |part: &str, end: &str| self.bounds.get(&format!("__{part}_text_{end}"));
        let part = |part: &&str| Some(*bound(part, "start")?..*bound(part, "end")?);
        KEPT_OUT.iter().filter_map(part).collect()
    }
}

/// Whether a symbol is a function rather than a label in assembly.
fn is_function(symbol: &object::Symbol<'_, '_>) -> bool {
    let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
        return false;
    };
    st_info.st_type() == STT_FUNC
}

/// The instructions in the exception table. An entry is two addresses on ARM, elsewhere two
/// relative addresses and more.
fn fixed_up(file: &object::File<'_>) -> Result<Vec<u64>, ImageError> {
    let section = file
        .section_by_name("__ex_table")
        .ok_or(ImageError::NoSection("__ex_table"))?;
    let is_absolute = file.architecture() == Architecture::Arm;
    let size = if is_absolute { 8 } else { 12 };
    let mut found: Vec<u64> =
        addresses(section.address(), section.data()?, size, is_absolute).collect();
    found.sort_unstable();
    Ok(found)
}

/// The first field of each entry of a list: an address, or one relative to the entry.
fn addresses(
    start: u64,
    list: &[u8],
    size: usize,
    is_absolute: bool,
) -> impl Iterator<Item = u64> + '_ {
    let entries = (start..).step_by(size).zip(list.chunks_exact(size));
    entries.map(move |(at, entry)| {
        let number = i32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        match is_absolute {
            true => number.cast_unsigned().into(),
            false => at.wrapping_add_signed(number.into()),
        }
    })
}

/// The bytes at addresses of the image.
fn span<'a>(file: &object::File<'a>, at: Range<u64>) -> Result<&'a [u8], ImageError> {
    let mut sections = file.sections();
    let found = sections.find_map(|section| {
        let data = section.data_range(at.start, at.end - at.start);
        data.transpose()
    });
    Ok(found.transpose()?.unwrap_or_default())
}

#[cfg(test)]
impl Image {
    /// One function of these words, the first `code` bytes of which are instructions.
    pub fn of_words(architecture: Architecture, words: &[u32], code: u64) -> Self {
        let function = Function {
            name: "only".to_owned(),
            size: words.len() as u64 * 4,
        };
        Self {
            architecture,
            functions: [(0x1000, function)].into(),
            start: 0x1000,
            text: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            code: std::iter::once(0x1000..0x1000 + code * 4).collect(),
            kept_out: Vec::new(),
            fixed_up: Vec::new(),
            rewritten: BTreeSet::new(),
            tracer: None,
            thunks: BTreeSet::new(),
        }
    }
}
