//! Names that DTrace defines and this D does not yet implement, for better error messages.

use crate::error::Mistake;
use crate::tag::Tag;

/// Names of functions and variables, by the feature that they belong to.
const NAMES: &[(&str, &[&str])] = &[
    (
        "destructive actions are not supported yet",
        &[
            "breakpoint",
            "chill",
            "copyout",
            "copyoutstr",
            "panic",
            "raise",
            "stop",
            "system",
        ],
    ),
    (
        "stacks of the Java virtual machine are not supported yet, but ustack( ) is",
        &["jstack"],
    ),
    (
        "actions that print a kernel symbol are not supported yet, but printf( ) with %a is",
        &["func", "mod", "sym"],
    ),
    (
        "actions that print memory are not supported yet, but trace( ) of an array is",
        &["pcap", "print", "printm", "printt", "tracemem"],
    ),
    (
        "actions that change output or options are not supported yet",
        &["freopen", "ftruncate", "setopt"],
    ),
    (
        "network address and byte order conversions are not supported yet",
        &[
            "htonl",
            "htonll",
            "htons",
            "inet_ntoa",
            "inet_ntoa6",
            "inet_ntop",
            "link_ntop",
            "ntohl",
            "ntohll",
            "ntohs",
        ],
    ),
    (
        "this string function is not supported yet",
        &[
            "cleanpath",
            "json",
            "memstr",
            "strtoll",
            "tolower",
            "toupper",
        ],
    ),
    (
        "functions that read kernel structures are not supported yet",
        &[
            "d_path",
            "ddi_pathname",
            "getf",
            "getmajor",
            "getminor",
            "memref",
            "msgdsize",
            "msgsize",
            "mutex_owned",
            "mutex_owner",
            "mutex_type_adaptive",
            "mutex_type_spin",
            "progenyof",
            "rw_iswriter",
            "rw_read_held",
            "rw_write_held",
            "typeref",
        ],
    ),
    (
        "structure variables are not supported yet",
        &["curcpu", "curlwpsinfo", "curproc", "curpsinfo", "fds"],
    ),
    (
        "this built-in variable is not supported yet",
        &[
            "chip", "cwd", "execargs", "ipl", "jid", "jailname", "lgrp", "pset", "root", "vmregs",
            "zonename",
        ],
    ),
];

/// Control lines for C's preprocessor.
const PREPROCESSOR: &[&str] = &[
    "define", "elif", "else", "endif", "if", "ifdef", "ifndef", "include", "undef",
];

/// `#pragma D` directives of libraries.
const PRAGMAS: &[&str] = &["attributes", "binding", "depends_on"];

/// The error for a name that DTrace defines; `None` for any other name.
pub(crate) fn name(name: &str, line: u32) -> Option<Mistake> {
    let mut kinds = NAMES.iter();
    let sentence = if name.contains('`') {
        "kernel symbols are not supported yet"
    } else {
        kinds.find(|(_, names)| names.contains(&name))?.0
    };
    Some(Mistake::new(
        Tag::Unknown,
        line,
        format!("{name}: {sentence}"),
    ))
}

/// The error for a control line.
pub(crate) fn control_line(word: &str, line: u32) -> Option<Mistake> {
    PREPROCESSOR.contains(&word).then(|| {
        let message = format!("#{word}: the C preprocessor is not supported yet");
        Mistake::new(Tag::Unknown, line, message)
    })
}

/// The error for `#pragma D word`.
pub(crate) fn pragma(word: &str, line: u32) -> Option<Mistake> {
    PRAGMAS.contains(&word).then(|| {
        let message = format!("#pragma D {word}: libraries are not supported yet");
        Mistake::new(Tag::Unknown, line, message)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::builtin;
    use crate::functions::Function;

    #[test]
    fn what_is_missing_is_not_there_and_is_missing_once() {
        let mut names = HashSet::new();
        for name in NAMES.iter().flat_map(|(_, names)| *names) {
            assert!(names.insert(name), "{name} is there twice");
            assert_eq!(Function::of(name), None);
            assert_eq!(builtin::of(name), None);
        }
    }
}
