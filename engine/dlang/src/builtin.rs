//! The built-in variables: their names and types.

use engine_dvm::Builtin;

use crate::functions::Function;
use crate::types::{
    GID, ID, INT, INT64, LONG, PID, TEXT, TypeId, UID, UINT, UINT32, UINT64, UINTPTR, VOID_POINTER,
};

/// The built-in variable with this name, and its index if the name includes one: `arg3`.
pub(crate) fn of(name: &str) -> Option<(Builtin, Option<u64>)> {
    if name == "args" {
        return Some((Builtin::Arg, None));
    }
    if let Some(digit @ b'0'..=b'9') = name.strip_prefix("arg").and_then(single) {
        return Some((Builtin::Arg, Some(u64::from(digit - b'0'))));
    }
    let found = Builtin::ALL.iter().find(|it| it.word() == name)?;
    (*found != Builtin::Arg).then_some((*found, None))
}

/// The kind of the built-in variable with this name, in DTrace's wording.
pub(crate) fn kind(name: &str) -> Option<&'static str> {
    Some(match of(name)? {
        (Builtin::Arg | Builtin::Uregs, None) => "associative array",
        _ => "scalar",
    })
}

/// Whether D defines a variable or a function with this name.
pub(crate) fn is_defined(name: &str) -> bool {
    of(name).is_some() || Function::of(name).is_some()
}

fn single(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    }
}

/// Its type, or that of its elements.
pub(crate) fn type_of(builtin: Builtin) -> TypeId {
    match builtin {
        Builtin::Arg | Builtin::Walltimestamp => INT64,
        Builtin::Uregs | Builtin::Timestamp | Builtin::Vtimestamp => UINT64,
        Builtin::Cpu | Builtin::Errno => INT,
        Builtin::Id | Builtin::Epid => UINT,
        Builtin::Probeprov
        | Builtin::Probemod
        | Builtin::Probefunc
        | Builtin::Probename
        | Builtin::Execname => TEXT,
        Builtin::Pid | Builtin::Ppid => PID,
        Builtin::Tid => ID,
        Builtin::Uid => UID,
        Builtin::Gid => GID,
        Builtin::Curthread => VOID_POINTER,
        Builtin::Caller | Builtin::Ucaller => UINTPTR,
        Builtin::Stackdepth | Builtin::Ustackdepth => UINT32,
        // It may be negative, and then has to be so in the 64 bits of a sum.
        Builtin::Cpuoffset => LONG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_their_number_in_their_name() {
        assert_eq!(of("arg7"), Some((Builtin::Arg, Some(7))));
        assert_eq!(of("args"), Some((Builtin::Arg, None)));
        assert_eq!(of("arg"), None);
        assert_eq!(of("arg10"), None);
    }

    #[test]
    fn every_one_has_its_name() {
        for it in Builtin::ALL {
            let found = of(it.word()).map(|(found, _)| found);
            assert_eq!(found.is_some(), *it != Builtin::Arg, "{}", it.word());
        }
    }

    #[test]
    fn strings_are_strings_to_the_machine_too() {
        for it in Builtin::ALL {
            assert_eq!(type_of(*it) == TEXT, it.is_text(), "{}", it.word());
        }
    }
}
