//! Which entries define structs, unions and enumerations.

use std::collections::HashMap;

use gimli::constants as dw;

use crate::dwarf::die::{Die, Dies};
use crate::dwarf::hash::FastHash;
use crate::format::Code;

/// The tags of a unit that more than one type has.
pub type Nth = HashMap<u32, u32, FastHash>;

/// The kind of a struct, a union or an enumeration.
pub fn code_of(die: &Die) -> Option<Code> {
    match die.tag {
        dw::DW_TAG_structure_type | dw::DW_TAG_class_type => Some(Code::Struct),
        dw::DW_TAG_union_type => Some(Code::Union),
        dw::DW_TAG_enumeration_type => Some(Code::Enum),
        _ => None,
    }
}

/// Whether an entry defines one that has a name.
pub fn is_definition(die: &Die) -> bool {
    code_of(die).is_some() && die.name != 0 && !die.is_declaration
}

/// Numbers types that share their tag, those of the file first: functions have some of their own.
pub fn number_definitions(dies: &Dies) -> Nth {
    let mut definitions: Vec<u32> = (0..dies.all.len() as u32).collect();
    definitions.retain(|index| dies.get(*index).is_some_and(is_definition));
    definitions.sort_by_key(|index| !dies.all[*index as usize].is_file_scope);
    let mut seen: HashMap<(u32, u8), u32, FastHash> = HashMap::default();
    let mut nth = Nth::default();
    for index in definitions {
        let die = &dies.all[index as usize];
        let code = code_of(die).map_or(0, |code| code as u8);
        let count = seen.entry((die.name, code)).or_insert(0);
        if *count > 0 {
            nth.insert(index, *count);
        }
        *count += 1;
    }
    nth
}
