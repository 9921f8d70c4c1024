//! Code for places: the targets of assignments.

use engine_dvm::{Op, Subroutine};

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::names::VariableId;
use crate::tree::{Expression, ExpressionKind, Part};
use crate::types::{Bits, TypeId};

/// A place, with its address or key evaluated.
#[derive(Debug)]
pub(super) enum Place {
    Variable(VariableId),
    /// An element of an associative array, with the components of its key.
    Element(VariableId, Vec<Register>),
    Memory(Address),
}

/// An address in memory.
#[derive(Debug)]
pub(super) struct Address {
    pub register: Register,
    /// For a bit-field: its bits within the unit at this address.
    bits: Option<Bits>,
    /// The variable that it is in.
    variable: Option<VariableId>,
    /// For a part of an element of an associative array: the copy of the whole element, and the
    /// place to write it back to.
    root: Option<Box<(Register, Place)>>,
}

impl Emitter<'_> {
    /// `place = value`
    pub(super) fn assign(
        &mut self,
        place: &Expression,
        value: &Expression,
    ) -> Result<Register, Mistake> {
        let value = self.value(value)?;
        let value = self.extracted(value, kept_bits(place), place.type_)?;
        let kept = self.place(place)?;
        self.store(&kept, value, place.type_)?;
        self.give_place(&kept);
        Ok(value)
    }

    /// An assignment whose value depends on the old one.
    pub(super) fn update(
        &mut self,
        place: &Expression,
        value: &Expression,
        gives_old: bool,
    ) -> Result<Register, Mistake> {
        let kept = self.place(place)?;
        let old = self.stored(&kept, place)?;
        let outer = self.old.replace(old);
        let new = self.value(value)?;
        let new = self.extracted(new, kept_bits(place), place.type_)?;
        self.old = outer;
        let kept = if value.changes() {
            self.renewed(kept)?
        } else {
            kept
        };
        self.store(&kept, new, place.type_)?;
        self.give_place(&kept);
        let (result, other) = if gives_old { (old, new) } else { (new, old) };
        self.code.give(other);
        Ok(result)
    }

    /// Within an update's value: the old value.
    pub(super) fn old_value(&mut self) -> Result<Register, Mistake> {
        let copy = self.code.take()?;
        let old = self.old.unwrap_or(Register::ZERO);
        self.code.push(Op::Mov, copy, (old, Register::ZERO), 0);
        Ok(copy)
    }

    fn place(&mut self, place: &Expression) -> Result<Place, Mistake> {
        Ok(match &place.kind {
            ExpressionKind::Variable(variable) => Place::Variable(*variable),
            ExpressionKind::Element(variable, keys) => {
                Place::Element(*variable, self.values(keys)?)
            }
            ExpressionKind::Load(address) => Place::Memory(plain(self.value(address)?)),
            _ => Place::Memory(self.address(place, true)?),
        })
    }

    /// The address of an array, or of an element of one; of a copy that can be written if it is in
    /// an associative array and a target.
    pub(super) fn address(
        &mut self,
        place: &Expression,
        is_target: bool,
    ) -> Result<Address, Mistake> {
        match &place.kind {
            ExpressionKind::Subscript(base, index) => {
                // The index may modify the array, so it is evaluated before the copy.
                let distance = self.scaled(index, self.types.size(place.type_))?;
                let base = self.address(base, is_target)?;
                self.moved(base, distance)
            }
            ExpressionKind::Variable(variable) => Ok(Address {
                variable: Some(*variable),
                ..plain(self.variable(*variable)?)
            }),
            ExpressionKind::Element(variable, keys) if is_target => {
                let place = Place::Element(*variable, self.values(keys)?);
                let register = self.array(&place)?;
                Ok(rooted(register, place))
            }
            ExpressionKind::Member { base, offset, bits } => {
                let base = self.address(base, is_target)?;
                let distance = self.code.constant((*offset).into())?;
                let address = self.moved(base, distance)?;
                Ok(Address {
                    bits: *bits,
                    ..address
                })
            }
            _ => self.value(place).map(plain),
        }
    }

    /// An address plus a distance; the copy of the whole array stays the same.
    fn moved(&mut self, base: Address, distance: Register) -> Result<Address, Mistake> {
        if distance == Register::ZERO {
            return Ok(base);
        }
        let is_root = base
            .root
            .as_ref()
            .is_some_and(|root| root.0 == base.register);
        if !is_root {
            let register = self.code.combine(Op::Add, base.register, distance)?;
            return Ok(Address { register, ..base });
        }
        let operands = (base.register, distance);
        self.code.push(Op::Add, distance, operands, 0);
        Ok(Address {
            register: distance,
            ..base
        })
    }

    /// The same place with a fresh copy of the array, which may have changed.
    fn renewed(&mut self, place: Place) -> Result<Place, Mistake> {
        let Place::Memory(Address {
            register,
            bits,
            root: Some(root),
            ..
        }) = place
        else {
            return Ok(place);
        };
        let (whole, kept) = *root;
        let distance = if register == whole {
            self.code.give(whole);
            Register::ZERO
        } else {
            self.code.combine(Op::Sub, register, whole)?
        };
        let whole = self.array(&kept)?;
        let address = self.moved(rooted(whole, kept), distance)?;
        Ok(Place::Memory(Address { bits, ..address }))
    }

    /// A copy of the array at a place that can be written.
    fn array(&mut self, place: &Place) -> Result<Register, Mistake> {
        match place {
            Place::Element(variable, keys) => self.copied(*variable, keys),
            Place::Variable(variable) => self.variable(*variable),
            Place::Memory(address) => Ok(address.register),
        }
    }

    /// A copy on the heap of an array in an element of an associative array.
    fn copied(&mut self, variable: VariableId, keys: &[Register]) -> Result<Register, Mistake> {
        let type_ = self.names.variables.get(variable).and_then(|it| it.type_);
        let size = type_.map_or(0, |it| self.types.size(it));
        let whole = self.element(variable, keys)?;
        self.code.allocates(size);
        let bytes = self.code.constant(size.into())?;
        self.code.act(Op::Push, bytes, 0);
        let copy = self.code.make(Op::Call, Subroutine::Alloca.code())?;
        for argument in [whole, copy, bytes] {
            self.code.act(Op::Push, argument, 0);
        }
        let zeros = (Register::ZERO, Register::ZERO);
        self.code
            .push(Op::Call, bytes, zeros, Subroutine::Bcopy.code());
        self.code.give(bytes);
        self.code.give(whole);
        Ok(copy)
    }

    /// The value at a place.
    fn stored(&mut self, place: &Place, expression: &Expression) -> Result<Register, Mistake> {
        match place {
            Place::Variable(variable) => self.variable(*variable),
            Place::Element(variable, keys) => self.element(*variable, keys),
            Place::Memory(address) => {
                let copy = self.code.take()?;
                let operands = (address.register, Register::ZERO);
                self.code.push(Op::Mov, copy, operands, 0);
                let unit = self.load(copy, expression.type_, expression.line)?;
                self.extracted(unit, address.bits, expression.type_)
            }
        }
    }

    fn store(&mut self, place: &Place, value: Register, type_: TypeId) -> Result<(), Mistake> {
        match place {
            Place::Variable(variable) => self.code.act(Op::Stv, value, *variable as u32),
            Place::Element(variable, keys) => {
                self.push_key(*variable, keys);
                self.code.act(Op::Sta, value, *variable as u32);
            }
            Place::Memory(Address {
                register,
                variable: Some(variable),
                ..
            }) if self.types.is_structure(type_) || self.types.is_text(type_) => {
                self.store_within(*register, *variable, value, type_)?;
            }
            Place::Memory(address) => {
                match address.bits {
                    Some(bits) => self.insert(address.register, value, bits, type_)?,
                    None => self.store_at(address.register, value, type_)?,
                }
                if let Some(root) = &address.root {
                    let (whole, place) = &**root;
                    self.store(place, *whole, type_)?;
                }
            }
        }
        Ok(())
    }

    /// Stores a structure or a string within a variable. Only the heap can be copied to, so the
    /// variable is copied there first.
    fn store_within(
        &mut self,
        address: Register,
        variable: VariableId,
        value: Register,
        type_: TypeId,
    ) -> Result<(), Mistake> {
        let known = self.names.variables.get(variable);
        let size = known
            .and_then(|it| it.type_)
            .map_or(0, |it| self.types.size(it));
        let whole = self.variable(variable)?;
        let copy = self.code.take()?;
        self.zeros(copy, size)?;
        let bytes = self.code.constant(size.into())?;
        self.copy(copy, whole, bytes);
        let target = self.code.take()?;
        self.code.push(Op::Sub, target, (address, whole), 0);
        self.code.push(Op::Add, target, (target, copy), 0);
        self.store_at(target, value, type_)?;
        self.code.act(Op::Stv, copy, variable as u32);
        self.give_all(&[whole, copy, target]);
        Ok(())
    }

    fn store_at(
        &mut self,
        address: Register,
        value: Register,
        type_: TypeId,
    ) -> Result<(), Mistake> {
        if self.types.is_text(type_) {
            return self.copy_text(address, value);
        }
        if self.types.is_aggregate(type_) {
            let size = self.code.constant(self.types.size(type_).into())?;
            self.copy(address, value, size);
            return Ok(());
        }
        self.store_number(address, value, type_);
        Ok(())
    }

    /// A new structure in scratch memory with these members.
    pub(super) fn build(&mut self, parts: &[Part], type_: TypeId) -> Result<Register, Mistake> {
        let type_ = self.types.pointee(type_).unwrap_or(type_);
        let size = self.types.size(type_);
        self.code.takes(size);
        let base = self.code.take()?;
        self.zeros(base, size)?;
        for part in parts {
            let value = self.value(&part.value)?;
            let address = self.code.constant(part.offset.into())?;
            let address = match address {
                Register::ZERO => self.code.take()?,
                other => other,
            };
            let operands = (
                base,
                if part.offset == 0 {
                    Register::ZERO
                } else {
                    address
                },
            );
            self.code.push(Op::Add, address, operands, 0);
            match part.bits {
                Some(bits) => self.insert(address, value, bits, part.value.type_)?,
                None => self.store_at(address, value, part.value.type_)?,
            }
            self.code.give(address);
            self.code.give(value);
        }
        Ok(base)
    }

    /// Stores a number or a pointer.
    pub(super) fn store_number(&mut self, address: Register, value: Register, type_: TypeId) {
        let op = match self.types.size(type_) {
            1 => Op::Stb,
            2 => Op::Sth,
            4 => Op::Stw,
            _ => Op::Stx,
        };
        self.code.push(op, Register::ZERO, (address, value), 0);
    }

    /// Copies a string with its NUL to an address.
    fn copy_text(&mut self, address: Register, text: Register) -> Result<(), Mistake> {
        self.code.act(Op::Push, text, 0);
        let length = self.code.make(Op::Call, Subroutine::Strlen.code())?;
        let one = self.code.constant(1)?;
        let size = self.code.combine(Op::Add, length, one)?;
        self.copy(address, text, size);
        Ok(())
    }

    /// Copies `size` bytes to an address; releases `size`.
    fn copy(&mut self, address: Register, from: Register, size: Register) {
        for argument in [from, address, size] {
            self.code.act(Op::Push, argument, 0);
        }
        let zeros = (Register::ZERO, Register::ZERO);
        self.code
            .push(Op::Call, size, zeros, Subroutine::Bcopy.code());
        self.code.give(size);
    }

    fn give_place(&mut self, place: &Place) {
        match place {
            Place::Variable(_) => {}
            Place::Element(_, keys) => self.give_all(keys),
            Place::Memory(address) => {
                self.give_root(address);
                self.code.give(address.register);
            }
        }
    }

    /// Releases the registers of an address other than itself.
    pub(super) fn give_root(&mut self, address: &Address) {
        if let Some(root) = &address.root {
            let (whole, place) = &**root;
            if *whole != address.register {
                self.code.give(*whole);
            }
            self.give_place(place);
        }
    }
}

fn plain(register: Register) -> Address {
    Address {
        register,
        bits: None,
        variable: None,
        root: None,
    }
}

/// What a bit-field keeps of a value.
fn kept_bits(place: &Expression) -> Option<Bits> {
    match place.kind {
        ExpressionKind::Member { bits, .. } => bits.map(|bits| Bits { first: 0, ..bits }),
        _ => None,
    }
}

fn rooted(register: Register, place: Place) -> Address {
    Address {
        register,
        bits: None,
        variable: None,
        root: Some(Box::new((register, place))),
    }
}
