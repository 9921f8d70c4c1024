//! What DTrace has, and this D has not yet: names that are no mistakes of whoever writes them, and why
//! they mean nothing here.

use crate::error::Mistake;
use crate::tag::Tag;

/// Names of functions and variables, by what they belong to.
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
        "stacks and symbols of processes are not supported yet",
        &[
            "jstack",
            "uaddr",
            "ucaller",
            "ufunc",
            "umod",
            "ustack",
            "ustackdepth",
            "usym",
        ],
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
        "conversions between networks' and hosts' data are not supported yet",
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
        "this function of strings is not supported yet",
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
        "functions that look into the kernel's structures are not supported yet",
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
        "variables that are structures are not supported yet",
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

/// What control lines begin with that are for C's preprocessor.
const PREPROCESSOR: &[&str] = &[
    "define", "elif", "else", "endif", "if", "ifdef", "ifndef", "include", "undef",
];

/// What follows `#pragma D` in libraries.
const PRAGMAS: &[&str] = &["attributes", "binding", "depends_on"];

/// What is said of a name that DTrace gives a meaning; nothing of one that is nobody's.
pub(crate) fn name(name: &str, line: u32) -> Option<Mistake> {
    let mut kinds = NAMES.iter();
    let sentence = if name.contains('`') {
        "symbols of the kernel are not supported yet"
    } else {
        kinds.find(|(_, names)| names.contains(&name))?.0
    };
    Some(Mistake::new(
        Tag::Unknown,
        line,
        format!("{name}: {sentence}"),
    ))
}

/// What is said of a control line.
pub(crate) fn control_line(word: &str, line: u32) -> Option<Mistake> {
    PREPROCESSOR.contains(&word).then(|| {
        let message = format!("#{word}: a preprocessor is not supported yet");
        Mistake::new(Tag::Unknown, line, message)
    })
}

/// What is said of `#pragma D word`.
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
