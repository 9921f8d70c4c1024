//! Names that DTrace defines and this D does not, for better error messages.

use crate::error::Mistake;
use crate::tag::Tag;

/// Names of functions and variables, by the reason why they are not there.
const NAMES: &[(&str, &[&str])] = &[
    (
        "packets are not captured: tracemem( ) traces their bytes",
        &["pcap"],
    ),
    (
        "this action is not supported, but print( ) and tracemem( ) are",
        &["printm", "printt", "memref", "typeref"],
    ),
    (
        "strings end with a NUL here: use copyin( ), or alloca( ) and bcopy( )",
        &["memstr"],
    ),
    (
        "a path is made by following the kernel's lists, and D has no loops: use fds[ ].fi_name",
        &["d_path", "getf", "cwd", "root"],
    ),
    (
        "it is about devices and messages of STREAMS, which Linux does not have",
        &["ddi_pathname", "msgdsize", "msgsize"],
    ),
    (
        "locks of Linux depend on its configuration: read their members, as in \
         ((struct mutex *)arg0)->owner.counter",
        &[
            "mutex_owned",
            "mutex_owner",
            "mutex_type_adaptive",
            "mutex_type_spin",
            "rw_iswriter",
            "rw_read_held",
            "rw_write_held",
        ],
    ),
    (
        "Linux has nothing like it",
        &[
            "ipl", "jailname", "jid", "lgrp", "pset", "vmregs", "zonename",
        ],
    ),
    (
        "each architecture has it elsewhere, and not all have it: use cpu",
        &["chip"],
    ),
];

/// The error for a name that DTrace defines; `None` for any other name.
pub(crate) fn name(name: &str, line: u32) -> Option<Mistake> {
    let mut kinds = NAMES.iter();
    let sentence = kinds.find(|(_, names)| names.contains(&name))?.0;
    Some(Mistake::new(
        Tag::Unknown,
        line,
        format!("{name}: {sentence}"),
    ))
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
