//! The symbol table: the variables and aggregations of a compilation.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use engine_abi::{AggregateFunction, Scope};

use crate::ast::{Definition, NodeKind, Translator};
use crate::fold::Constant;
use crate::library::{self, Library};
use crate::provider::Provider;
use crate::stability::{Attributes, Levels};
use crate::types::{INT, LONG, TypeId};

/// A variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub name: String,
    pub scope: Scope,
    /// Its type, or that of its elements; `None` until something is assigned to it.
    pub type_: Option<TypeId>,
    /// The types of its key, if it is an associative array.
    pub keys: Option<Vec<TypeId>>,
}

impl Variable {
    /// Its name as in the source.
    pub(crate) fn written(&self) -> String {
        let prefix = match self.scope {
            Scope::Global => "",
            Scope::Thread => "self->",
            Scope::Clause => "this->",
        };
        format!("{prefix}{}", self.name)
    }

    /// Its kind, in DTrace's wording.
    pub(crate) fn kind(&self) -> &'static str {
        if self.keys.is_some() {
            "associative array"
        } else {
            "scalar"
        }
    }
}

/// An aggregation.
#[derive(Debug, Clone)]
pub(crate) struct Aggregation {
    /// Its name without the `@`; `_` if it has none.
    pub name: String,
    /// Its function, and the line that set it.
    pub function: Option<(AggregateFunction, u32)>,
    /// Its key, once it has been assigned to.
    pub keys: Option<Vec<Key>>,
    pub parameters: Option<[i32; 4]>,
}

impl Aggregation {
    /// Its name as printed, which is empty for `@`.
    pub(crate) fn printed_name(&self) -> &str {
        if self.name == "_" { "" } else { &self.name }
    }
}

/// A component of an aggregation's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// For a number: a type that covers those of every use.
    pub type_: TypeId,
    /// For a stack: the number of frames.
    pub frames: u32,
}

/// A name for a constant, or for an expression.
#[derive(Debug, Clone)]
pub(crate) enum Inline {
    Constant(NodeKind),
    Expression(Rc<Definition>),
}

/// A variable, by its number.
pub(crate) type VariableId = usize;

/// The symbol table. Clause-local variables belong to one text, all others to the program.
pub(crate) struct Names {
    pub inlines: HashMap<Rc<str>, Inline>,
    pub translators: Vec<Rc<Translator>>,
    /// The providers that are declared.
    pub providers: Vec<Provider>,
    /// The attributes of names.
    pub levels: Levels,
    /// The global names that have been assigned to, before anything is checked.
    pub assigned: HashSet<Rc<str>>,
    /// The library that defines a name that was not found.
    pub wanted: Cell<Option<&'static Library>>,
    /// Whether a translator's member may be defined more than once, for kernels that differ.
    pub chooses: bool,
    /// The number of registers in `uregs[]`.
    pub registers: u64,
    pub variables: Vec<Variable>,
    pub aggregations: Vec<Aggregation>,
    variable_numbers: HashMap<(Scope, usize, String), VariableId>,
    aggregation_numbers: HashMap<String, usize>,
}

impl Names {
    /// The predefined names, with these indices of registers, and the least that may be used.
    pub(crate) fn new(given: &[(String, u64)], minimum: Option<Attributes>) -> Self {
        let last = given.iter().map(|(_, place)| *place).max();
        Self {
            inlines: constants(given),
            translators: Vec::new(),
            providers: Vec::new(),
            levels: Levels::new(minimum),
            assigned: HashSet::new(),
            wanted: Cell::new(None),
            chooses: false,
            registers: last.map_or(0, |place| place.saturating_add(1)),
            variables: Vec::new(),
            aggregations: Vec::new(),
            variable_numbers: HashMap::new(),
            aggregation_numbers: HashMap::new(),
        }
    }

    /// Notes that this name was not found. Whether a library defines it.
    pub(crate) fn want(&self, name: &str) -> bool {
        let found = library::defining(name);
        if found.is_some() {
            self.wanted.set(found);
        }
        found.is_some()
    }

    /// The variable with this name, as seen from the text with this number.
    pub(crate) fn variable(&self, scope: Scope, text: usize, name: &str) -> Option<VariableId> {
        self.variable_numbers.get(&key(scope, text, name)).copied()
    }

    /// Adds a variable.
    pub(crate) fn declare(&mut self, text: usize, variable: Variable) -> VariableId {
        let number = self.variables.len();
        let key = key(variable.scope, text, &variable.name);
        self.variable_numbers.insert(key, number);
        self.variables.push(variable);
        number
    }

    /// The aggregation with this name.
    pub(crate) fn aggregation(&self, name: &str) -> Option<usize> {
        self.aggregation_numbers.get(name).copied()
    }

    /// The aggregation with this name; created if it does not exist.
    pub(crate) fn aggregation_or_new(&mut self, name: &str) -> usize {
        if let Some(known) = self.aggregation(name) {
            return known;
        }
        let number = self.aggregations.len();
        self.aggregation_numbers.insert(name.to_owned(), number);
        self.aggregations.push(Aggregation {
            name: name.to_owned(),
            function: None,
            keys: None,
            parameters: None,
        });
        number
    }
}

fn key(scope: Scope, text: usize, name: &str) -> (Scope, usize, String) {
    let text = if scope == Scope::Clause { text } else { 0 };
    (scope, text, name.to_owned())
}

/// DTrace's names of faults, the values of `arg4` in `ERROR`. Not all happen here.
const FAULTS: &[(&str, u64)] = &[
    ("DTRACEFLT_UNKNOWN", 0),
    ("DTRACEFLT_BADADDR", 1),
    ("DTRACEFLT_BADALIGN", 2),
    ("DTRACEFLT_ILLOP", 3),
    ("DTRACEFLT_DIVZERO", 4),
    ("DTRACEFLT_NOSCRATCH", 5),
    ("DTRACEFLT_KPRIV", 6),
    ("DTRACEFLT_UPRIV", 7),
    ("DTRACEFLT_TUPOFLOW", 8),
    ("DTRACEFLT_BADSTACK", 9),
    ("DTRACEFLT_BADSIZE", 10),
];

/// The predefined constants.
fn constants(given: &[(String, u64)]) -> HashMap<Rc<str>, Inline> {
    let given = given.iter().map(|(name, value)| (&**name, *value, INT));
    let faults = FAULTS.iter().map(|(name, value)| (*name, *value, INT));
    let own = [
        ("NULL", 0, LONG),
        ("AF_INET", 2, INT),
        ("AF_INET6", 10, INT),
        ("ARPHRD_ETHER", 1, INT),
        ("ARPHRD_INFINIBAND", 32, INT),
    ];
    let all = given.chain(faults).chain(own);
    all.map(|(name, value, type_)| {
        let constant = Constant { value, type_ };
        (name.into(), Inline::Constant(NodeKind::Constant(constant)))
    })
    .collect()
}
