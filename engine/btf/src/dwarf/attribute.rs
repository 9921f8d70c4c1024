//! Attributes of entries, in all forms that compilers write.

use gimli::read::Attribute;
use gimli::{AttributeValue, EndianSlice, Operation, RunTimeEndian, Unit};

use crate::dwarf::strings::{Name, Strings};

/// How DWARF is read: in place.
pub type Reader<'d> = EndianSlice<'d, RunTimeEndian>;
/// The DWARF of a file.
pub type Dwarf<'d> = gimli::Dwarf<Reader<'d>>;

/// The offset of no entry: what is in another unit.
const ELSEWHERE: u32 = u32::MAX;

/// A name.
pub fn name<'d>(
    attribute: &Attribute<Reader<'d>>,
    dwarf: &Dwarf<'d>,
    unit: &Unit<Reader<'d>>,
    strings: &mut Strings<'d>,
) -> gimli::Result<Name> {
    let value = attribute.value();
    let text = || dwarf.attr_string(unit, value).map(|text| text.slice());
    match attribute.raw_value() {
        AttributeValue::DebugStrRef(offset) => strings.number_at(offset.0, text),
        _ => Ok(strings.number(text()?)),
    }
}

/// The offset in the unit. Other units are not known, so what is in one is an entry at no offset.
pub fn reference(attribute: &Attribute<Reader<'_>>, unit: &Unit<Reader<'_>>) -> gimli::Result<u32> {
    let offset = match attribute.value() {
        AttributeValue::UnitRef(offset) => Some(offset),
        AttributeValue::DebugInfoRef(offset) => offset.to_unit_offset(&unit.header),
        _ => None,
    };
    Ok(offset
        .and_then(|offset| u32::try_from(offset.0).ok())
        .unwrap_or(ELSEWHERE))
}

/// A flag.
pub fn is_set(attribute: &Attribute<Reader<'_>>) -> bool {
    matches!(attribute.value(), AttributeValue::Flag(true))
}

/// A constant. Compilers write negative ones in a form that has a sign, all others have none.
pub fn constant(attribute: &Attribute<Reader<'_>>) -> i64 {
    match attribute.raw_value() {
        AttributeValue::Data1(value) => value.into(),
        AttributeValue::Data2(value) => value.into(),
        AttributeValue::Data4(value) => value.into(),
        AttributeValue::Data8(value) | AttributeValue::Udata(value) => value.cast_signed(),
        AttributeValue::Sdata(value) => value,
        _ => 0,
    }
}

/// A number, or in version 2 an expression that adds one.
pub fn byte_offset(attribute: &Attribute<Reader<'_>>, unit: &Unit<Reader<'_>>) -> u64 {
    if let Some(offset) = attribute.udata_value() {
        return offset;
    }
    let Some(expression) = attribute.exprloc_value() else {
        return 0;
    };
    match expression.operations(unit.encoding()).next() {
        Ok(Some(Operation::PlusConstant { value })) => value,
        Ok(Some(Operation::UnsignedConstant { value })) => value,
        _ => 0,
    }
}

/// The address that an expression consists of.
pub fn address<'d>(
    attribute: &Attribute<Reader<'d>>,
    dwarf: &Dwarf<'d>,
    unit: &Unit<Reader<'d>>,
) -> Option<u64> {
    let mut operations = attribute.exprloc_value()?.operations(unit.encoding());
    let found = match operations.next().ok()?? {
        Operation::Address { address } => address,
        Operation::AddressIndex { index } => dwarf.address(unit, index).ok()?,
        _ => return None,
    };
    matches!(operations.next(), Ok(None)).then_some(found)
}
