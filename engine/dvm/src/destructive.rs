//! Subroutines that change the system. What is refused is an illegal operation, and user memory that
//! cannot be written a bad address.

use engine_abi::Fault;

use crate::env::{Destructive, Env, Refused};
use crate::limits::{STORE_WORK, WORK_MAX};
use crate::machine::Machine;
use crate::memory::{Reader, Trouble};
use crate::names::Subroutine;

/// Bytes that are copied at a time.
const PIECE: usize = 64;

impl<E: Env> Machine<'_, E> {
    /// Calls a destructive subroutine. It gives 0.
    #[inline(never)]
    pub(crate) fn destructive(
        &mut self,
        subroutine: Subroutine,
        [a, b, c]: [u64; 3],
    ) -> Result<u64, Trouble> {
        let action = match subroutine {
            Subroutine::Copyout => return self.copyout(a, b, c),
            Subroutine::Copyoutstr => return self.copyoutstr(a, b, c),
            Subroutine::Raise => Destructive::Raise(a),
            Subroutine::Stop => Destructive::Stop,
            Subroutine::Chill => Destructive::Chill(a),
            Subroutine::Panic => Destructive::Panic,
            Subroutine::Breakpoint => Destructive::Breakpoint,
            _ => return Err(Fault::IllegalOperation.into()),
        };
        let performed = self.env.perform(action);
        performed.map_err(|Refused| Fault::IllegalOperation)?;
        Ok(0)
    }

    /// Copies any memory to user memory, piece by piece: after a fault, some of it is copied.
    fn copyout(&mut self, from: u64, to: u64, size: u64) -> Result<u64, Trouble> {
        if size > WORK_MAX.into() || to.checked_add(size).is_none() {
            return Err(Trouble::bad_size(size));
        }
        let mut piece = [0; PIECE];
        let mut done = 0;
        while done < size {
            let left = size.wrapping_sub(done);
            let part = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let bytes = piece.get_mut(..part).unwrap_or_default();
            let own = self.space.own();
            let env = &mut *self.env;
            Reader { own, env }.bytes(from.wrapping_add(done), bytes)?;
            self.store_user(to.wrapping_add(done), &piece, part)?;
            done = done.wrapping_add(PIECE as u64);
        }
        Ok(0)
    }

    /// Copies a string and its NUL, or as much of them as `most` says.
    fn copyoutstr(&mut self, text: u64, to: u64, most: u64) -> Result<u64, Trouble> {
        let size = self.string_size();
        let (mut reader, room) = self.room(size)?;
        let length = reader.text(text, room)?.wrapping_add(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let bytes = room.get(..length.min(most)).unwrap_or_default();
        let stored = reader.env.store_user(to, bytes);
        stored.map_err(|Refused| Trouble::bad(to))?;
        Ok(0)
    }

    /// Writes the first `size` bytes of a piece.
    fn store_user(
        &mut self,
        address: u64,
        piece: &[u8; PIECE],
        size: usize,
    ) -> Result<(), Trouble> {
        self.space.charge(size.wrapping_add(STORE_WORK as usize))?;
        let bytes = piece.get(..size).unwrap_or_default();
        let stored = self.env.store_user(address, bytes);
        stored.map_err(|Refused| Trouble::bad(address))
    }
}
