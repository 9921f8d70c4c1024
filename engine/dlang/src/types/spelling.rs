//! The spelling of types.

use super::{Type, TypeId, Types};

impl Types {
    /// Its spelling in C.
    pub(crate) fn name(&self, id: TypeId) -> String {
        self.spell(id, String::new())
    }

    fn spell(&self, id: TypeId, declarator: String) -> String {
        let name = match self.get(id) {
            Type::Pointer(to) => {
                return match self.get(*to) {
                    Type::Function => self.with("function pointer", &declarator),
                    Type::Array(..) => self.spell(*to, format!("(*{declarator})")),
                    _ => self.spell(*to, format!("*{declarator}")),
                };
            }
            Type::Array(of, count) => return self.spell(*of, format!("{declarator}[{count}]")),
            Type::Structure(tag) | Type::Enumeration(tag) => {
                return self.with(&self.spell_tag(*tag), &declarator);
            }
            Type::Void => "void",
            Type::Integer(integer) => integer.name,
            Type::Float(name, _) => name,
            Type::Typedef(name, _) => name,
            Type::Text => "string",
            Type::Function => "function",
            Type::Stack | Type::UserStack => "stack",
            Type::UserAddress(_) => "_usymaddr",
            Type::KernelAddress(_) => "_symaddr",
            Type::Aggregation => "aggregation",
        };
        self.with(name, &declarator)
    }

    fn with(&self, name: &str, declarator: &str) -> String {
        match declarator {
            "" => name.to_owned(),
            _ => format!("{name} {declarator}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CHAR_POINTER, FUNCTION};

    #[test]
    fn declarators_are_spelt_inside_out() {
        let mut types = Types::new(8, 256);
        let array = types.number(Type::Array(CHAR_POINTER, 3));
        assert_eq!(types.name(array), "char *[3]");
        let pointer = types.pointer_to(array);
        assert_eq!(types.name(pointer), "char *(*)[3]");
        let function = types.pointer_to(FUNCTION);
        assert_eq!(types.name(function), "function pointer");
    }
}
