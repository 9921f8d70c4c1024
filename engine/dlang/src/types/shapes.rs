//! The shapes of types.

use std::rc::Rc;

use super::{Type, TypeId, Types};
use crate::shape::{Kind, Member, Shape};

/// How deeply structures are printed. Types from a file may contain themselves.
const DEPTH_MAX: u32 = 32;

/// How many members are printed.
const MEMBERS_MAX: u32 = 1 << 14;

/// How much is left to be printed.
struct Room {
    depth: u32,
    members: u32,
}

impl Types {
    /// Looks up whatever of the kernel's types is needed for the shape of this one.
    pub(crate) fn complete_all(&mut self, id: TypeId) {
        let mut left = MEMBERS_MAX;
        self.complete_within(id, 0, &mut left);
    }

    fn complete_within(&mut self, id: TypeId, depth: u32, left: &mut u32) {
        if depth > DEPTH_MAX {
            return;
        }
        if let Type::Array(of, _) = *self.kind(id) {
            return self.complete_within(of, depth + 1, left);
        }
        self.complete(id);
        for type_ in self.member_types(id) {
            let Some(rest) = left.checked_sub(1) else {
                return;
            };
            *left = rest;
            self.complete_within(type_, depth + 1, left);
        }
    }

    /// What a value of this type looks like.
    pub(crate) fn shape(&self, id: TypeId) -> Shape {
        let mut room = Room {
            depth: DEPTH_MAX,
            members: MEMBERS_MAX,
        };
        self.shape_within(id, &mut room)
    }

    fn shape_within(&self, id: TypeId, room: &mut Room) -> Shape {
        let kind = match self.kind(id) {
            Type::Pointer(_) => Kind::Pointer,
            Type::Text => Kind::Text,
            Type::Enumeration(_) => Kind::Enumeration(self.enumerators(id)),
            Type::Integer(integer) if integer.is_signed => Kind::Signed,
            Type::Integer(_) => Kind::Unsigned,
            Type::Array(of, _) => self.within(room, |types, room| {
                Kind::Array(Box::new(types.shape_within(*of, room)))
            }),
            Type::Structure(_) => self.within(room, |types, room| types.member_shapes(id, room)),
            _ => Kind::Opaque,
        };
        Shape {
            name: self.name(id),
            size: self.size(id),
            kind,
        }
    }

    fn within(&self, room: &mut Room, work: impl FnOnce(&Self, &mut Room) -> Kind) -> Kind {
        let Some(deeper) = room.depth.checked_sub(1) else {
            return Kind::Opaque;
        };
        room.depth = deeper;
        let kind = work(self, room);
        room.depth += 1;
        kind
    }

    fn member_shapes(&self, id: TypeId, room: &mut Room) -> Kind {
        let mut members = Vec::new();
        for member in self.members_of(id) {
            let Some(left) = room.members.checked_sub(1) else {
                break;
            };
            room.members = left;
            members.push(Member {
                name: member.name.clone(),
                offset: member.offset,
                bits: member.bits.map(|it| (it.first, it.width)),
                shape: self.shape_within(member.type_, room),
            });
        }
        Kind::Members(members)
    }

    fn enumerators(&self, id: TypeId) -> Vec<(i64, Rc<str>)> {
        self.enumerator_list(id).unwrap_or_default()
    }
}
