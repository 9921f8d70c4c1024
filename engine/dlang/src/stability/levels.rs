//! The attributes that a program's `#pragma D attributes` set, and the least that it may use.

use std::collections::HashMap;

use engine_abi::Description;
use engine_dvm::{Builtin, Subroutine};

use super::providers::{of_parts, of_provider};
use super::{Attributes, Class, DEFAULT, PARTS, Parts, Stability};
use crate::functions::Function;

/// What is known about the attributes of names.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// The option `amin`.
    pub minimum: Option<Attributes>,
    names: HashMap<String, Attributes>,
    providers: HashMap<String, Parts>,
}

impl Levels {
    /// With this least of what may be used.
    pub(crate) fn new(minimum: Option<Attributes>) -> Self {
        Self {
            minimum,
            ..Self::default()
        }
    }

    /// Sets those of a variable or an inline.
    pub(crate) fn set(&mut self, name: &str, attributes: Attributes) {
        self.names.insert(name.to_owned(), attributes);
    }

    /// Sets those of a part of a provider.
    pub(crate) fn set_part(&mut self, provider: &str, part: &str, attributes: Attributes) {
        let known = || of_provider(provider.as_bytes());
        let parts = self.providers.entry(provider.to_owned());
        let parts = parts.or_insert_with(known);
        let named = PARTS.iter().position(|it| *it == part);
        if let Some(place) = named.and_then(|at| parts.get_mut(at)) {
            *place = attributes;
        }
    }

    /// Those that a pragma sets for a variable or an inline.
    pub(crate) fn named(&self, name: &str) -> Option<Attributes> {
        self.names.get(name).copied()
    }

    /// Those of a description and of its arguments.
    pub(crate) fn of(&self, probe: &Description) -> (Attributes, Attributes) {
        let provider = String::from_utf8_lossy(probe.provider());
        let set = self.providers.get(&*provider).copied();
        of_parts(probe, set.unwrap_or_else(|| of_provider(probe.provider())))
    }
}

/// Those of a built-in variable.
pub(crate) fn of_builtin(builtin: Builtin) -> Attributes {
    match builtin {
        Builtin::Curthread => Attributes {
            data: Stability::Private,
            ..DEFAULT
        },
        // It is not DTrace's.
        Builtin::Cpuoffset => Attributes::both(Stability::Unstable, Class::Common),
        _ => DEFAULT,
    }
}

/// Those of a function.
pub(crate) fn of_function(function: Function) -> Attributes {
    match function {
        Function::Subroutine(
            Subroutine::Getmajor
            | Subroutine::Getminor
            | Subroutine::Htonl
            | Subroutine::Htonll
            | Subroutine::Htons
            | Subroutine::Ntohl
            | Subroutine::Ntohll
            | Subroutine::Ntohs,
        ) => Attributes::both(Stability::Evolving, Class::Common),
        _ => DEFAULT,
    }
}
