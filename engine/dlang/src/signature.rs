//! What a probe's `args[]` are, in words, for listings.

use std::rc::Rc;

use engine_abi::Description;
use engine_btf::Kind;

use crate::check::argument::{Argument, Process};
use crate::kernel::Kernel;
use crate::types::{INT64, Types};

/// The most arguments that `args[]` has.
const ARGUMENTS_MAX: u64 = 10;

/// Arguments of probes of a kernel, whose types are read when a probe needs them.
pub struct Signatures {
    types: Types,
}

/// The arguments of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// Their types.
    Typed(Vec<String>),
    /// Their types are not known, for this reason; they are numbers.
    Unknown(String),
}

impl Signatures {
    /// Of a kernel with pointers of this size in bytes.
    pub fn new(pointer: u32, kernel: Rc<dyn Kernel>) -> Self {
        let string_size = crate::Settings::default().string_size;
        Self {
            types: Types::new(pointer, string_size).with_kernel(Some(kernel)),
        }
    }

    /// The arguments of a probe, of which all four names are known.
    pub fn arguments(&mut self, probe: &Description) -> Arguments {
        if !matches!(probe.provider(), b"fbt" | b"sdt" | b"proc" | b"syscall") {
            return Arguments::Typed(Vec::new());
        }
        let mut all = Vec::new();
        for index in 0..ARGUMENTS_MAX {
            match self.types.argument_of(probe, index) {
                Argument::OutOfRange => return self.named(&all),
                argument => all.push(argument),
            }
        }
        // What has a prototype has an end.
        match all.iter().all(|it| *it == Argument::Untyped) {
            true => Arguments::Unknown(self.why_unknown(probe)),
            false => self.named(&all),
        }
    }

    /// The declaration in C of the function or the system call that the probe is at.
    pub fn declaration(&mut self, probe: &Description) -> Option<String> {
        let [module, function] = [probe.module(), probe.function()].map(String::from_utf8_lossy);
        match probe.provider() {
            b"fbt" => {
                let (_, btf) = self.types.kernel_types(&module)?;
                let id = btf.function(&function)?;
                matches!(btf.get(id).ok()?.kind, Kind::Function { .. })
                    .then(|| btf.declaration(id, &function))
            }
            b"syscall" => {
                let parameters = self.types.syscall_parameters(&module, &function)?;
                let parameters = match parameters.is_empty() {
                    true => "void".to_owned(),
                    false => parameters.join(", "),
                };
                Some(format!("long {function}({parameters})"))
            }
            _ => None,
        }
    }

    fn named(&mut self, arguments: &[Argument]) -> Arguments {
        let names = arguments.iter().map(|argument| match argument {
            Argument::Typed(parameter) => self.types.name(parameter.type_),
            Argument::Process(Process::Path(_)) => "string".to_owned(),
            Argument::Process(Process::Thread(name, _)) => format!("{name} *"),
            Argument::Unreachable => "(cannot be read: by value, or behind one)".to_owned(),
            _ => self.types.name(INT64),
        });
        Arguments::Typed(names.collect())
    }

    fn why_unknown(&mut self, probe: &Description) -> String {
        let [module, function, name] =
            [probe.module(), probe.function(), probe.name()].map(String::from_utf8_lossy);
        if probe.provider() == b"syscall" {
            return format!("the parameters of {function} are not known");
        }
        match self.types.why_no_types_of(&module) {
            Some(why) => why,
            None if probe.provider() == b"sdt" => {
                format!("the kernel's types have no tracepoint {name}")
            }
            None => format!("the types of {module} have no function {function}"),
        }
    }
}
