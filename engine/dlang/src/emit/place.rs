//! Code for places: the targets of assignments.

use engine_dvm::{Op, Subroutine};

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::names::VariableId;
use crate::tree::{Expression, ExpressionKind};
use crate::types::TypeId;

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
    /// For an array in a variable: the copy of the whole array, and the place to write it back to.
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
            ExpressionKind::Load(address) => Place::Memory(Address {
                register: self.value(address)?,
                root: None,
            }),
            _ => Place::Memory(self.address(place)?),
        })
    }

    /// The address of an array, or of an element of one.
    pub(super) fn address(&mut self, place: &Expression) -> Result<Address, Mistake> {
        match &place.kind {
            ExpressionKind::Subscript(base, index) => {
                // The index may modify the array, so it is evaluated before the copy.
                let distance = self.scaled(index, self.types.size(place.type_))?;
                let base = self.address(base)?;
                self.moved(base, distance)
            }
            ExpressionKind::Variable(variable) => {
                let register = self.variable(*variable)?;
                Ok(rooted(register, Place::Variable(*variable)))
            }
            ExpressionKind::Element(variable, keys) => {
                let keys = self.values(keys)?;
                let register = self.element(*variable, &keys)?;
                Ok(rooted(register, Place::Element(*variable, keys)))
            }
            _ => Ok(Address {
                register: self.value(place)?,
                root: None,
            }),
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
            root: Some(root),
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
        self.moved(rooted(whole, kept), distance).map(Place::Memory)
    }

    /// A copy of an array in a variable, or in an element of an associative array.
    fn array(&mut self, place: &Place) -> Result<Register, Mistake> {
        match place {
            Place::Element(variable, keys) => self.element(*variable, keys),
            Place::Variable(variable) => self.variable(*variable),
            Place::Memory(address) => Ok(address.register),
        }
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
                self.load(copy, expression.type_, expression.line)
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
            Place::Memory(address) => {
                self.store_at(address.register, value, type_)?;
                if let Some(root) = &address.root {
                    let (whole, place) = &**root;
                    self.store(place, *whole, type_)?;
                }
            }
        }
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
        let op = match self.types.size(type_) {
            1 => Op::Stb,
            2 => Op::Sth,
            4 => Op::Stw,
            _ => Op::Stx,
        };
        self.code.push(op, Register::ZERO, (address, value), 0);
        Ok(())
    }

    /// Copies a string with its NUL to an address.
    fn copy_text(&mut self, address: Register, text: Register) -> Result<(), Mistake> {
        self.code.act(Op::Push, text, 0);
        let length = self.code.make(Op::Call, Subroutine::Strlen.code())?;
        let one = self.code.constant(1)?;
        let size = self.code.combine(Op::Add, length, one)?;
        for argument in [text, address, size] {
            self.code.act(Op::Push, argument, 0);
        }
        let zeros = (Register::ZERO, Register::ZERO);
        self.code
            .push(Op::Call, size, zeros, Subroutine::Bcopy.code());
        self.code.give(size);
        Ok(())
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

fn rooted(register: Register, place: Place) -> Address {
    Address {
        register,
        root: Some(Box::new((register, place))),
    }
}
