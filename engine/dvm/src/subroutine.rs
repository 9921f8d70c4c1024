//! Subroutines. Arguments are read into unused scratch memory, and a result that is an address is
//! allocated there.

use core::ops::Range;

use engine_abi::Fault;

use crate::env::{Env, Unreadable};
use crate::limits::WALK_WORK;
use crate::machine::Machine;
use crate::memory::{Trouble, copy, end, foreign_text};
use crate::names::Subroutine;
use crate::strings::{self, Digits, Tokens};

/// The arguments of a subroutine.
#[derive(Debug, Clone, Copy)]
struct Arguments {
    values: [u64; Subroutine::ARGUMENTS_MAX as usize],
    count: usize,
}

impl Arguments {
    fn of(pushed: &[u8]) -> Self {
        let mut values = [0; Subroutine::ARGUMENTS_MAX as usize];
        let words = pushed.as_chunks().0;
        for (value, word) in values.iter_mut().zip(words) {
            *value = u64::from_ne_bytes(*word);
        }
        Self {
            values,
            count: words.len(),
        }
    }

    /// The optional third argument, signed.
    fn third_or(self, default: i64) -> i64 {
        match self {
            Self {
                values: [_, _, third],
                count: 3,
            } => third as i64,
            _ => default,
        }
    }

    /// The second argument, where it is optional.
    fn second(self) -> Option<u64> {
        let [_, second, _] = self.values;
        (self.count > 1).then_some(second)
    }
}

impl<E: Env> Machine<'_, E> {
    /// Calls a subroutine with the pushed arguments.
    #[inline(never)]
    pub(crate) fn call(&mut self, subroutine: Subroutine) -> Result<u64, Trouble> {
        let arguments = Arguments::of(self.key.get(..self.pushed).unwrap_or_default());
        self.pushed = 0;
        let [a, b, c] = arguments.values;
        match subroutine {
            // D's rand() is a nonnegative int.
            Subroutine::Rand => Ok(self.env.random() & 0x7fff_ffff),
            Subroutine::Copyin => self.copyin(a, b),
            Subroutine::Copyinstr => self.copyinstr(a, arguments.second()),
            Subroutine::Copyinto => self.copyinto(a, b, c),
            Subroutine::Alloca => self.alloca(a),
            Subroutine::Bcopy => self.space.copy(self.env, a, b, c).map(|()| 0),
            Subroutine::Strlen => self.strlen(a),
            Subroutine::Strjoin => self.strjoin(a, b),
            Subroutine::Substr => {
                let wanted = arguments.third_or(self.string_size() as i64);
                self.cut(a, |text| Some(strings::part(text.len(), b as i64, wanted)))
            }
            Subroutine::Strchr => self.strchr(a, b as u8, false),
            Subroutine::Strrchr => self.strchr(a, b as u8, true),
            Subroutine::Strstr => {
                let found = self.search(a, b, |text, part| strings::index(text, part, 0))?;
                Ok(found.map_or(0, |at| a.wrapping_add(at)))
            }
            Subroutine::Index => {
                let position = arguments.third_or(0);
                let found = self.search(a, b, |text, part| strings::index(text, part, position))?;
                Ok(found.unwrap_or(u64::MAX))
            }
            Subroutine::Rindex => {
                let position = arguments.third_or(i64::MAX);
                let found =
                    self.search(a, b, |text, part| strings::rindex(text, part, position))?;
                Ok(found.unwrap_or(u64::MAX))
            }
            Subroutine::Strtok => self.strtok(a, b),
            Subroutine::Lltostr => self.lltostr(a, arguments.second()),
            Subroutine::Basename => self.cut(a, strings::basename),
            Subroutine::Dirname => self.cut(a, strings::dirname),
            Subroutine::Speculation => {
                self.space.charge(WALK_WORK as usize)?;
                Ok(self.env.speculation())
            }
        }
    }

    fn copyin(&mut self, address: u64, size: u64) -> Result<u64, Trouble> {
        let size = usize::try_from(size).map_err(|_| Fault::NoScratch)?;
        let (reader, room) = self.room(size)?;
        let loaded = reader.env.load_user(address, room);
        loaded.map_err(|Unreadable| Trouble::bad(address))?;
        Ok(self.space.keep(size))
    }

    fn copyinstr(&mut self, address: u64, most: Option<u64>) -> Result<u64, Trouble> {
        let size = self.string_size();
        let size = match most.map(usize::try_from) {
            Some(Ok(most)) if most < size => most.wrapping_add(1),
            _ => size,
        };
        let (reader, room) = self.room(size)?;
        let length = foreign_text(address, room, |address, bytes| {
            reader.env.load_user(address, bytes)
        })?;
        Ok(self.keep_text(length))
    }

    fn copyinto(&mut self, address: u64, size: u64, to: u64) -> Result<u64, Trouble> {
        let size = usize::try_from(size).map_err(|_| Trouble::bad(to))?;
        self.space.writable(to, size)?;
        self.space.charge(size)?;
        let place = self.space.writable(to, size)?;
        let loaded = self.env.load_user(address, place);
        loaded.map_err(|Unreadable| Trouble::bad(address))?;
        Ok(0)
    }

    fn alloca(&mut self, size: u64) -> Result<u64, Trouble> {
        let size = usize::try_from(size).map_err(|_| Fault::NoScratch)?;
        let (_, room) = self.room(size)?;
        room.iter_mut().for_each(|byte| *byte = 0);
        Ok(self.space.keep(size))
    }

    fn strlen(&mut self, text: u64) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        reader.text(text, room).map(|length| length as u64)
    }

    fn strjoin(&mut self, one: u64, other: u64) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        let length = reader.text(one, room)?;
        let rest = room.get_mut(length..).unwrap_or_default();
        let more = reader.text(other, rest)?;
        Ok(self.keep_text(length.wrapping_add(more)))
    }

    /// The part of a string that `choose` selects, or `.`.
    fn cut(
        &mut self,
        text: u64,
        choose: impl FnOnce(&[u8]) -> Option<Range<usize>>,
    ) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        let length = reader.text(text, room)?;
        let chosen = choose(room.get(..length).unwrap_or_default());
        let kept = match chosen {
            Some(part) => shift_to_front(room, part),
            None => {
                copy(room, b".");
                1
            }
        };
        end(room, kept);
        Ok(self.keep_text(kept))
    }

    fn strchr(&mut self, text: u64, character: u8, is_last: bool) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        let length = reader.text(text, room)?;
        let found = room.get(..length).unwrap_or_default();
        let found = strings::character(found, character, is_last);
        Ok(found.map_or(0, |at| text.wrapping_add(at as u64)))
    }

    /// The position at which `find` finds one string in another.
    fn search(
        &mut self,
        text: u64,
        part: u64,
        find: impl FnOnce(&[u8], &[u8]) -> Option<usize>,
    ) -> Result<Option<u64>, Trouble> {
        let size = self.string_size();
        let (mut reader, room) = self.room(size.wrapping_mul(2))?;
        let (text_room, part_room) = room.split_at_mut_checked(size).unwrap_or_default();
        let length = reader.text(text, text_room)?;
        let part_length = reader.text(part, part_room)?;
        let text = text_room.get(..length).unwrap_or_default();
        let part = part_room.get(..part_length).unwrap_or_default();
        Ok(find(text, part).map(|at| at as u64))
    }

    fn strtok(&mut self, text: u64, separators: u64) -> Result<u64, Trouble> {
        let size = self.string_size();
        let tokens = match text {
            0 => self.tokens,
            address => Tokens {
                address,
                left: size,
            },
        };
        if tokens.address == 0 {
            return Ok(0);
        }
        let (mut reader, room) = self.room(size.wrapping_mul(2))?;
        let (text, separator_room) = room.split_at_mut_checked(size).unwrap_or_default();
        let text = text.get_mut(..tokens.left).unwrap_or_default();
        let length = reader.text(tokens.address, text)?;
        let count = reader.text(separators, separator_room)?;
        let separators = separator_room.get(..count).unwrap_or_default();
        let token = strings::token(text.get(..length).unwrap_or_default(), separators);
        let Some(token) = token else {
            self.tokens = Tokens::default();
            return Ok(0);
        };
        let behind = token.end;
        let kept = shift_to_front(text, token);
        end(text, kept);
        self.tokens = Tokens {
            address: tokens.address.wrapping_add(behind as u64),
            left: tokens.left.wrapping_sub(behind),
        };
        Ok(self.keep_text(kept))
    }

    fn lltostr(&mut self, number: u64, base: Option<u64>) -> Result<u64, Trouble> {
        let digits = Digits::of(number, base.unwrap_or(10)).ok_or(Fault::IllegalOperation)?;
        let size = self.string_size();
        let (_, room) = self.room(size)?;
        let length = digits.as_bytes().len().min(size.wrapping_sub(1));
        copy(room, digits.as_bytes());
        end(room, length);
        Ok(self.keep_text(length))
    }
}

/// Moves a part of `bytes` to the beginning. Returns its length.
fn shift_to_front(bytes: &mut [u8], part: Range<usize>) -> usize {
    for (to, from) in part.clone().enumerate() {
        let byte = bytes.get(from).copied();
        if let (Some(byte), Some(place)) = (byte, bytes.get_mut(to)) {
            *place = byte;
        }
    }
    part.len()
}
