//! What can be known about an argument of a probe.

use engine_abi::Description;

use crate::provider::Declared;
use crate::types::{Parameter, Parameters, Types};

/// What is known about an argument of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Nothing: it is a number.
    Untyped,
    /// Its type, and the number of its first word.
    Typed(Parameter),
    /// One of a probe that the program declares.
    Declared(Declared),
    /// One of a process's that is made from a word.
    Process(Process),
    /// There is none.
    OutOfRange,
    /// It is, or follows, one that takes an unknown number of words.
    Unreachable,
}

/// What an argument is, and the number of the word that it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// A number.
    Number(u64),
    /// The address of a string in the process.
    Path(u64),
    /// A `struct task_struct *`, as a pointer to the type of this name.
    Thread(&'static str, u64),
    /// A `struct kernel_siginfo *`.
    Signal(u64),
    /// A function of the process.
    Handler(u64),
}

impl Types {
    /// What is known about an argument of a probe, by the number that `args[]` has for it.
    pub(crate) fn argument_of(&mut self, probe: &Description, index: u64) -> Argument {
        let module = String::from_utf8_lossy(probe.module()).into_owned();
        let function = String::from_utf8_lossy(probe.function()).into_owned();
        let name = String::from_utf8_lossy(probe.name()).into_owned();
        let parameters = match (probe.provider(), &*name) {
            (b"fbt", "entry") => self.parameters(&module, &function),
            (b"fbt", "return") => return self.returned(&module, &function, index),
            (b"sdt", name) => self.tracepoint(name),
            (b"proc", name) => return self.process_argument(name, index),
            (b"syscall", "entry") => self.syscall(&module, &function),
            (b"syscall", _) if index < 2 => None,
            (b"syscall", _) => return Argument::OutOfRange,
            _ => None,
        };
        match parameters {
            None => Argument::Untyped,
            Some(Parameters { words, count, .. }) => match words.get(index as usize) {
                Some(parameter) => Argument::Typed(*parameter),
                None if index < count => Argument::Unreachable,
                None => Argument::OutOfRange,
            },
        }
    }

    /// `args[1]` is what the function returns.
    fn returned(&mut self, module: &str, function: &str, index: u64) -> Argument {
        let Some(Parameters { returns, .. }) = self.parameters(module, function) else {
            return Argument::Untyped;
        };
        match index {
            0 => Argument::Untyped,
            1 if self.is_void(returns) => Argument::OutOfRange,
            1 if !self.is_scalar(returns) => Argument::Unreachable,
            1 if self.size(returns) > self.pointer => Argument::Unreachable,
            1 => Argument::Typed(Parameter {
                type_: returns,
                word: 1,
            }),
            _ => Argument::OutOfRange,
        }
    }
}
