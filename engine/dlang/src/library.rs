//! The libraries in the compiler: DTrace's types for processes, CPUs and files, in D.
//!
//! None is compiled unless a program needs it: a program is compiled without them first, and again
//! with the one that defines a name that was not found, or the type of an argument. So what a
//! program and its own libraries define comes first, and costs no more for these being here.

use crate::{Kind, Text};

/// A library.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// The name of its file.
    pub name: &'static str,
    source: &'static str,
    /// What it defines for programs; whatever else it defines is its own.
    names: &'static [&'static str],
}

/// All of them.
static ALL: [Library; 3] = [
    Library {
        name: "procfs.d",
        source: include_str!("../lib/procfs.d"),
        names: &[
            "psinfo_t",
            "lwpsinfo_t",
            "curpsinfo",
            "curlwpsinfo",
            "curproc",
            "execargs",
            "SSLEEP",
            "SRUN",
            "SZOMB",
            "SSTOP",
            "SONPROC",
            "PR_STOPPED",
            "PR_ISSYS",
        ],
    },
    Library {
        name: "sched.d",
        source: include_str!("../lib/sched.d"),
        names: &["cpuinfo_t", "curcpu"],
    },
    Library {
        name: "io.d",
        source: include_str!("../lib/io.d"),
        names: &["fileinfo_t", "fds"],
    },
];

/// The library that defines this name.
pub(crate) fn defining(name: &str) -> Option<&'static Library> {
    ALL.iter().find(|it| it.names.contains(&name))
}

/// Whether there is a library of this name.
pub fn is_there(name: &str) -> bool {
    ALL.iter().any(|it| it.name == name)
}

impl Library {
    pub(crate) fn text(&self) -> Text {
        Text {
            source: self.source.to_owned(),
            kind: Kind::Library {
                name: self.name.to_owned(),
            },
            arguments: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_defined_once() {
        let names = || ALL.iter().flat_map(|it| it.names);
        for name in names() {
            assert_eq!(names().filter(|it| *it == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn each_name_is_in_its_library() {
        for library in &ALL {
            let mut words = library
                .source
                .split(|c: char| !c.is_alphanumeric() && c != '_');
            let words = words.by_ref().collect::<Vec<_>>();
            for name in library.names {
                assert!(words.contains(name), "{name} in {}", library.name);
            }
        }
    }
}
