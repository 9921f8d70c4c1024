//! What `#pragma D attributes` and `binding` are for, once a text has been parsed.

use engine_abi::Scope;

use crate::error::Mistake;
use crate::lex::{Entity, Lexer};
use crate::names::Names;
use crate::stability;
use crate::tag::Tag;
use crate::types::Types;

/// Sets attributes, which count for the clauses before the pragma, too.
pub(crate) fn set_attributes(names: &mut Names, lexer: &Lexer<'_>) {
    for entity in &lexer.entities {
        match (entity.part, entity.attributes) {
            (_, None) => {}
            (None, Some(attributes)) => names.levels.set(&entity.name, attributes),
            (Some(part), Some(attributes)) => {
                names.levels.set_part(&entity.name, part, attributes);
            }
        }
    }
}

/// A pragma must be for something that the program defines, or for a provider.
pub(crate) fn check(names: &Names, types: &Types, lexer: &Lexer<'_>) -> Result<(), Mistake> {
    let is_defined = |entity: &Entity| {
        let name = &*entity.name;
        if entity.part.is_some() {
            let mut declared = names.providers.iter();
            return stability::is_known(name) || declared.any(|it| it.name == name);
        }
        let variable = names.variable(Scope::Global, 0, name);
        let type_ = types.named(name);
        variable.is_some() || type_.is_some() || names.inlines.contains_key(name)
    };
    match lexer.entities.iter().find(|it| !is_defined(it)) {
        Some(unused) => {
            let message = format!("unused #pragma {}", unused.pragma);
            Err(Mistake::new(Tag::PragmaUnused, unused.line, message))
        }
        None => Ok(()),
    }
}
