//! Variables and array elements: scalars by value, strings and bytes through scratch memory.

use core::mem;

use engine_abi::{Fault, Scope, ValueKind};

use crate::env::{Env, Held};
use crate::machine::Machine;
use crate::memory::{Reader, Trouble, end};
use crate::rows::Variable;

impl<E: Env> Machine<'_, E> {
    /// Reads a variable, or the element with the pushed key.
    #[inline(never)]
    pub(crate) fn get(&mut self, number: u32) -> Result<u64, Trouble> {
        let variable = self.variable(number)?;
        let key = key(variable, self.key, &mut self.pushed);
        if variable.kind == ValueKind::Scalar {
            return Ok(self.env.get(number, key));
        }
        let size = variable.size as usize;
        let (_, room) = self.space.room(size)?;
        match self.env.get_bytes(number, key, room) {
            Held::Value => Ok(self.space.keep(size)),
            Held::Nothing if is_empty_at_first(variable) => {
                end(room, 0);
                Ok(self.space.keep(1))
            }
            Held::Nothing | Held::Null => Ok(0),
        }
    }

    /// Sets a variable, or the element with the pushed key, to a value or to the data at an
    /// address.
    #[inline(never)]
    pub(crate) fn set(&mut self, number: u32, value: u64) -> Result<(), Trouble> {
        let variable = self.variable(number)?;
        let key = key(variable, self.key, &mut self.pushed);
        if variable.kind == ValueKind::Scalar {
            self.env.set(number, key, value);
            return Ok(());
        }
        if value == 0 {
            self.env.set_bytes(number, key, None);
            return Ok(());
        }
        let (own, room) = self.space.room(variable.size as usize)?;
        let env = &mut *self.env;
        let mut reader = Reader { own, env };
        match variable.kind {
            ValueKind::Text => reader.padded_text(value, room)?,
            _ => reader.bytes(value, room)?,
        }
        self.env.set_bytes(number, key, Some(room));
        Ok(())
    }

    fn variable(&self, number: u32) -> Result<Variable, Trouble> {
        let variable = self.space.tables().variable(number);
        variable.ok_or(Fault::IllegalOperation.into())
    }
}

/// Whether it is a string that is empty until it is set, as in DTrace those are that have memory of
/// their own from the beginning.
fn is_empty_at_first(variable: Variable) -> bool {
    let is_dynamic = variable.is_array() || variable.scope == Scope::Thread;
    variable.kind == ValueKind::Text && !is_dynamic
}

/// Takes an array's key from the pushed values. A plain variable has none, and leaves them for
/// their consumer.
fn key<'k>(variable: Variable, pushed: &'k [u8], size: &mut usize) -> &'k [u8] {
    if !variable.is_array() {
        return &[];
    }
    pushed.get(..mem::take(size)).unwrap_or_default()
}
