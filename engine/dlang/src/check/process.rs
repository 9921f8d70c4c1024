//! `args[]` of the proc provider: structures that are translated from the kernel's, and a path.

use engine_dvm::{Builtin, Subroutine};

use super::argument::{Argument, Process};
use super::{Checker, expression};
use crate::error::Mistake;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Family, INT, INT64, Parameter, TEXT, Types, UINTPTR, VOID};

/// The arguments of the probe of this name.
fn arguments(probe: &str) -> &'static [Process] {
    use Process::{Handler, Number, Path, Signal, Thread};
    match probe {
        "create" => &[Thread("psinfo_t", 1)],
        "exec" => &[Path(0)],
        "exec-failure" | "exit" => &[Number(0)],
        "signal-send" => &[Thread("lwpsinfo_t", 4), Thread("psinfo_t", 4), Number(2)],
        "signal-handle" => &[Number(0), Signal(1), Handler(2)],
        _ => &[],
    }
}

impl Types {
    pub(super) fn process_argument(&mut self, probe: &str, index: u64) -> Argument {
        let known = usize::try_from(index).ok();
        let Some(known) = known.and_then(|index| arguments(probe).get(index)) else {
            return Argument::OutOfRange;
        };
        let (type_, word) = match *known {
            Process::Number(word) => (INT, word),
            Process::Signal(word) => {
                let info = self.tag(Family::Struct, "kernel_siginfo");
                (self.pointer_to(info), word)
            }
            Process::Handler(word) => (self.pointer_to(VOID), word),
            other => return Argument::Process(other),
        };
        Argument::Typed(Parameter { type_, word })
    }
}

impl Checker<'_> {
    /// The argument's value.
    pub(super) fn process_value(
        &mut self,
        argument: Process,
        index: u64,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let (Process::Number(word)
        | Process::Path(word)
        | Process::Thread(_, word)
        | Process::Signal(word)
        | Process::Handler(word)) = argument;
        let word = expression(ExpressionKind::Builtin(Builtin::Arg, word), INT64, line);
        match argument {
            Process::Thread(name, _) => self.thread_as(name, word, index, line),
            Process::Path(_) => {
                let address = vec![self.converted(word, UINTPTR)];
                let kind = ExpressionKind::Call(Subroutine::Copyinstr, address);
                Ok(expression(kind, TEXT, line))
            }
            _ => Ok(word),
        }
    }

    /// A thread as a pointer to the type of this name, which a library defines unless the program
    /// does.
    fn thread_as(
        &mut self,
        name: &str,
        word: Expression,
        index: u64,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let Some(output) = self.types.named(name) else {
            self.names.want(name);
            let message = format!("args[{index}] is a {name}, which is not defined");
            return Err(Mistake::new(Tag::ArgsXlator, line, message));
        };
        let task = self.task_pointer();
        let native = self.converted(word, task);
        let Some(translator) = self.translator(output, task) else {
            let message = format!(
                "args[{index}] has no translator from \"{}\" to \"{name}\"",
                self.types.name(task)
            );
            return Err(Mistake::new(Tag::ArgsXlator, line, message));
        };
        let kind = ExpressionKind::Translated(translator, Box::new(native));
        Ok(expression(kind, self.types.pointer_to(output), line))
    }
}
