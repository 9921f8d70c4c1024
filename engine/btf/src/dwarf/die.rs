//! The entries of one unit, with what types need of them.

use gimli::{AttributeValue, DwAt, DwTag, Unit};
use gimli::{constants as dw, read::Attribute};

use crate::dwarf::attribute::{
    Dwarf, Reader, address, byte_offset, constant, is_set, name, reference,
};
use crate::dwarf::strings::{Name, Strings};

/// No entry.
pub const NONE: u32 = u32::MAX;

/// An entry. Numbers that it does not have are 0.
#[derive(Debug, Clone)]
pub struct Die {
    /// Its offset in the unit.
    pub offset: u32,
    pub tag: DwTag,
    pub name: Name,
    /// The offset of its type's entry.
    pub target: u32,
    /// The offset of the entry that has the rest of it.
    pub origin: u32,
    pub size: u64,
    pub encoding: u8,
    /// The value of a constant, whatever its sign.
    pub value: i64,
    /// The number of elements.
    pub count: Option<u64>,
    /// Where a member begins, in bytes.
    pub byte_offset: u64,
    pub bits: Bits,
    pub is_file_scope: bool,
    pub is_declaration: bool,
    pub is_external: bool,
    pub has_code: bool,
    /// Of a function or a variable.
    pub address: Option<u64>,
    /// The index of its first child; [`Die::next`] links the others.
    pub first: u32,
    last: u32,
    pub next: u32,
}

/// Where a bit-field is, in one of the two ways of DWARF.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bits {
    pub size: Option<u64>,
    /// From the beginning of the struct: version 4 and later.
    pub from_start: Option<u64>,
    /// From the most significant bit of the storage unit: versions 2 and 3.
    pub from_top: Option<u64>,
}

/// The entries of a unit, in the order of their offsets.
#[derive(Debug, Default)]
pub struct Dies {
    pub all: Vec<Die>,
    /// At each depth, the index of the entry whose children are read.
    parents: Vec<u32>,
}

impl Dies {
    /// Reads a unit; what was read before is dropped.
    pub fn read<'d>(
        &mut self,
        dwarf: &Dwarf<'d>,
        unit: &Unit<Reader<'d>>,
        strings: &mut Strings<'d>,
    ) -> gimli::Result<()> {
        self.all.clear();
        self.parents.clear();
        let mut raw = unit.header.entries_raw(&unit.abbreviations, None)?;
        while !raw.is_empty() {
            let depth = usize::try_from(raw.next_depth()).unwrap_or(0);
            let offset = raw.next_offset().0 as u32;
            let Some(abbreviation) = raw.read_abbreviation()? else {
                continue;
            };
            self.parents.truncate(depth);
            let parent = self.parents.last().copied().unwrap_or(NONE);
            let tag = abbreviation.tag();
            if !self.is_wanted(tag, parent, depth) {
                raw.skip_attributes(abbreviation.attributes())?;
                self.parents.push(NONE);
                continue;
            }
            let mut die = Die::new(offset, tag, depth == 1);
            for specification in abbreviation.attributes() {
                let attribute = raw.read_attribute(*specification)?;
                die.set(attribute, dwarf, unit, strings)?;
            }
            self.push(die, parent);
        }
        Ok(())
    }

    /// The index of the entry at an offset.
    pub fn at(&self, offset: u32) -> Option<u32> {
        let found = self.all.binary_search_by_key(&offset, |die| die.offset);
        found.ok().map(|index| index as u32)
    }

    /// An entry by its index.
    pub fn get(&self, index: u32) -> Option<&Die> {
        self.all.get(index as usize)
    }

    /// The children of an entry that were read.
    pub fn children<'a>(&'a self, die: &Die) -> impl Iterator<Item = &'a Die> + Clone + use<'a> {
        let first = self.get(die.first);
        std::iter::successors(first, |child| self.get(child.next))
    }

    fn push(&mut self, die: Die, parent: u32) {
        let index = self.all.len() as u32;
        self.all.push(die);
        self.parents.push(index);
        let Some(parent) = self.all.get_mut(parent as usize) else {
            return;
        };
        let before = std::mem::replace(&mut parent.last, index);
        if before == NONE {
            parent.first = index;
        } else {
            self.all[before as usize].next = index;
        }
    }

    /// Types at any depth, and what belongs to them; functions; variables of the file.
    fn is_wanted(&self, tag: DwTag, parent: u32, depth: usize) -> bool {
        let within = self.get(parent).map(|parent| parent.tag);
        match tag {
            dw::DW_TAG_variable => depth == 1,
            dw::DW_TAG_formal_parameter | dw::DW_TAG_unspecified_parameters => matches!(
                within,
                Some(dw::DW_TAG_subprogram | dw::DW_TAG_subroutine_type)
            ),
            dw::DW_TAG_member | dw::DW_TAG_enumerator | dw::DW_TAG_subrange_type => true,
            dw::DW_TAG_subprogram => true,
            _ => is_type(tag),
        }
    }
}

/// Whether an entry is a type.
pub fn is_type(tag: DwTag) -> bool {
    matches!(
        tag,
        dw::DW_TAG_base_type
            | dw::DW_TAG_unspecified_type
            | dw::DW_TAG_pointer_type
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_rvalue_reference_type
            | dw::DW_TAG_const_type
            | dw::DW_TAG_volatile_type
            | dw::DW_TAG_restrict_type
            | dw::DW_TAG_atomic_type
            | dw::DW_TAG_typedef
            | dw::DW_TAG_array_type
            | dw::DW_TAG_structure_type
            | dw::DW_TAG_class_type
            | dw::DW_TAG_union_type
            | dw::DW_TAG_enumeration_type
            | dw::DW_TAG_subroutine_type
    )
}

impl Die {
    fn new(offset: u32, tag: DwTag, is_file_scope: bool) -> Self {
        Self {
            offset,
            tag,
            name: 0,
            target: 0,
            origin: 0,
            size: 0,
            encoding: 0,
            value: 0,
            count: None,
            byte_offset: 0,
            bits: Bits::default(),
            is_file_scope,
            is_declaration: false,
            is_external: false,
            has_code: false,
            address: None,
            first: NONE,
            last: NONE,
            next: NONE,
        }
    }

    fn set<'d>(
        &mut self,
        attribute: Attribute<Reader<'d>>,
        dwarf: &Dwarf<'d>,
        unit: &Unit<Reader<'d>>,
        strings: &mut Strings<'d>,
    ) -> gimli::Result<()> {
        let number = || attribute.udata_value();
        match attribute.name() {
            dw::DW_AT_name => self.name = name(&attribute, dwarf, unit, strings)?,
            dw::DW_AT_type => self.target = reference(&attribute, unit)?,
            dw::DW_AT_abstract_origin | dw::DW_AT_specification => {
                self.origin = reference(&attribute, unit)?;
            }
            dw::DW_AT_byte_size => self.size = number().unwrap_or(0),
            dw::DW_AT_encoding => {
                if let AttributeValue::Encoding(encoding) = attribute.value() {
                    self.encoding = encoding.0;
                }
            }
            dw::DW_AT_const_value => self.value = constant(&attribute),
            dw::DW_AT_upper_bound => self.count = number().map(|last| last.wrapping_add(1)),
            dw::DW_AT_count => self.count = number(),
            dw::DW_AT_data_member_location => self.byte_offset = byte_offset(&attribute, unit),
            dw::DW_AT_bit_size => self.bits.size = number(),
            dw::DW_AT_data_bit_offset => self.bits.from_start = number(),
            dw::DW_AT_bit_offset => self.bits.from_top = number(),
            dw::DW_AT_declaration => self.is_declaration = is_set(&attribute),
            dw::DW_AT_external => self.is_external = is_set(&attribute),
            dw::DW_AT_ranges => self.has_code = true,
            dw::DW_AT_low_pc => {
                self.has_code = true;
                self.address = dwarf.attr_address(unit, attribute.value())?;
            }
            dw::DW_AT_location => self.address = address(&attribute, dwarf, unit),
            DwAt(_) => {}
        }
        Ok(())
    }
}
