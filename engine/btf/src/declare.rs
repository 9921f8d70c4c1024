//! Declarations in C.

use crate::btf::Btf;
use crate::id::TypeId;
use crate::kind::Kind;
use crate::list::{List, Parameter};

/// The most types that a declaration looks at. Types from a file may contain themselves.
const MOST_TYPES: u32 = 256;

/// What stands for the rest of a declaration that is too long.
const REST: &str = "...";

impl Btf<'_> {
    /// How C declares something of this type: `char *name[4]`. Without a name, the type.
    pub fn declaration(&self, id: TypeId, name: &str) -> String {
        let mut left = MOST_TYPES;
        match self.get(id).map(|found| found.kind) {
            Ok(Kind::Function { prototype, .. }) => self.declared(prototype, name, &mut left),
            _ => self.declared(id, name, &mut left),
        }
    }

    /// C declares from the inside out, so the declarator grows around the name, up to the type that
    /// is in front of it.
    fn declared(&self, mut id: TypeId, name: &str, left: &mut u32) -> String {
        let (mut declarator, mut qualifiers) = (name.to_owned(), String::new());
        while let (Some(rest), Ok(found)) = (left.checked_sub(1), self.get(id)) {
            *left = rest;
            let is_pointer = declarator.starts_with('*');
            let grouped = |declarator: &str| match is_pointer {
                true => format!("({declarator})"),
                false => declarator.to_owned(),
            };
            id = match found.kind {
                Kind::Pointer(to) => {
                    declarator = pointer(&qualifiers, &declarator);
                    qualifiers.clear();
                    to
                }
                Kind::Array { element, count, .. } => {
                    declarator = format!("{}[{count}]", grouped(&declarator));
                    element
                }
                Kind::Prototype {
                    returns,
                    parameters,
                    is_variadic,
                } => {
                    let parameters = self.parameters(parameters, is_variadic, left);
                    declarator = format!("{}({parameters})", grouped(&declarator));
                    returns
                }
                Kind::Const(to) => qualified(&mut qualifiers, "const", to),
                Kind::Volatile(to) => qualified(&mut qualifiers, "volatile", to),
                Kind::Restrict(to) => qualified(&mut qualifiers, "restrict", to),
                Kind::TypeTag(to) => to,
                kind => return joined(&qualifiers, &specifier(&kind, found.name), &declarator),
            };
        }
        joined(&qualifiers, REST, &declarator)
    }

    fn parameters(
        &self,
        parameters: List<'_, Parameter<'_>>,
        is_variadic: bool,
        left: &mut u32,
    ) -> String {
        let mut all: Vec<String> = parameters
            .take(MOST_TYPES as usize)
            .map(|it| self.declared(it.target, it.name, left))
            .collect();
        if is_variadic {
            all.push("...".to_owned());
        }
        match all.is_empty() {
            true => "void".to_owned(),
            false => all.join(", "),
        }
    }
}

/// Adds a qualifier, and gives what it is of.
fn qualified(qualifiers: &mut String, word: &str, of: TypeId) -> TypeId {
    *qualifiers = format!("{word} {qualifiers}");
    of
}

/// A declarator as one of a pointer, with the pointer's own qualifiers.
fn pointer(qualifiers: &str, declarator: &str) -> String {
    match declarator {
        "" => format!("*{}", qualifiers.trim_end()),
        _ => format!("*{qualifiers}{declarator}"),
    }
}

/// The type in front of a declarator.
fn specifier(kind: &Kind<'_>, name: &str) -> String {
    let keyword = match kind {
        Kind::Struct { .. } | Kind::Forward { is_union: false } => "struct",
        Kind::Union { .. } | Kind::Forward { is_union: true } => "union",
        Kind::Enum { .. } | Kind::Enum64 { .. } => "enum",
        Kind::Void => return "void".to_owned(),
        _ => return name.to_owned(),
    };
    match name {
        "" => format!("{keyword} {{...}}"),
        _ => format!("{keyword} {name}"),
    }
}

fn joined(qualifiers: &str, specifier: &str, declarator: &str) -> String {
    match declarator {
        "" => format!("{qualifiers}{specifier}"),
        _ => format!("{qualifiers}{specifier} {declarator}"),
    }
}
