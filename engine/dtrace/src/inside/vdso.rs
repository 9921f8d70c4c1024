//! The shared object that the kernel puts into every process.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

use object::{Object, ObjectSymbol};

use super::memory::memory;

/// The vDSO of a process.
pub struct Vdso {
    start: usize,
    bytes: Vec<u8>,
}

impl Vdso {
    /// Reads it.
    pub fn read(pid: i32) -> Result<Self> {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
        let line = maps.lines().find(|line| line.ends_with("[vdso]"));
        let range = line.and_then(|line| line.split_once(' ')?.0.split_once('-'));
        let (start, end) = range.ok_or(ErrorKind::NotFound)?;
        let number = |text| usize::from_str_radix(text, 16).map_err(Error::other);
        let (start, end) = (number(start)?, number(end)?);
        let mut bytes = vec![0; end - start];
        memory(pid)?.read_exact_at(&mut bytes, start as u64)?;
        Ok(Self { start, bytes })
    }

    /// The address of an instruction of this encoding.
    pub fn find(&self, instruction: &[u8]) -> Option<usize> {
        let step = if instruction.len() == 4 { 4 } else { 1 };
        let mut places = (0..self.bytes.len()).step_by(step);
        let found = places.find(|place| self.bytes[*place..].starts_with(instruction));
        found.map(|place| self.start + place)
    }

    /// The address of a function.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        let file = object::File::parse(&*self.bytes).ok()?;
        let mut symbols = file.dynamic_symbols();
        let found = symbols.find(|it| it.name() == Ok(name) && it.is_definition())?;
        Some(found.address() + self.start as u64)
    }
}
