//! Sizes of types, and where members are.

use crate::btf::Btf;
use crate::error::{Error, Result};
use crate::id::TypeId;
use crate::kind::Kind;
use crate::list::{List, Member};

/// The deepest nesting of anonymous structs and unions, and of arrays.
const DEEPEST: usize = 64;
/// The most members that a search looks at. Types of real kernels have a few hundred, with all that
/// is anonymous in them.
const MOST_MEMBERS: usize = 1 << 17;

/// A member, found by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'b> {
    /// Its name.
    pub name: &'b str,
    /// Its type.
    pub target: TypeId,
    /// The bits before it, from the beginning of the outermost type.
    pub bit_offset: u64,
    /// The number of its bits if it is a bit-field, otherwise 0.
    pub bit_size: u8,
}

impl Btf<'_> {
    /// The size of a type in bytes.
    ///
    /// # Errors
    /// It has none: it is a function, incomplete, defined by itself, or larger than any memory.
    pub fn size_of(&self, id: TypeId, pointer_size: u32) -> Result<u64> {
        let (mut inner, mut factor) = (id, 1_u64);
        for _ in 0..DEEPEST {
            let size = match self.resolve(inner)?.kind {
                Kind::Array { element, count, .. } => {
                    factor = factor.checked_mul(count.into()).ok_or(Error::Huge(id))?;
                    inner = element;
                    continue;
                }
                Kind::Variable { target, .. } => {
                    inner = target;
                    continue;
                }
                Kind::Pointer(_) => pointer_size,
                Kind::Int(int) => int.size,
                Kind::Struct { size, .. }
                | Kind::Union { size, .. }
                | Kind::Enum { size, .. }
                | Kind::Enum64 { size, .. }
                | Kind::Section { size, .. }
                | Kind::Float { size } => size,
                _ => return Err(Error::NoSize(inner)),
            };
            return factor.checked_mul(size.into()).ok_or(Error::Huge(id));
        }
        Err(Error::Endless(id))
    }

    /// The members of a struct or union, behind typedefs and qualifiers.
    ///
    /// # Errors
    /// It is neither.
    pub fn members(&self, id: TypeId) -> Result<List<'_, Member<'_>>> {
        match self.resolve(id)?.kind {
            Kind::Struct { members, .. } | Kind::Union { members, .. } => Ok(members),
            _ => Err(Error::NoMembers(id)),
        }
    }

    /// A member of a struct or union by its name, also one of an anonymous member.
    ///
    /// # Errors
    /// The type has no members, or anonymous ones without end.
    pub fn member(&self, id: TypeId, name: &str) -> Result<Option<Found<'_>>> {
        let mut left = MOST_MEMBERS;
        let mut open = vec![(0_u64, self.members(id)?)];
        while let Some((outer, members)) = open.last_mut() {
            let Some(member) = members.next() else {
                open.pop();
                continue;
            };
            left = left.checked_sub(1).ok_or(Error::Endless(id))?;
            let bit_offset = *outer + u64::from(member.bit_offset);
            if member.name == name && !name.is_empty() {
                return Ok(Some(Found {
                    name: member.name,
                    target: member.target,
                    bit_offset,
                    bit_size: member.bit_size,
                }));
            }
            if member.name.is_empty()
                && let Ok(members) = self.members(member.target)
            {
                if open.len() == DEEPEST {
                    return Err(Error::Endless(id));
                }
                open.push((bit_offset, members));
            }
        }
        Ok(None)
    }
}
