//! Prototypes of the kernel's functions and tracepoints.

use engine_btf::{Class, Kind, TypeId as KernelId};

use super::{TypeId, Types};

/// The parameters of a function.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Those whose place is known: all before the first that is passed by value and no number.
    pub words: Vec<Parameter>,
    /// The number of all.
    pub count: u64,
    pub returns: TypeId,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub type_: TypeId,
    /// The number of the word that it is in, or begins with.
    pub word: u64,
}

impl Types {
    /// The parameters of a module's function. One that the compiler has made from another, such as
    /// `name.constprop.0`, may have others than its source says.
    pub(crate) fn parameters(&mut self, module: &str, function: &str) -> Option<Parameters> {
        let (source, btf) = self.kernel_types(module)?;
        let Kind::Function { prototype, .. } = btf.get(btf.function(function)?).ok()?.kind else {
            return None;
        };
        self.prototype(source, prototype, 0)
    }

    /// The parameters of a tracepoint. The first in the kernel's prototype is not one of them.
    pub(crate) fn tracepoint(&mut self, name: &str) -> Option<Parameters> {
        let (source, btf) = self.kernel_types(super::VMLINUX)?;
        let id = btf.named(Class::Typedef, &format!("btf_trace_{name}"))?;
        let Kind::Pointer(prototype) = btf.resolve(id).ok()?.kind else {
            return None;
        };
        self.prototype(source, prototype, 1)
    }

    fn prototype(&mut self, source: usize, id: KernelId, skipped: usize) -> Option<Parameters> {
        let btf = self.kernel_btf(source)?;
        let Kind::Prototype {
            returns,
            parameters,
            ..
        } = btf.get(id).ok()?.kind
        else {
            return None;
        };
        let mut words = Vec::new();
        let mut next = 0;
        for parameter in parameters.skip(skipped) {
            let type_ = self.import(source, parameter.target);
            let Some(word) = self.next_word(type_, &mut next) else {
                break;
            };
            words.push(Parameter { type_, word });
        }
        Some(Parameters {
            words,
            count: parameters.skip(skipped).count() as u64,
            returns: self.import(source, returns),
        })
    }

    /// The word that a parameter is in. On 32-bit ARM, a 64-bit number begins at an even one (AAPCS
    /// 6.4.2, rule C.3), in registers as on the stack.
    pub(crate) fn next_word(&self, type_: TypeId, next: &mut u64) -> Option<u64> {
        if !self.is_scalar(type_) {
            return None;
        }
        let words = u64::from(self.size(type_).div_ceil(self.pointer).max(1));
        let word = next.next_multiple_of(words);
        *next = word + words;
        Some(word)
    }
}
