//! Structures, unions and enumerations: their tags, layout and members.
//!
//! The layout is that of the psABI of all three architectures: a member is aligned to its type, and
//! a bit-field lies within one unit of its type.

use std::collections::HashMap;
use std::rc::Rc;

use engine_btf::TypeId as KernelId;

use super::{Integer, Type, TypeId, Types};

/// Where a type was imported from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub source: usize,
    pub id: KernelId,
}

/// What a tag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Struct,
    Union,
    Enum,
}

impl Family {
    /// Its keyword.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
        }
    }
}

/// The ID of a structure, a union or an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TagId(u32);

/// A structure, a union or an enumeration; without a definition it is incomplete.
#[derive(Debug, Clone)]
pub(super) struct Tagged {
    pub family: Family,
    /// Its tag; `None` if it is anonymous.
    pub name: Option<Rc<str>>,
    pub definition: Option<Definition>,
    /// Whether the program declares it by itself: `struct tag;`.
    pub is_own: bool,
}

/// The definition of a structure, a union or an enumeration.
#[derive(Debug, Clone)]
pub(super) enum Definition {
    Members(Layout),
    Enumerators(Integer, Values),
}

/// Where the values of an enumeration are.
#[derive(Debug, Clone)]
pub(super) enum Values {
    Own(Vec<(i64, Rc<str>)>),
    Imported(Origin),
}

/// The members of a structure or a union.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub size: u32,
    pub alignment: u32,
    members: Vec<Member>,
    /// The members with a name, by it.
    names: HashMap<Rc<str>, usize>,
    /// The members without one, whose own members are found through this one.
    anonymous: Vec<usize>,
    /// Where the members still have to be read from.
    unread: Option<Origin>,
}

/// A member of a structure or a union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name; `None` for a structure or a union whose members are those of the outer one.
    pub name: Option<Rc<str>>,
    pub type_: TypeId,
    /// Its offset in bytes; for a bit-field, that of its unit.
    pub offset: u32,
    pub bits: Option<Bits>,
}

/// The bits of a bit-field, within a unit of its type's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits {
    /// The number of its lowest bit.
    pub first: u32,
    pub width: u32,
}

/// The most anonymous members that a search looks into: types from a file may contain themselves.
const SEARCH_MAX: u32 = 256;

/// A definition that is being read.
pub(crate) struct Builder {
    family: Family,
    layout: Layout,
    /// The first free bit.
    end: u64,
}

impl Builder {
    pub(crate) fn new(family: Family) -> Self {
        Self {
            family,
            layout: Layout {
                alignment: 1,
                ..Layout::default()
            },
            end: 0,
        }
    }

    /// Whether it has no member yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.layout.members.is_empty()
    }

    /// Adds a member. Gives `false` if its name is taken.
    pub(crate) fn member(&mut self, types: &Types, name: Option<Rc<str>>, type_: TypeId) -> bool {
        let alignment = types.alignment(type_);
        let start = self.start().next_multiple_of(8 * u64::from(alignment));
        self.grow(start + 8 * u64::from(types.size(type_)), alignment);
        self.push(types, name, type_, start / 8, None)
    }

    /// Adds a bit-field; one of width 0 ends the unit. Gives `false` if its name is taken.
    pub(crate) fn bits(
        &mut self,
        types: &Types,
        name: Option<Rc<str>>,
        type_: TypeId,
        width: u32,
    ) -> bool {
        let unit = 8 * u64::from(types.size(type_)).max(1);
        let start = self.start();
        let last = start + u64::from(width.max(1)) - 1;
        let start = match width == 0 || start / unit != last / unit {
            true => start.next_multiple_of(unit),
            false => start,
        };
        let alignment = if name.is_some() {
            types.alignment(type_)
        } else {
            1
        };
        self.grow(start + u64::from(width), alignment);
        if name.is_none() {
            return true;
        }
        let bits = Bits {
            first: (start % unit) as u32,
            width,
        };
        self.push(types, name, type_, start / unit * unit / 8, Some(bits))
    }

    fn start(&self) -> u64 {
        match self.family {
            Family::Union => 0,
            _ => self.end,
        }
    }

    fn grow(&mut self, end: u64, alignment: u32) {
        self.end = self.end.max(end);
        self.layout.alignment = self.layout.alignment.max(alignment);
    }

    fn push(
        &mut self,
        types: &Types,
        name: Option<Rc<str>>,
        type_: TypeId,
        offset: u64,
        bits: Option<Bits>,
    ) -> bool {
        let member = Member {
            name,
            type_,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            bits,
        };
        let names = types.names_of(&member);
        if names.iter().any(|name| self.find(types, name).is_some()) {
            return false;
        }
        self.layout.push(member);
        true
    }

    fn find(&self, types: &Types, name: &str) -> Option<Member> {
        types.member_of(&self.layout, name)
    }

    /// The layout; `None` if it is larger than `most` bytes.
    pub(super) fn finish(mut self, most: u32) -> Option<Layout> {
        let bytes = self.end.div_ceil(8);
        let size = bytes.next_multiple_of(self.layout.alignment.into());
        self.layout.size = u32::try_from(size).ok().filter(|size| *size <= most)?;
        Some(self.layout)
    }
}

impl Layout {
    /// No members, within this size.
    pub(super) fn empty(size: u32) -> Self {
        Self {
            size,
            alignment: 1 << size.trailing_zeros().min(3),
            ..Self::default()
        }
    }

    /// Members that are read when one is looked up.
    pub(super) fn unread(size: u32, origin: Origin) -> Self {
        Self {
            unread: Some(origin),
            ..Self::empty(size)
        }
    }

    pub(super) fn unread_origin(&self) -> Option<Origin> {
        self.unread
    }

    /// Adds a member.
    pub(super) fn push(&mut self, member: Member) {
        let place = self.members.len();
        match &member.name {
            Some(name) => drop(self.names.insert(name.clone(), place)),
            None => self.anonymous.push(place),
        }
        self.members.push(member);
    }
}

impl Types {
    /// The type with this tag.
    pub(crate) fn tagged(&self, family: Family, name: &str) -> Option<TypeId> {
        self.tags.get(&(family, name.into())).copied()
    }

    /// Adds a type without a definition, and its tag.
    pub(crate) fn declare_tag(&mut self, family: Family, name: Option<Rc<str>>) -> TypeId {
        let id = self.new_tag(family, name.clone());
        if let Some(name) = name {
            self.tags.insert((family, name), id);
        }
        id
    }

    /// Adds a type without a definition, whose tag other types may have, too.
    pub(super) fn new_tag(&mut self, family: Family, name: Option<Rc<str>>) -> TypeId {
        let tag = TagId(u32::try_from(self.tagged.len()).unwrap_or(u32::MAX));
        self.tagged.push(Tagged {
            family,
            name,
            definition: None,
            is_own: false,
        });
        self.number(match family {
            Family::Enum => Type::Enumeration(tag),
            _ => Type::Structure(tag),
        })
    }

    /// Whether it is a structure, a union or an enumeration without a definition.
    pub(crate) fn is_incomplete(&self, id: TypeId) -> bool {
        self.tag_of(id).is_some_and(|it| it.definition.is_none())
    }

    /// Begins the definition of a structure or a union: it has no size until it is complete, and is
    /// not looked up in the kernel's types.
    pub(crate) fn begin_members(&mut self, id: TypeId) {
        self.set_definition(id, Definition::Members(Layout::empty(0)));
    }

    /// Completes a structure or a union. Gives `false` if it is larger than `most` bytes.
    pub(crate) fn define_members(&mut self, id: TypeId, read: Builder, most: u32) -> bool {
        let Some(layout) = read.finish(most) else {
            return false;
        };
        self.set_definition(id, Definition::Members(layout));
        true
    }

    /// Completes an enumeration; its values are added one by one.
    pub(crate) fn define_enumeration(&mut self, id: TypeId, integer: Integer) {
        let values = Values::Own(Vec::new());
        self.set_definition(id, Definition::Enumerators(integer, values));
    }

    /// Adds a value to an enumeration of the program's.
    pub(crate) fn add_enumerator(&mut self, id: TypeId, name: Rc<str>, value: i64) {
        if let Type::Enumeration(tag) = *self.kind(id)
            && let Some(known) = self.tagged.get_mut(tag.0 as usize)
            && let Some(Definition::Enumerators(_, Values::Own(values))) = &mut known.definition
        {
            values.push((value, name));
        }
    }

    /// The values of an enumeration, and their names.
    pub(super) fn enumerator_list(&self, id: TypeId) -> Option<Vec<(i64, Rc<str>)>> {
        match self.tag_of(id)?.definition.as_ref()? {
            Definition::Enumerators(_, Values::Own(values)) => Some(values.clone()),
            Definition::Enumerators(_, Values::Imported(origin)) => self.imported_values(*origin),
            Definition::Members(_) => None,
        }
    }

    /// The members of a structure or a union, in order.
    pub(super) fn members_of(&self, id: TypeId) -> &[Member] {
        self.layout(id).map_or(&[], |layout| &layout.members)
    }

    /// The types of those members.
    pub(super) fn member_types(&self, id: TypeId) -> Vec<TypeId> {
        self.members_of(id).iter().map(|it| it.type_).collect()
    }

    pub(super) fn set_definition(&mut self, id: TypeId, definition: Definition) {
        if let Type::Structure(tag) | Type::Enumeration(tag) = *self.kind(id)
            && let Some(known) = self.tagged.get_mut(tag.0 as usize)
        {
            known.definition = Some(definition);
        }
    }

    /// The tag of a type without a definition.
    pub(super) fn missing_definition(&self, id: TypeId) -> Option<(Family, Rc<str>)> {
        let tagged = self.tag_of(id).filter(|it| it.definition.is_none())?;
        Some((tagged.family, tagged.name.clone()?))
    }

    fn tag_of(&self, id: TypeId) -> Option<&Tagged> {
        match self.kind(id) {
            Type::Structure(tag) | Type::Enumeration(tag) => self.tagged.get(tag.0 as usize),
            _ => None,
        }
    }

    /// Notes that the program declares this type.
    pub(crate) fn set_own(&mut self, id: TypeId) {
        if let Type::Structure(tag) = *self.kind(id)
            && let Some(known) = self.tagged.get_mut(tag.0 as usize)
        {
            known.is_own = true;
        }
    }

    /// Whether the program declares this type.
    pub(crate) fn is_own(&self, id: TypeId) -> bool {
        self.tag_of(id).is_some_and(|it| it.is_own)
    }

    /// How it is spelt: `struct tag`.
    pub(super) fn spell_tag(&self, tag: TagId) -> String {
        let Some(known) = self.tagged.get(tag.0 as usize) else {
            return String::new();
        };
        let name = known.name.as_deref().unwrap_or("(anon)");
        format!("{} {name}", known.family.word())
    }

    /// Whether it is a structure or a union without a tag.
    pub(crate) fn is_anonymous(&self, id: TypeId) -> bool {
        self.is_structure(id) && self.tag_of(id).is_some_and(|it| it.name.is_none())
    }

    /// Whether it is a structure or a union.
    pub(crate) fn is_structure(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Structure(_))
    }

    pub(super) fn layout(&self, id: TypeId) -> Option<&Layout> {
        match self.tag_of(id)?.definition.as_ref()? {
            Definition::Members(layout) => Some(layout),
            Definition::Enumerators(..) => None,
        }
    }

    /// The integer type that an enumeration is stored as.
    pub(super) fn enumeration(&self, id: TypeId) -> Option<Integer> {
        match self.tag_of(id)?.definition.as_ref()? {
            Definition::Enumerators(integer, _) => Some(*integer),
            Definition::Members(_) => None,
        }
    }

    /// The member with this name, also within anonymous members.
    pub(crate) fn member(&self, id: TypeId, name: &str) -> Option<Member> {
        self.member_of(self.layout(id)?, name)
    }

    fn member_of(&self, layout: &Layout, name: &str) -> Option<Member> {
        let mut left = SEARCH_MAX;
        self.search(layout, name, &mut left)
    }

    fn search(&self, layout: &Layout, name: &str, left: &mut u32) -> Option<Member> {
        if let Some(place) = layout.names.get(name) {
            return layout.members.get(*place).cloned();
        }
        for place in &layout.anonymous {
            *left = left.checked_sub(1)?;
            let outer = layout.members.get(*place)?;
            let inner = self.layout(outer.type_);
            if let Some(inner) = inner.and_then(|inner| self.search(inner, name, left)) {
                let offset = outer.offset.checked_add(inner.offset)?;
                return Some(Member { offset, ..inner });
            }
        }
        None
    }

    /// The names that a member adds to its structure.
    fn names_of(&self, member: &Member) -> Vec<Rc<str>> {
        match (&member.name, self.layout(member.type_)) {
            (Some(name), _) => vec![name.clone()],
            (None, Some(inner)) => {
                let members = inner.members.iter();
                members.flat_map(|it| self.names_of(it)).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Its alignment in bytes.
    pub(crate) fn alignment(&self, id: TypeId) -> u32 {
        match self.kind(id) {
            Type::Array(of, _) => self.alignment(*of),
            Type::Structure(_) => self.layout(id).map_or(1, |layout| layout.alignment),
            Type::Text => 1,
            _ => self.size(id).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CHAR, INT, LONG, LONGLONG, UCHAR, UINT, USHORT};

    /// The offset, first bit and width of each member, and the size.
    fn laid(
        family: Family,
        pointer: u32,
        members: &[(TypeId, Option<u32>)],
    ) -> (Vec<(u32, u32, u32)>, u32) {
        let mut types = Types::new(pointer, 256);
        let id = types.declare_tag(family, None);
        let mut builder = Builder::new(family);
        for (number, (type_, width)) in members.iter().enumerate() {
            let name = Some(number.to_string().into());
            match width {
                None => assert!(builder.member(&types, name, *type_)),
                Some(0) => assert!(builder.bits(&types, None, *type_, 0)),
                Some(width) => assert!(builder.bits(&types, name, *type_, *width)),
            }
        }
        assert!(types.define_members(id, builder, 1 << 16));
        let found = (0..members.len())
            .filter_map(|number| types.member(id, &number.to_string()))
            .map(|it| {
                let bits = it.bits.unwrap_or(Bits { first: 0, width: 0 });
                (it.offset, bits.first, bits.width)
            });
        (found.collect(), types.size(id))
    }

    #[test]
    fn members_are_aligned_to_their_types() {
        let members = [(CHAR, None), (INT, None), (LONG, None), (CHAR, None)];
        let (offsets, size) = laid(Family::Struct, 8, &members);
        assert_eq!(offsets, [(0, 0, 0), (4, 0, 0), (8, 0, 0), (16, 0, 0)]);
        assert_eq!(size, 24);
        let (offsets, size) = laid(Family::Struct, 4, &members);
        assert_eq!(offsets, [(0, 0, 0), (4, 0, 0), (8, 0, 0), (12, 0, 0)]);
        assert_eq!(size, 16);
        let (offsets, size) = laid(Family::Union, 8, &members);
        assert_eq!(offsets, [(0, 0, 0); 4]);
        assert_eq!(size, 8);
    }

    /// The expected values are those of GCC 12 for the same declarations on x86-64.
    #[test]
    fn bit_fields_share_units() {
        let (found, size) = laid(
            Family::Struct,
            8,
            &[
                (UINT, Some(3)),
                (UINT, Some(30)),
                (UCHAR, Some(4)),
                (UINT, Some(0)),
                (USHORT, Some(9)),
                (LONGLONG, Some(40)),
                (CHAR, None),
            ],
        );
        let expected = [
            (0, 0, 3),
            (4, 0, 30),
            (8, 0, 4),
            (12, 0, 9),
            (16, 0, 40),
            (21, 0, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(size, 24);
    }

    #[test]
    fn members_of_anonymous_members_are_found() {
        let mut types = Types::new(8, 256);
        let inner = types.declare_tag(Family::Union, None);
        let mut builder = Builder::new(Family::Union);
        builder.member(&types, Some("a".into()), INT);
        types.define_members(inner, builder, 100);
        let outer = types.declare_tag(Family::Struct, Some("outer".into()));
        let mut builder = Builder::new(Family::Struct);
        assert!(builder.member(&types, Some("first".into()), LONG));
        assert!(builder.member(&types, None, inner));
        assert!(
            !builder.member(&types, Some("a".into()), INT),
            "it is there"
        );
        types.define_members(outer, builder, 100);
        assert_eq!(types.member(outer, "a").map(|it| it.offset), Some(8));
        assert_eq!(types.member(outer, "b"), None);
        assert_eq!(types.name(outer), "struct outer");
    }
}
