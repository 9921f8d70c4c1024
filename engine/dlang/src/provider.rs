//! Providers that a program declares, so that the arguments of their probes have types.

use std::rc::Rc;

use engine_abi::Description;

use crate::types::{CHAR_POINTER, INT64, Parameter, TEXT, TypeId, Types};

/// `provider name { probes };`
#[derive(Debug)]
pub(crate) struct Provider {
    pub name: String,
    pub probes: Vec<Rc<Probe>>,
}

/// `probe name(inputs) : (outputs);`
#[derive(Debug)]
pub(crate) struct Probe {
    /// Its name as in descriptions: `go-on` of `go__on`.
    pub name: String,
    /// What the probe passes, each with its name if it has one.
    pub inputs: Vec<(Option<Rc<str>>, TypeId)>,
    /// What `args[]` has instead: the number of an input, and the type that it is translated to.
    pub outputs: Option<Vec<(usize, TypeId)>>,
    /// Where its name is: the line, and the byte of the source.
    pub place: (u32, usize),
}

/// An argument of a declared probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    /// What the probe passes.
    pub input: Parameter,
    /// The type that it is translated to.
    pub output: TypeId,
}

impl Probe {
    /// The number of arguments in `args[]`.
    pub(crate) fn count(&self) -> usize {
        self.outputs.as_ref().map_or(self.inputs.len(), Vec::len)
    }

    /// The type of an argument, and the number of the input that it is made from.
    pub(crate) fn output(&self, index: usize) -> Option<(usize, TypeId)> {
        match &self.outputs {
            Some(outputs) => outputs.get(index).copied(),
            None => self.inputs.get(index).map(|(_, type_)| (index, *type_)),
        }
    }

    /// An argument of `args[]`; `None` if its place is not known. The string of a process stays an
    /// address, for `copyinstr()`.
    pub(crate) fn argument(
        &self,
        index: usize,
        is_in_process: bool,
        types: &Types,
    ) -> Option<Declared> {
        let (number, output) = self.output(index)?;
        let mut next = 0;
        let mut words = self.inputs.iter().map_while(|(_, type_)| {
            let type_ = passed_as(types, *type_);
            let word = types.next_word(type_, &mut next)?;
            (next <= WORDS).then_some(Parameter { type_, word })
        });
        let input = words.nth(number)?;
        let output = match is_in_process {
            true => passed_as(types, output),
            false => output,
        };
        Some(Declared { input, output })
    }
}

/// The most words that a probe passes: `arg0` to `arg9`.
const WORDS: u64 = 10;

/// The type of what is passed: a string is its address.
pub(crate) fn passed_as(types: &Types, type_: TypeId) -> TypeId {
    match types.kind(type_) == types.kind(TEXT) {
        true => CHAR_POINTER,
        false => type_,
    }
}

impl Provider {
    /// The probe with this name.
    pub(crate) fn probe(&self, name: &str) -> Option<&Rc<Probe>> {
        self.probes.iter().find(|it| it.name == name)
    }

    /// Whether the description names this provider, or its probes in a process or in all.
    fn is_of(&self, description: &Description) -> bool {
        self.is_named(description) || self.is_in_processes(description)
    }

    fn is_named(&self, description: &Description) -> bool {
        self.name.as_bytes() == description.provider()
    }

    /// `app123` and `app*` are `app` in processes.
    fn is_in_processes(&self, description: &Description) -> bool {
        let rest = description.provider().strip_prefix(self.name.as_bytes());
        let is_number = |it: &[u8]| !it.is_empty() && it.iter().all(u8::is_ascii_digit);
        rest.is_some_and(|it| it == b"*" || is_number(it))
    }
}

/// The declaration of a probe with this description, and whether it is one in a process. Of `app` and
/// `app1`, the latter is meant by `app1` and by `app12`.
pub(crate) fn declaration<'p>(
    providers: &'p [Provider],
    description: &Description,
) -> Option<(&'p Rc<Probe>, bool)> {
    let named = providers.iter().filter(|it| it.is_of(description));
    let found = named.filter_map(|provider| {
        let mut probes = provider.probes.iter();
        let probe = probes.find(|it| it.name.as_bytes() == description.name())?;
        Some((provider, probe))
    });
    let (provider, probe) = found.max_by_key(|(provider, _)| provider.name.len())?;
    Some((probe, !provider.is_named(description)))
}

/// How `args[]` of two declarations of a probe differ, as a current and a previous state.
pub(crate) fn difference(types: &Types, now: &Probe, before: &Probe) -> Option<(String, String)> {
    let counted = |count: usize| match count {
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    };
    if now.count() != before.count() {
        return Some((counted(now.count()), counted(before.count())));
    }
    let type_of = |probe: &Probe, index| probe.output(index).map_or(INT64, |it| it.1);
    let mut pairs = (0..now.count()).map(|index| (type_of(now, index), type_of(before, index)));
    let (one, other) = pairs.find(|(one, other)| !types.is_compatible(*one, *other))?;
    Some((types.name(one), types.name(other)))
}
