//! A consumer's variables and where each is kept.
//!
//! A global scalar is one atomic. Global strings and byte arrays are packed in one arena under one
//! spin lock. Clause-locals belong to a CPU; each carries the number of the firing that set it, so
//! a new firing finds them unset without clearing them. Thread-locals and arrays are dynamic
//! variables.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use engine_abi::{Scope, ValueKind};
use engine_dvm::{Held, Variable, Verified};

use crate::grow::{OutOfMemory, filled, push};
use crate::session::arena::{Arena, padded};
use crate::session::dynamic::{Dynamic, Name};
use crate::spin::Spin;

/// The most bytes of a consumer's global strings and byte arrays, and of its clause-local ones.
const BYTES_MAX: usize = 16 << 20;

/// Where a variable is kept.
#[derive(Debug, Clone, Copy)]
enum Place {
    Global(Spot),
    Local(Spot),
    Dynamic { of_thread: bool },
}

#[derive(Debug, Clone, Copy)]
struct Spot {
    slot: usize,
    at: usize,
}

/// How many slots and bytes the variables of one scope take.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    slots: usize,
    bytes: usize,
}

impl Extent {
    /// Allocates one more.
    fn add(&mut self, variable: Variable) -> Result<Spot, OutOfMemory> {
        let spot = Spot {
            slot: self.slots,
            at: self.bytes,
        };
        self.slots = self.slots.wrapping_add(1);
        if variable.kind != ValueKind::Scalar {
            self.bytes = self.bytes.saturating_add(padded(variable.size as usize));
        }
        if self.bytes > BYTES_MAX {
            return Err(OutOfMemory);
        }
        Ok(spot)
    }
}

/// The variables of a consumer, except clause-locals.
#[derive(Debug)]
pub struct Variables {
    places: Vec<Place>,
    locals: Extent,
    /// Each global scalar's value; for a string or byte array, what it holds.
    slots: Vec<AtomicU64>,
    bytes: Arena,
    lock: Spin,
    dynamic: Dynamic,
}

/// The clause-locals of one CPU.
#[derive(Debug)]
pub struct Locals {
    /// The number of the firing that set it last, and its value; for a string or byte array, what it
    /// holds.
    slots: Vec<(u64, u64)>,
    bytes: Vec<u8>,
    firing: u64,
}

/// A slot's value for what a string or byte array holds; 0 is nothing.
const VALUE: u64 = 1;
const NULL: u64 = 2;

fn held(slot: u64) -> Held {
    match slot {
        VALUE => Held::Value,
        NULL => Held::Null,
        _ => Held::Nothing,
    }
}

fn holding(value: Option<&[u8]>) -> u64 {
    if value.is_some() { VALUE } else { NULL }
}

impl Locals {
    /// Begins a firing: all clause-locals are unset.
    pub fn begin(&mut self) {
        self.firing = self.firing.wrapping_add(1);
    }

    fn is_set(&self, spot: Spot) -> bool {
        let slot = self.slots.get(spot.slot);
        slot.is_some_and(|(firing, _)| *firing == self.firing)
    }

    fn get(&self, spot: Spot) -> u64 {
        let slot = self.slots.get(spot.slot).filter(|_| self.is_set(spot));
        slot.map_or(0, |(_, value)| *value)
    }

    fn set(&mut self, spot: Spot, firing: u64, value: u64) {
        if let Some(slot) = self.slots.get_mut(spot.slot) {
            *slot = (firing, value);
        }
    }

    fn get_bytes(&self, spot: Spot, value: &mut [u8]) -> Held {
        let there = self.bytes.get(spot.at..).unwrap_or_default();
        value
            .iter_mut()
            .zip(there)
            .for_each(|(to, from)| *to = *from);
        held(self.get(spot))
    }

    fn set_bytes(&mut self, spot: Spot, value: Option<&[u8]>) {
        let there = self.bytes.get_mut(spot.at..).unwrap_or_default();
        there
            .iter_mut()
            .zip(value.unwrap_or_default())
            .for_each(|(to, from)| *to = *from);
        self.set(spot, self.firing, holding(value));
    }

    fn get_part(&self, spot: Spot, offset: usize, bytes: &mut [u8]) {
        if held(self.get(spot)) != Held::Value {
            return zero(bytes);
        }
        let there = self.bytes.get(spot.at.wrapping_add(offset)..);
        let there = there.unwrap_or_default();
        bytes
            .iter_mut()
            .zip(there)
            .for_each(|(to, from)| *to = *from);
    }

    fn set_part(&mut self, spot: Spot, size: usize, offset: usize, bytes: &[u8]) -> usize {
        let is_new = held(self.get(spot)) != Held::Value;
        let there = self.bytes.get_mut(spot.at..).unwrap_or_default();
        if is_new {
            there.iter_mut().take(size).for_each(|byte| *byte = 0);
        }
        there
            .iter_mut()
            .skip(offset)
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        self.set(spot, self.firing, VALUE);
        if is_new { size } else { 0 }
    }
}

fn zero(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = 0);
}

impl Variables {
    /// Allocates the variables of a program, with `dynamic` bytes for dynamic ones. `seed` keys
    /// their hash and must be unpredictable.
    pub fn new(
        program: &Verified<Vec<u64>>,
        dynamic: usize,
        seed: u64,
    ) -> Result<Self, OutOfMemory> {
        let mut places = Vec::new();
        let (mut globals, mut locals, mut largest) = (Extent::default(), Extent::default(), 0);
        for number in 0..program.header().variables {
            let Some(variable) = program.variable(number) else {
                continue;
            };
            let place = match variable.scope {
                Scope::Clause => Place::Local(locals.add(variable)?),
                Scope::Global if !variable.is_array() => Place::Global(globals.add(variable)?),
                scope => {
                    let key = program.key_size(variable.keys) as usize;
                    largest = largest.max(key.saturating_add(variable.size as usize));
                    Place::Dynamic {
                        of_thread: scope == Scope::Thread,
                    }
                }
            };
            push(&mut places, place)?;
        }
        Ok(Self {
            places,
            locals,
            slots: filled(globals.slots, || AtomicU64::new(0))?,
            bytes: Arena::new(globals.bytes)?,
            lock: Spin::default(),
            dynamic: Dynamic::new(dynamic, largest, seed)?,
        })
    }

    /// Clause-locals for one CPU.
    pub fn locals(&self) -> Result<Locals, OutOfMemory> {
        Ok(Locals {
            slots: filled(self.locals.slots, || (0, 0))?,
            bytes: filled(self.locals.bytes, || 0)?,
            firing: 0,
        })
    }

    /// The dynamic variables: thread-locals and associative arrays.
    pub fn dynamic(&self) -> &Dynamic {
        &self.dynamic
    }
}

/// An access to one variable.
pub struct Access<'a> {
    /// The consumer's variables.
    pub variables: &'a Variables,
    /// The clause-locals of this CPU.
    pub locals: &'a mut Locals,
    /// The variable's number.
    pub variable: u32,
    /// The key of an array, empty for none.
    pub key: &'a [u8],
    /// Yields the identity of the current thread; called only for a thread-local.
    pub thread: &'a dyn Fn() -> u64,
}

impl Access<'_> {
    /// The value of a scalar; 0 if it is not set.
    pub fn get(&self) -> u64 {
        match self.place() {
            Some(Place::Global(spot)) => self.load(spot),
            Some(Place::Local(spot)) => self.locals.get(spot),
            Some(Place::Dynamic { of_thread }) => {
                let mut value = [0; 8];
                self.variables.dynamic.get(self.name(of_thread), &mut value);
                u64::from_ne_bytes(value)
            }
            None => 0,
        }
    }

    /// Sets a scalar. Setting a dynamic one to 0 unsets it, as in DTrace.
    pub fn set(&mut self, value: u64) {
        match self.place() {
            Some(Place::Global(spot)) => self.store(spot, value),
            Some(Place::Local(spot)) => self.locals.set(spot, self.locals.firing, value),
            Some(Place::Dynamic { of_thread }) => {
                let name = self.name(of_thread);
                match value {
                    0 => self.variables.dynamic.remove(name),
                    _ => self.variables.dynamic.set(name, &value.to_ne_bytes()),
                }
            }
            None => {}
        }
    }

    /// Reads a string or byte array into `value`.
    pub fn get_bytes(&self, value: &mut [u8]) -> Held {
        match self.place() {
            Some(Place::Global(spot)) => {
                let read = self.variables.lock.with(|| {
                    self.variables.bytes.read(spot.at, value);
                    held(self.load(spot))
                });
                read.unwrap_or(Held::Nothing)
            }
            Some(Place::Local(spot)) => self.locals.get_bytes(spot, value),
            Some(Place::Dynamic { of_thread }) => {
                let is_set = self.variables.dynamic.get(self.name(of_thread), value);
                if is_set { Held::Value } else { Held::Nothing }
            }
            None => Held::Nothing,
        }
    }

    /// Sets a string or byte array; None makes it null, or unsets it if it is dynamic.
    pub fn set_bytes(&mut self, value: Option<&[u8]>) {
        match self.place() {
            Some(Place::Global(spot)) => {
                let written = self.variables.lock.with(|| {
                    self.variables
                        .bytes
                        .write(spot.at, value.unwrap_or_default());
                    self.store(spot, holding(value));
                });
                if written.is_none() {
                    self.variables.dynamic.lost();
                }
            }
            Some(Place::Local(spot)) => self.locals.set_bytes(spot, value),
            Some(Place::Dynamic { of_thread }) => {
                let name = self.name(of_thread);
                match value {
                    None => self.variables.dynamic.remove(name),
                    Some(value) => self.variables.dynamic.set(name, value),
                }
            }
            None => {}
        }
    }

    /// Reads a part of a byte array; zeros if it is not set.
    pub fn get_part(&self, offset: usize, bytes: &mut [u8]) {
        match self.place() {
            Some(Place::Global(spot)) => {
                let at = spot.at.wrapping_add(offset);
                let read = self
                    .variables
                    .lock
                    .with(|| self.variables.bytes.read(at, bytes));
                if read.is_none() {
                    zero(bytes);
                }
            }
            Some(Place::Local(spot)) => self.locals.get_part(spot, offset, bytes),
            Some(Place::Dynamic { of_thread }) => {
                let dynamic = &self.variables.dynamic;
                dynamic.get_part(self.name(of_thread), offset, bytes);
            }
            None => zero(bytes),
        }
    }

    /// Writes a part of a byte array of `size` bytes; the rest is zero if it is not set.
    /// Returns the bytes that were zeroed for it.
    pub fn set_part(&mut self, size: usize, offset: usize, bytes: &[u8]) -> usize {
        match self.place() {
            Some(Place::Global(spot)) => {
                let at = spot.at.wrapping_add(offset);
                let written = self.variables.lock.with(|| {
                    self.variables.bytes.write(at, bytes);
                    self.store(spot, VALUE);
                });
                if written.is_none() {
                    self.variables.dynamic.lost();
                }
                0
            }
            Some(Place::Local(spot)) => self.locals.set_part(spot, size, offset, bytes),
            Some(Place::Dynamic { of_thread }) => {
                let dynamic = &self.variables.dynamic;
                dynamic.set_part(self.name(of_thread), size, offset, bytes)
            }
            None => 0,
        }
    }

    fn place(&self) -> Option<Place> {
        self.variables.places.get(self.variable as usize).copied()
    }

    fn load(&self, spot: Spot) -> u64 {
        let slot = self.variables.slots.get(spot.slot);
        slot.map_or(0, |slot| slot.load(Ordering::Relaxed))
    }

    fn store(&self, spot: Spot, value: u64) {
        if let Some(slot) = self.variables.slots.get(spot.slot) {
            slot.store(value, Ordering::Relaxed);
        }
    }

    fn name(&self, of_thread: bool) -> Name<'_> {
        Name {
            variable: self.variable,
            owner: if of_thread { (self.thread)() } else { 0 },
            key: self.key,
        }
    }
}
