//! What can be called: subroutines, aggregating functions and actions, and their signatures.

use engine_abi::AggregateFunction;
use engine_dvm::Subroutine;

use crate::types::{
    CHAR, CHAR_POINTER, INT, INT32, INT64, MOD, PID, SIZE, STACK, SYM, TEXT, TypeId, UADDR, UINT32,
    UINT64, UINTPTR, UMOD, USHORT, USTACK, USYM, VOID, VOID_POINTER,
};

/// A function, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Subroutine(Subroutine),
    Aggregate(AggregateFunction),
    Action(Action),
}

macro_rules! actions {
    ($($variant:ident $word:literal,)*) => {
        /// A named action.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Action { $($variant,)* }

        impl Action {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

actions! {
    Breakpoint "breakpoint",
    Chill "chill",
    Clear "clear",
    Commit "commit",
    Copyout "copyout",
    Copyoutstr "copyoutstr",
    Denormalize "denormalize",
    Discard "discard",
    Exit "exit",
    Freopen "freopen",
    Ftruncate "ftruncate",
    Func "func",
    Jstack "jstack",
    Mod "mod",
    Normalize "normalize",
    Panic "panic",
    Print "print",
    Printa "printa",
    Printf "printf",
    Raise "raise",
    Setopt "setopt",
    Speculate "speculate",
    Stack "stack",
    Stop "stop",
    Sym "sym",
    System "system",
    Trace "trace",
    Tracemem "tracemem",
    Trunc "trunc",
    Uaddr "uaddr",
    Ufunc "ufunc",
    Umod "umod",
    Ustack "ustack",
    Usym "usym",
}

impl Action {
    /// The subroutine of an action that the machine performs by one, which is destructive.
    pub(crate) fn subroutine(self) -> Option<Subroutine> {
        let mut destructive = Subroutine::ALL.iter().filter(|it| it.is_destructive());
        destructive.find(|it| it.word() == self.word()).copied()
    }
}

/// The subroutines that expressions can call.
fn subroutines() -> impl Iterator<Item = &'static Subroutine> {
    Subroutine::ALL.iter().filter(|it| !it.is_destructive())
}

impl Function {
    /// The function with this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let subroutine = subroutines().find(|it| it.word() == name);
        let aggregate = AggregateFunction::ALL.iter().find(|it| it.word() == name);
        let action = Action::ALL.iter().find(|it| it.word() == name);
        subroutine
            .map(|it| Self::Subroutine(*it))
            .or(aggregate.map(|it| Self::Aggregate(*it)))
            .or(action.map(|it| Self::Action(*it)))
    }

    /// The names of all functions.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let subroutines = subroutines().map(|it| it.word());
        let aggregates = AggregateFunction::ALL.iter().map(|it| it.word());
        let actions = Action::ALL.iter().map(|it| it.word());
        subroutines.chain(aggregates).chain(actions)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Subroutine(it) => it.word(),
            Self::Aggregate(it) => it.word(),
            Self::Action(it) => it.word(),
        }
    }

    /// Its kind, in DTrace's wording.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Subroutine(_) => "function",
            Self::Aggregate(_) => "aggregating function",
            Self::Action(_) => "tracing function",
        }
    }

    /// Its signature.
    pub(crate) fn signature(self) -> Signature {
        match self {
            Self::Subroutine(it) => subroutine(it),
            Self::Aggregate(it) => aggregate(it),
            Self::Action(it) => action(it),
        }
    }
}

/// A function's parameters and result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub result: TypeId,
    /// The parameters' types; `None` accepts any type.
    pub parameters: &'static [Option<TypeId>],
    /// The minimum number of arguments.
    pub fewest: usize,
    /// Whether more arguments may follow.
    pub is_open: bool,
}

const fn fixed(result: TypeId, parameters: &'static [Option<TypeId>]) -> Signature {
    Signature {
        result,
        parameters,
        fewest: parameters.len(),
        is_open: false,
    }
}

/// The last parameter is optional.
const fn optional(result: TypeId, parameters: &'static [Option<TypeId>]) -> Signature {
    Signature {
        result,
        parameters,
        fewest: parameters.len() - 1,
        is_open: false,
    }
}

/// More arguments may follow.
const fn open(result: TypeId, parameters: &'static [Option<TypeId>]) -> Signature {
    Signature {
        result,
        parameters,
        fewest: parameters.len(),
        is_open: true,
    }
}

const ANY: Option<TypeId> = None;
const CHARS: Option<TypeId> = Some(CHAR_POINTER);
const MEMORY: Option<TypeId> = Some(VOID_POINTER);

fn subroutine(subroutine: Subroutine) -> Signature {
    match subroutine {
        Subroutine::Rand | Subroutine::Speculation => fixed(INT, &[]),
        Subroutine::Copyin => fixed(VOID_POINTER, &[Some(UINTPTR), Some(SIZE)]),
        Subroutine::Copyinstr => optional(TEXT, &[Some(UINTPTR), Some(SIZE)]),
        Subroutine::Copyinto => fixed(VOID, &[Some(UINTPTR), Some(SIZE), MEMORY]),
        Subroutine::Alloca => fixed(VOID_POINTER, &[Some(SIZE)]),
        Subroutine::Bcopy => fixed(VOID, &[MEMORY, MEMORY, Some(SIZE)]),
        Subroutine::Strlen => fixed(SIZE, &[CHARS]),
        Subroutine::Strjoin | Subroutine::Strstr | Subroutine::Strtok => {
            fixed(TEXT, &[CHARS, CHARS])
        }
        Subroutine::Substr => optional(TEXT, &[CHARS, Some(INT), Some(INT)]),
        Subroutine::Strchr | Subroutine::Strrchr => fixed(TEXT, &[CHARS, Some(CHAR)]),
        Subroutine::Index | Subroutine::Rindex => optional(INT, &[CHARS, CHARS, Some(INT)]),
        Subroutine::Lltostr => optional(TEXT, &[Some(INT64), Some(INT)]),
        Subroutine::Basename
        | Subroutine::Dirname
        | Subroutine::Cleanpath
        | Subroutine::Tolower
        | Subroutine::Toupper => fixed(TEXT, &[CHARS]),
        Subroutine::Strtoll => optional(INT64, &[CHARS, Some(INT)]),
        Subroutine::Json => fixed(TEXT, &[CHARS, CHARS]),
        Subroutine::Htons | Subroutine::Ntohs => fixed(USHORT, &[Some(USHORT)]),
        Subroutine::Htonl | Subroutine::Ntohl => fixed(UINT32, &[Some(UINT32)]),
        Subroutine::Htonll | Subroutine::Ntohll => fixed(UINT64, &[Some(UINT64)]),
        Subroutine::Progenyof => fixed(INT, &[Some(PID)]),
        Subroutine::Getmajor | Subroutine::Getminor => fixed(UINT32, &[Some(UINT32)]),
        Subroutine::InetNtoa | Subroutine::InetNtoa6 => fixed(TEXT, &[MEMORY]),
        Subroutine::InetNtop | Subroutine::LinkNtop => fixed(TEXT, &[Some(INT), MEMORY]),
        Subroutine::Chill | Subroutine::Raise => fixed(VOID, &[Some(INT)]),
        Subroutine::Breakpoint | Subroutine::Panic | Subroutine::Stop => fixed(VOID, &[]),
        Subroutine::Copyout => fixed(VOID, &[MEMORY, Some(UINTPTR), Some(SIZE)]),
        Subroutine::Copyoutstr => fixed(VOID, &[CHARS, Some(UINTPTR), Some(SIZE)]),
    }
}

fn aggregate(function: AggregateFunction) -> Signature {
    const STEP: Option<TypeId> = Some(INT32);
    match function {
        AggregateFunction::Count => fixed(VOID, &[]),
        AggregateFunction::Quantize => open(VOID, &[ANY]),
        AggregateFunction::Lquantize => open(VOID, &[ANY, STEP, STEP]),
        AggregateFunction::Llquantize => open(VOID, &[ANY, STEP, STEP, STEP, STEP]),
        _ => fixed(VOID, &[ANY]),
    }
}

fn action(action: Action) -> Signature {
    match action {
        Action::Commit | Action::Discard | Action::Exit | Action::Speculate => {
            fixed(VOID, &[Some(INT)])
        }
        Action::Breakpoint => subroutine(Subroutine::Breakpoint),
        Action::Chill => subroutine(Subroutine::Chill),
        Action::Copyout => subroutine(Subroutine::Copyout),
        Action::Copyoutstr => subroutine(Subroutine::Copyoutstr),
        Action::Panic => subroutine(Subroutine::Panic),
        Action::Raise => subroutine(Subroutine::Raise),
        Action::Stop => subroutine(Subroutine::Stop),
        Action::Ftruncate => fixed(VOID, &[]),
        Action::Printa | Action::Printf | Action::System | Action::Freopen => open(VOID, &[ANY]),
        Action::Setopt => optional(VOID, &[CHARS, CHARS]),
        Action::Tracemem => open(VOID, &[ANY, ANY]),
        Action::Sym | Action::Func => fixed(SYM, &[Some(UINTPTR)]),
        Action::Mod => fixed(MOD, &[Some(UINTPTR)]),
        Action::Print | Action::Trace => fixed(VOID, &[ANY]),
        Action::Stack => open(STACK, &[]),
        Action::Jstack | Action::Ustack => open(USTACK, &[]),
        Action::Uaddr => fixed(UADDR, &[Some(UINTPTR)]),
        Action::Usym | Action::Ufunc => fixed(USYM, &[Some(UINTPTR)]),
        Action::Umod => fixed(UMOD, &[Some(UINTPTR)]),
        Action::Clear | Action::Denormalize | Action::Normalize | Action::Trunc => open(VOID, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subroutines_take_what_the_machine_gives_them() {
        for it in Subroutine::ALL {
            let signature = subroutine(*it);
            let (fewest, most) = it.arguments();
            assert_eq!(signature.fewest, usize::from(fewest), "{}", it.word());
            assert_eq!(
                signature.parameters.len(),
                usize::from(most),
                "{}",
                it.word()
            );
        }
    }
}
