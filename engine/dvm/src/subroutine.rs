//! Subroutines. Arguments are read into unused scratch memory, and a result that is an address is
//! allocated there.

use core::ops::Range;

use engine_abi::Fault;

use crate::address::Location;
use crate::env::{Env, Unreadable};
use crate::json;
use crate::limits::WALK_WORK;
use crate::machine::Machine;
use crate::memory::{Reader, Trouble, check_copied, copy, end, foreign_text};
use crate::names::Subroutine;
use crate::network::{ADDRESS_MAX, Kind};
use crate::strings::{self, Digits};
use crate::{number, path};

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
            Subroutine::Bcopy => self.bcopy(a, b, c),
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
            other => self.call_other(other, arguments),
        }
    }

    /// The subroutines of numbers, whole strings and addresses.
    #[inline(never)]
    fn call_other(&mut self, subroutine: Subroutine, arguments: Arguments) -> Result<u64, Trouble> {
        let [a, b, _] = arguments.values;
        match subroutine {
            Subroutine::Strtoll => self.strtoll(a, arguments.second()),
            Subroutine::Tolower => self.rewrite(a, |text| {
                text.make_ascii_lowercase();
                text.len()
            }),
            Subroutine::Toupper => self.rewrite(a, |text| {
                text.make_ascii_uppercase();
                text.len()
            }),
            Subroutine::Cleanpath => self.rewrite(a, path::clean),
            Subroutine::Json => self.json(a, b),
            Subroutine::Progenyof => {
                self.space.charge(WALK_WORK as usize)?;
                Ok(self.env.descends_from(a).into())
            }
            Subroutine::InetNtoa | Subroutine::InetNtoa6 => self.address(subroutine, 0, a),
            Subroutine::InetNtop | Subroutine::LinkNtop => self.address(subroutine, a, b),
            _ if subroutine.is_destructive() => self.destructive(subroutine, arguments.values),
            _ => Ok(number::of(subroutine, a).ok_or(Fault::IllegalOperation)?),
        }
    }

    fn copyin(&mut self, address: u64, size: u64) -> Result<u64, Trouble> {
        let env = &mut *self.env;
        self.space.allocate(size, |room| {
            let loaded = env.load_user(address, room);
            loaded.map_err(|Unreadable| Trouble::bad(address))
        })
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

    fn bcopy(&mut self, from: u64, to: u64, size: u64) -> Result<u64, Trouble> {
        if let Location::Variable(..) = Location::of(to) {
            return self.copy_to_variable(to, size, |reader, room| reader.bytes(from, room));
        }
        self.space.copy(self.env, from, to, size)?;
        Ok(0)
    }

    /// Builds in scratch memory, which has room for every variable, what `fill` copies.
    fn copy_to_variable(
        &mut self,
        to: u64,
        size: u64,
        fill: impl FnOnce(&mut Reader<'_, E>, &mut [u8]) -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let Location::Variable(number, offset) = Location::of(to) else {
            return Err(Trouble::bad(to));
        };
        check_copied(self.space.tables(), to, (number, offset), size)?;
        let (mut reader, room) = self.room(size as usize)?;
        fill(&mut reader, room)?;
        reader.env.store_part(number, offset, room);
        self.charge_new()?;
        Ok(0)
    }

    fn copyinto(&mut self, address: u64, size: u64, to: u64) -> Result<u64, Trouble> {
        if let Location::Variable(..) = Location::of(to) {
            return self.copy_to_variable(to, size, |reader, room| {
                let loaded = reader.env.load_user(address, room);
                loaded.map_err(|Unreadable| Trouble::bad(address))
            });
        }
        let bytes = self.space.target(to, size)?.len();
        self.space.charge(bytes)?;
        let place = self.space.target(to, size)?;
        let loaded = self.env.load_user(address, place);
        loaded.map_err(|Unreadable| Trouble::bad(address))?;
        Ok(0)
    }

    fn alloca(&mut self, size: u64) -> Result<u64, Trouble> {
        self.space.allocate(size, |room| {
            room.iter_mut().for_each(|byte| *byte = 0);
            Ok(())
        })
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

    /// The string is kept from the first call on, since its memory may be gone at the next.
    fn strtok(&mut self, text: u64, separators: u64) -> Result<u64, Trouble> {
        let size = self.string_size();
        let (own, room) = self.space.room(size.wrapping_mul(2))?;
        let env = &mut *self.env;
        let mut reader = Reader { own, env };
        let (room, separator_room) = room.split_at_mut_checked(size).unwrap_or_default();
        let (has_begun, kept) = self
            .tokens
            .split_first_mut()
            .ok_or(Fault::IllegalOperation)?;
        let length = match (text, *has_begun) {
            (0, 0) => return Err(Trouble::bad(0)),
            (0, _) => {
                copy(room, kept);
                kept.iter().position(|byte| *byte == 0).unwrap_or(0)
            }
            _ => reader.text(text, room)?,
        };
        let count = reader.text(separators, separator_room)?;
        let separators = separator_room.get(..count).unwrap_or_default();
        let token = strings::token(room.get(..length).unwrap_or_default(), separators);
        let behind = token.as_ref().map_or(length, |token| token.end);
        let rest = room.get(behind..length).unwrap_or_default();
        *has_begun = 1;
        copy(kept, rest);
        end(kept, rest.len());
        let Some(token) = token else {
            return Ok(0);
        };
        let length = shift_to_front(room, token);
        end(room, length);
        Ok(self.keep_text(length))
    }

    fn lltostr(&mut self, number: u64, base: Option<u64>) -> Result<u64, Trouble> {
        let digits = Digits::of(number, base.unwrap_or(10)).ok_or(Fault::IllegalOperation)?;
        self.new_text(digits.as_bytes())
    }

    /// A string of these bytes, truncated to fit.
    fn new_text(&mut self, bytes: &[u8]) -> Result<u64, Trouble> {
        let size = self.string_size();
        let (_, room) = self.room(size)?;
        let length = bytes.len().min(size.wrapping_sub(1));
        copy(room, bytes);
        end(room, length);
        Ok(self.keep_text(length))
    }

    fn strtoll(&mut self, text: u64, base: Option<u64>) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        let length = reader.text(text, room)?;
        let text = room.get(..length).unwrap_or_default();
        let parsed = number::parsed(text, base.unwrap_or(10));
        Ok(parsed.ok_or(Fault::IllegalOperation)? as u64)
    }

    /// A copy of a string that `change` has rewritten; it returns the new length.
    fn rewrite(
        &mut self,
        text: u64,
        change: impl FnOnce(&mut [u8]) -> usize,
    ) -> Result<u64, Trouble> {
        let (mut reader, room) = self.room(self.string_size())?;
        let length = reader.text(text, room)?;
        let kept = change(room.get_mut(..length).unwrap_or_default());
        end(room, kept);
        Ok(self.keep_text(kept))
    }

    fn json(&mut self, text: u64, path: u64) -> Result<u64, Trouble> {
        let size = self.string_size();
        let (mut reader, room) = self.room(size.wrapping_mul(2))?;
        let (text_room, path_room) = room.split_at_mut_checked(size).unwrap_or_default();
        let length = reader.text(text, text_room)?;
        let path_length = reader.text(path, path_room)?;
        let path = path_room.get(..path_length).unwrap_or_default();
        let found = json::select(text_room.get(..length).unwrap_or_default(), path);
        let Some(found) = found else {
            return Ok(0);
        };
        let kept = shift_to_front(text_room, found);
        end(text_room, kept);
        Ok(self.keep_text(kept))
    }

    /// The text of a network address in memory.
    fn address(
        &mut self,
        subroutine: Subroutine,
        family: u64,
        address: u64,
    ) -> Result<u64, Trouble> {
        let kind = Kind::of(subroutine, family).ok_or(Fault::IllegalOperation)?;
        let mut bytes = [0; ADDRESS_MAX];
        let (mut reader, _) = self.room(0)?;
        reader.bytes(address, bytes.get_mut(..kind.size()).unwrap_or_default())?;
        self.new_text(kind.text(&bytes).as_bytes())
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
