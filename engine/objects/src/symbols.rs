//! Functions by address of a process, for stacks that are printed when it may have gone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::functions::{Function, Functions};
use crate::maps::Device;
use crate::objects::Objects;
use crate::process::Process;

/// The functions of a process. It refers to neither process nor file.
///
/// An object that has been unmapped stays until another one takes its addresses: what was recorded
/// before `dlclose` is resolved after it.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Executable ranges by start; they do not overlap.
    ranges: BTreeMap<u64, Range>,
}

#[derive(Debug, Clone)]
struct Range {
    end: u64,
    bias: u64,
    object: Arc<Loaded>,
}

/// A file whose functions are known.
#[derive(Debug)]
struct Loaded {
    identity: (Device, u64, Option<Vec<u8>>),
    name: String,
    functions: Functions,
}

/// Where an address is.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The base name of the object.
    pub object: &'a str,
    /// The address in the object's file.
    pub address: u64,
    /// The function, if the object has one there, and the offset in it.
    pub function: Option<(Function<'a>, u64)>,
}

impl Place<'_> {
    /// The function's name for display: demangled where it is mangled.
    pub fn function_name(&self) -> Option<Cow<'_, str>> {
        let (function, _) = self.function.as_ref()?;
        Some(
            function
                .demangled()
                .map_or_else(|| function.name(), Cow::Owned),
        )
    }
}

impl Symbols {
    /// Reads the functions of all objects of a process.
    ///
    /// # Errors
    /// If the process cannot be read.
    pub fn of(process: &Process) -> Result<Self> {
        let mut symbols = Self::default();
        symbols.refresh(process)?;
        Ok(symbols)
    }

    /// Adds what the process has mapped since. Files that are known are not read again.
    ///
    /// # Errors
    /// If the process cannot be read; what is known stays.
    pub fn refresh(&mut self, process: &Process) -> Result<()> {
        let objects = Objects::of(process)?;
        let roots = process.roots();
        for object in &objects {
            let (device, inode) = object.identity();
            let build_id = object.elf().and_then(|elf| elf.build_id.clone());
            let identity = (device, inode, build_id);
            let known = self
                .ranges
                .values()
                .find(|range| range.object.identity == identity);
            let loaded = known.map(|range| Arc::clone(&range.object));
            let loaded = loaded.unwrap_or_else(|| {
                Arc::new(Loaded {
                    identity,
                    name: object.base_name().into_owned(),
                    functions: object.functions(&roots),
                })
            });
            for range in object.ranges() {
                let (end, bias, object) = (range.end, object.bias(), Arc::clone(&loaded));
                self.insert(range.start, Range { end, bias, object });
            }
        }
        Ok(())
    }

    /// The object and the function that an address is in.
    pub fn resolve(&self, address: u64) -> Option<Place<'_>> {
        let (_, range) = self.ranges.range(..=address).next_back()?;
        if address >= range.end {
            return None;
        }
        let address = address.wrapping_sub(range.bias);
        Some(Place {
            object: &range.object.name,
            address,
            function: range.object.functions.at(address),
        })
    }

    /// Inserts a range in place of those that it overlaps.
    fn insert(&mut self, start: u64, range: Range) {
        let before = self.ranges.range(..range.end).rev();
        let over = before.take_while(|(_, old)| old.end > start);
        let over: Vec<u64> = over.map(|(start, _)| *start).collect();
        for start in over {
            self.ranges.remove(&start);
        }
        self.ranges.insert(start, range);
    }
}
