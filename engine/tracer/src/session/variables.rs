//! The variables of a consumer: where each is kept.
//!
//! A global scalar is one atomic. Strings and bytes that are global lie one behind the other, under one
//! lock. Clause-locals are a CPU's own, and are told to be of this firing by its number. Whatever belongs
//! to a thread or has a key is dynamic.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use engine_abi::{Scope, ValueKind};
use engine_dvm::{Variable, Verified};

use crate::grow::{OutOfMemory, filled, push};
use crate::session::arena::{Arena, padded};
use crate::session::dynamic::{Dynamic, Name};
use crate::spin::Spin;

/// The most bytes of strings and bytes that one consumer's globals may take, and as many its
/// clause-locals.
const BYTES_MAX: usize = 16 << 20;

/// Where a variable is: its slot among those of its kind, and for what is not a scalar also its bytes.
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

/// How much there is of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    slots: usize,
    bytes: usize,
}

impl Extent {
    /// Makes room for one more.
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

/// The variables of a consumer that are not one CPU's.
#[derive(Debug)]
pub struct Variables {
    places: Vec<Place>,
    locals: Extent,
    /// Each global's value, or for what is not a scalar whether it was set.
    slots: Vec<AtomicU64>,
    bytes: Arena,
    lock: Spin,
    dynamic: Dynamic,
}

/// The clause-locals of one CPU.
#[derive(Debug)]
pub struct Locals {
    /// The firing that set it last, and its value if it is a scalar.
    slots: Vec<(u64, u64)>,
    bytes: Vec<u8>,
    firing: u64,
}

impl Locals {
    /// A firing begins: nothing is set.
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

    fn get_bytes(&self, spot: Spot, value: &mut [u8]) -> bool {
        let there = self.bytes.get(spot.at..).unwrap_or_default();
        value
            .iter_mut()
            .zip(there)
            .for_each(|(to, from)| *to = *from);
        self.is_set(spot)
    }

    fn set_bytes(&mut self, spot: Spot, value: Option<&[u8]>) {
        let there = self.bytes.get_mut(spot.at..).unwrap_or_default();
        let value_there = value.unwrap_or_default();
        there
            .iter_mut()
            .zip(value_there)
            .for_each(|(to, from)| *to = *from);
        let firing = match value {
            Some(_) => self.firing,
            None => self.firing.wrapping_sub(1),
        };
        self.set(spot, firing, 0);
    }
}

impl Variables {
    /// Those of a program, with so many bytes for what is dynamic, and a `seed` that nobody foresees.
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

    /// The clause-locals of a CPU.
    pub fn locals(&self) -> Result<Locals, OutOfMemory> {
        Ok(Locals {
            slots: filled(self.locals.slots, || (0, 0))?,
            bytes: filled(self.locals.bytes, || 0)?,
            firing: 0,
        })
    }

    /// What is dynamic.
    pub fn dynamic(&self) -> &Dynamic {
        &self.dynamic
    }
}

/// Who reads or writes a variable.
pub struct Access<'a> {
    /// Whose variables.
    pub variables: &'a Variables,
    /// The clause-locals of the CPU.
    pub locals: &'a mut Locals,
    /// Which one.
    pub variable: u32,
    /// Its key.
    pub key: &'a [u8],
    /// The thread.
    pub thread: &'a dyn Fn() -> u64,
}

impl Access<'_> {
    /// A scalar; 0 where it was never set.
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

    /// Sets a scalar.
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

    /// Fills `value` with what is no scalar; false where it was never set.
    pub fn get_bytes(&self, value: &mut [u8]) -> bool {
        match self.place() {
            Some(Place::Global(spot)) => {
                let read = self.variables.lock.with(|| {
                    self.variables.bytes.read(spot.at, value);
                    self.load(spot) != 0
                });
                read.unwrap_or_default()
            }
            Some(Place::Local(spot)) => self.locals.get_bytes(spot, value),
            Some(Place::Dynamic { of_thread }) => {
                self.variables.dynamic.get(self.name(of_thread), value)
            }
            None => false,
        }
    }

    /// Sets what is no scalar, or unsets it.
    pub fn set_bytes(&mut self, value: Option<&[u8]>) {
        match self.place() {
            Some(Place::Global(spot)) => {
                let written = self.variables.lock.with(|| {
                    self.variables
                        .bytes
                        .write(spot.at, value.unwrap_or_default());
                    self.store(spot, value.is_some().into());
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
