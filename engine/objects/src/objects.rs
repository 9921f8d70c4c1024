//! All objects of a process.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::auxiliary::Auxiliary;
use crate::elf::Elf;
use crate::error::{Error, Fault, Result};
use crate::file::{Parts, Root};
use crate::maps::Mapping;
use crate::names::Role;
use crate::object::{CodeRange, Object};
use crate::process::Process;

/// The objects of a process at one time, by address.
#[derive(Debug)]
pub struct Objects {
    all: Vec<Object>,
    unreadable: Vec<Error>,
}

impl Objects {
    /// Finds what the process has mapped, and reads the headers of each.
    ///
    /// # Errors
    /// If the process cannot be read. A file that cannot is in [`Objects::unreadable`].
    pub fn of(process: &Process) -> Result<Self> {
        let (mappings, auxiliary) = process.image()?;
        let roots = process.roots();
        let mut objects = Self {
            all: Vec::new(),
            unreadable: Vec::new(),
        };
        for mappings in by_file(&mappings) {
            match mapped(process, &mappings, &roots) {
                Ok((found, unplaced)) => {
                    objects.all.extend(found);
                    objects.unreadable.extend(unplaced);
                }
                Err(error @ Error::Gone { .. }) => return Err(error),
                Err(error) => objects.unreadable.push(error),
            }
        }
        objects.all.extend(
            mappings
                .iter()
                .filter(|mapping| mapping.is_vdso())
                .map(vdso),
        );
        objects
            .all
            .sort_by_key(|object| object.ranges.first().map(|range| range.start));
        objects.assign_roles(&auxiliary);
        Ok(objects)
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Object> {
        self.all.iter()
    }

    /// The object in whose code an address is.
    pub fn at(&self, address: u64) -> Option<&Object> {
        self.all.iter().find(|object| object.contains(address))
    }

    /// Executable mappings that are not of ELF files, or of files that cannot be read.
    pub fn unreadable(&self) -> &[Error] {
        &self.unreadable
    }

    /// Finds program and interpreter by the auxiliary vector, which the kernel wrote: names could
    /// mislead. A process without one has only libraries.
    fn assign_roles(&mut self, auxiliary: &Auxiliary) {
        let libraries = self.all.iter_mut();
        for object in libraries.filter(|object| object.role == Role::Library) {
            // Bit 0 of the entry point can state the instruction set.
            let entry = auxiliary.entry.map(|entry| entry & !1);
            if entry.is_some_and(|entry| object.contains(entry)) {
                object.role = Role::Program;
            } else if auxiliary.base == Some(object.bias) {
                object.role = Role::Interpreter;
            }
        }
    }
}

impl<'a> IntoIterator for &'a Objects {
    type Item = &'a Object;
    type IntoIter = std::slice::Iter<'a, Object>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The mappings of each file that is mapped executable at least once. Not shared ones: a trap would be written to the
/// file.
fn by_file(mappings: &[Mapping]) -> Vec<Vec<Mapping>> {
    let mut files = BTreeMap::<_, Vec<Mapping>>::new();
    let is_code =
        |mapping: &&Mapping| mapping.is_file() && mapping.is_executable && !mapping.is_shared;
    for mapping in mappings.iter().filter(is_code) {
        let file = files.entry((mapping.device, mapping.inode)).or_default();
        file.push(mapping.clone());
    }
    files.into_values().collect()
}

/// The objects of one file, one for each load bias, and mappings that fit no segment.
fn mapped(
    process: &Process,
    mappings: &[Mapping],
    roots: &[Root],
) -> Result<(Vec<Object>, Vec<Error>)> {
    let path = mappings
        .first()
        .map(|mapping| mapping.path.clone())
        .unwrap_or_default();
    let file = process.mapped_file(mappings, roots)?;
    let elf = Elf::read(&Parts::of(&file));
    let elf = elf.map_err(|fault| Error::File {
        path: path.clone(),
        fault,
    })?;
    let file = (Arc::new(file), Arc::new(elf));
    let mut objects: Vec<Object> = Vec::new();
    let mut unplaced = Vec::new();
    for mapping in mappings {
        let Some(bias) = file.1.bias(mapping) else {
            let (path, fault) = (path.clone(), Fault::NoSegment(mapping.start));
            unplaced.push(Error::File { path, fault });
            continue;
        };
        match objects.iter_mut().find(|object| object.bias == bias) {
            Some(object) => add(&mut object.ranges, range(mapping)),
            None => objects.push(object(mapping, bias, Some(file.clone()), Role::Library)),
        }
    }
    Ok((objects, unplaced))
}

/// Adds a mapping to those before it. The kernel may list one in parts, as pages of it had another access for a
/// while, and are accounted for since: it stays one.
fn add(ranges: &mut Vec<CodeRange>, next: CodeRange) {
    match ranges.last_mut() {
        Some(last)
            if last.end == next.start
                && last.offset.wrapping_add(last.end - last.start) == next.offset =>
        {
            last.end = next.end;
        }
        _ => ranges.push(next),
    }
}

fn vdso(mapping: &Mapping) -> Object {
    object(mapping, mapping.start, None, Role::Vdso)
}

fn object(
    mapping: &Mapping,
    bias: u64,
    file: Option<(Arc<std::fs::File>, Arc<Elf>)>,
    role: Role,
) -> Object {
    Object {
        path: mapping.path.clone(),
        is_deleted: mapping.is_deleted,
        device: mapping.device,
        inode: mapping.inode,
        bias,
        ranges: vec![range(mapping)],
        role,
        file,
    }
}

fn range(mapping: &Mapping) -> CodeRange {
    let Mapping {
        start, end, offset, ..
    } = *mapping;
    CodeRange { start, end, offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_mapping_are_one_range_and_others_are_not() {
        let range = |start, end, offset| CodeRange { start, end, offset };
        let mut ranges = vec![range(0x1000, 0x3000, 0)];
        add(&mut ranges, range(0x3000, 0x4000, 0x2000));
        assert_eq!(ranges, [range(0x1000, 0x4000, 0)]);
        add(&mut ranges, range(0x4000, 0x5000, 0x9000));
        add(&mut ranges, range(0x8000, 0x9000, 0xa000));
        assert_eq!(ranges.len(), 3);
    }
}
