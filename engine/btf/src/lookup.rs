//! Types, functions and variables by their names.

use crate::btf::Btf;
use crate::format::Code;
use crate::id::TypeId;
use crate::kind::{Kind, Linkage};
use crate::list::Enumerator;
use crate::names::Names;
use crate::places::{Entry, Places};

/// Where a name is looked up: C keeps tags, types, and functions with variables apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// `struct name`, defined.
    Struct,
    /// `union name`, defined.
    Union,
    /// `enum name`.
    Enum,
    /// `struct name` or `union name` that is declared only.
    Forward,
    /// A name that `typedef` defines.
    Typedef,
    /// A type that the compiler has: an integer or a floating-point type.
    Base,
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A section of variables.
    Section,
}

impl Class {
    fn of(code: Code) -> Option<Self> {
        Some(match code {
            Code::Struct => Self::Struct,
            Code::Union => Self::Union,
            Code::Enum | Code::Enum64 => Self::Enum,
            Code::Forward => Self::Forward,
            Code::Typedef => Self::Typedef,
            Code::Int | Code::Float => Self::Base,
            Code::Function => Self::Function,
            Code::Variable => Self::Variable,
            Code::Section => Self::Section,
            _ => return None,
        })
    }
}

/// A variable, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable<'b> {
    /// Its own ID.
    pub id: TypeId,
    /// Its name.
    pub name: &'b str,
    /// Its type.
    pub target: TypeId,
    /// Who can use it.
    pub linkage: Linkage,
    /// Where it is, if that is known.
    pub place: Option<Place<'b>>,
}

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'b> {
    /// What the offset counts from: `.data..percpu` is each CPU's own area, of which the first byte
    /// is `__per_cpu_start` plus the CPU's `__per_cpu_offset`; any other name that
    /// begins with a dot is a section of the module; otherwise it is a symbol of the kernel.
    pub origin: &'b str,
    /// The bytes from there on.
    pub offset: u32,
    /// The variable's size in bytes.
    pub size: u32,
}

impl Place<'_> {
    /// Whether each CPU has a copy.
    pub fn is_per_cpu(&self) -> bool {
        self.origin == PER_CPU
    }
}

/// The section of variables that each CPU has a copy of.
pub const PER_CPU: &str = ".data..percpu";

impl<'d> Btf<'d> {
    /// The first type of a class with a name. A module's own types come before its kernel's.
    pub fn named(&self, class: Class, name: &str) -> Option<TypeId> {
        self.all_named(class, name).next()
    }

    /// All types of a class with a name, in the order of their IDs; those of the base are last.
    pub fn all_named<'a>(
        &'a self,
        class: Class,
        name: &'a str,
    ) -> impl Iterator<Item = TypeId> + use<'a, 'd> {
        let bases = std::iter::successors(Some(self), |btf| btf.base().map(|base| &**base));
        bases.flat_map(move |btf| {
            let candidates = btf.names().candidates(name.as_bytes()).iter().copied();
            candidates.filter(move |id| btf.is_named(*id, class, name))
        })
    }

    /// A function, as a [`Kind::Function`].
    pub fn function(&self, name: &str) -> Option<TypeId> {
        self.named(Class::Function, name)
    }

    /// The first variable with a name, and where it is.
    pub fn variable(&self, name: &str) -> Option<Variable<'_>> {
        let id = self.named(Class::Variable, name)?;
        self.variable_of(id)
    }

    /// A variable by its ID.
    pub fn variable_of(&self, id: TypeId) -> Option<Variable<'_>> {
        let found = self.get(id).ok()?;
        let Kind::Variable { target, linkage } = found.kind else {
            return None;
        };
        Some(Variable {
            id,
            name: found.name,
            target,
            linkage,
            place: self.place(id),
        })
    }

    /// An enumerator by its name: the first, and its enumeration. This looks at all of them.
    pub fn enumerator(&self, name: &str) -> Option<(TypeId, Enumerator<'_>)> {
        let bases = std::iter::successors(Some(self), |btf| btf.base().map(|base| &**base));
        let ids = bases.flat_map(|btf| btf.own_ids());
        let is_enumeration = |id: &TypeId| self.code(*id).and_then(Class::of) == Some(Class::Enum);
        let ids = ids.filter(is_enumeration);
        let mut found = ids.filter_map(|id| match self.get(id).ok()?.kind {
            Kind::Enum { mut values, .. } | Kind::Enum64 { mut values, .. } => {
                Some((id, values.find(|value| value.name == name)?))
            }
            _ => None,
        });
        found.next()
    }

    /// The size of a pointer in bytes, as far as a type of C's tells: `long` has as many.
    pub fn pointer_size(&self) -> Option<u32> {
        let names = ["long unsigned int", "unsigned long"];
        let mut found = names
            .iter()
            .filter_map(|name| self.named(Class::Base, name));
        match self.get(found.next()?).ok()?.kind {
            Kind::Int(int) => Some(int.size),
            _ => None,
        }
    }

    fn place(&self, id: TypeId) -> Option<Place<'_>> {
        if let Some(entry) = self.places().of(id) {
            return Some(Place {
                origin: self.get(entry.section).ok()?.name,
                offset: entry.offset,
                size: entry.size,
            });
        }
        self.base()?.place(id)
    }

    fn is_named(&self, id: TypeId, class: Class, name: &str) -> bool {
        self.code(id).and_then(Class::of) == Some(class)
            && self
                .owner(id)
                .is_some_and(|(owner, words)| owner.string_bytes(words.get(0)) == name.as_bytes())
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| {
            Names::build(self.own_ids(), |id| {
                let found = self.owner(id);
                found.map_or(&[], |(owner, words)| owner.string_bytes(words.get(0)))
            })
        })
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let mut ids = self.own_ids().collect::<Vec<_>>();
            ids.retain(|id| self.code(*id) == Some(Code::Section));
            let entries = ids.into_iter().flat_map(|id| self.entries(id));
            Places::new(entries.collect())
        })
    }

    /// The variables of a section; none of any other type.
    fn entries(&self, section: TypeId) -> impl Iterator<Item = Entry> {
        let entries = match self.get(section).map(|found| found.kind) {
            Ok(Kind::Section { entries, .. }) => Some(entries),
            _ => None,
        };
        entries.into_iter().flatten().map(move |entry| Entry {
            variable: entry.variable,
            section,
            offset: entry.offset,
            size: entry.size,
        })
    }
}
