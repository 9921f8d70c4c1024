//! Functions by address of a process, for stacks that are printed when it may have gone.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

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
    identity: Identity,
    name: String,
    functions: Functions,
}

/// What tells files apart: device, inode and build ID.
type Identity = (Device, u64, Option<Vec<u8>>);

/// The files that several processes have mapped, so that each is read once. It forgets those that
/// no [`Symbols`] refers to.
#[derive(Debug, Default)]
pub struct Library(HashMap<Identity, Weak<Loaded>>);

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
        self.refresh_from(process, &mut Library::default())
    }

    /// [`Symbols::refresh`], which does not read again what is in the library either.
    ///
    /// # Errors
    /// If the process cannot be read; what is known stays.
    pub fn refresh_from(&mut self, process: &Process, library: &mut Library) -> Result<()> {
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
            let loaded = loaded.or_else(|| library.0.get(&identity)?.upgrade());
            let loaded = loaded.unwrap_or_else(|| {
                Arc::new(Loaded {
                    identity: identity.clone(),
                    name: object.base_name().into_owned(),
                    functions: object.functions(&roots),
                })
            });
            library.0.insert(identity, Arc::downgrade(&loaded));
            for range in object.ranges() {
                let (end, bias, object) = (range.end, object.bias(), Arc::clone(&loaded));
                self.insert(range.start, Range { end, bias, object });
            }
        }
        library.0.retain(|_, file| file.strong_count() > 0);
        Ok(())
    }

    /// The lowest address that is known of the object at an address.
    pub fn object_start(&self, address: u64) -> Option<u64> {
        let found = self.range_of(address)?;
        let is_same =
            |range: &Range| range.bias == found.bias && Arc::ptr_eq(&range.object, &found.object);
        let mut ranges = self.ranges.iter();
        ranges.find_map(|(start, range)| is_same(range).then_some(*start))
    }

    /// The object and the function that an address is in.
    pub fn resolve(&self, address: u64) -> Option<Place<'_>> {
        let range = self.range_of(address)?;
        let address = address.wrapping_sub(range.bias);
        Some(Place {
            object: &range.object.name,
            address,
            function: range.object.functions.at(address),
        })
    }

    fn range_of(&self, address: u64) -> Option<&Range> {
        let (_, range) = self.ranges.range(..=address).next_back()?;
        (address < range.end).then_some(range)
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
