//! The options as people are told of them: in the usage message, the manual page and by shells.

use std::fmt::Write;

/// What an option takes, for a shell to complete.
#[derive(Clone, Copy)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value of this name.
    Value(&'static str),
    /// A file's name.
    File(&'static str),
    /// A folder's name.
    Folder(&'static str),
    /// One of these.
    OneOf(&'static str, &'static [&'static str]),
    /// A description of probes, or a part of one.
    Probe(&'static str),
    /// A process.
    Process,
    /// An option of `-x`.
    Setting,
    /// A command with its arguments.
    Command,
}

impl Takes {
    /// What the value is called.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Value(name)
            | Self::File(name)
            | Self::Folder(name)
            | Self::OneOf(name, _)
            | Self::Probe(name) => Some(name),
            Self::Process => Some("pid"),
            Self::Setting => Some("opt[=val]"),
            Self::Command => Some("cmd"),
        }
    }
}

/// An option.
pub struct Flag {
    /// With its dashes.
    pub name: &'static str,
    /// Its value.
    pub takes: Takes,
    /// What it does.
    pub does: &'static str,
}

const fn flag(name: &'static str, takes: Takes, does: &'static str) -> Flag {
    Flag { name, takes, does }
}

/// The forms of a command line, without the command's name.
pub const SYNOPSIS: &str = "\
[-32|-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]
\t[-I path] [-L path] [-o output] [-p pid] [-s script] [-U name]
\t[-x opt[=val]] [-X a|c|s|t]

\t[-P provider [[ predicate ] action ]]
\t[-m [ provider: ] module [[ predicate ] action ]]
\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]
\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]
\t[-i probe-id [[ predicate ] action ]] [ args ... ]

\tpredicate -> '/' D-expression '/'
\t   action -> '{' D-statements '}'
";

use Takes::{Command, File, Folder, Nothing, OneOf, Probe, Process, Setting, Value};

/// All options: those of dtrace(1), then our own.
pub fn flags() -> impl Iterator<Item = &'static Flag> {
    GROUPS.iter().flat_map(|(_, flags)| *flags)
}

/// Columns that a name takes, and the options.
const GROUPS: [(usize, &[Flag]); 3] = [(4, &MODELS), (4, &LETTERS), (12, &LONG)];

const MODELS: [Flag; 2] = [
    flag(
        "-32",
        Nothing,
        "check that the kernel's data model has 32 bits",
    ),
    flag(
        "-64",
        Nothing,
        "check that the kernel's data model has 64 bits",
    ),
];

const LETTERS: [Flag; 29] = [
    flag("-b", Value("bufsz"), "set trace buffer size"),
    flag(
        "-c",
        Command,
        "run specified command and exit upon its completion",
    ),
    flag("-C", Nothing, "run cpp(1) preprocessor on script files"),
    flag(
        "-D",
        Value("name[=def]"),
        "define symbol when invoking preprocessor",
    ),
    flag(
        "-e",
        Nothing,
        "exit after compiling request but prior to enabling probes",
    ),
    flag(
        "-f",
        Probe("func"),
        "enable or list probes matching the specified function name",
    ),
    flag("-F", Nothing, "coalesce trace output by function"),
    flag(
        "-G",
        Nothing,
        "accepted, so that builds which link an object file for probes work: the headers of -h \
         need none, and the one of -o is empty",
    ),
    flag(
        "-h",
        Nothing,
        "generate a C header with macros for the probes of the providers that a script defines: \
         script.h, or the file of -o",
    ),
    flag(
        "-H",
        Nothing,
        "print included files when invoking preprocessor",
    ),
    flag(
        "-i",
        Value("probe-id"),
        "enable or list probes matching the specified probe id",
    ),
    flag(
        "-I",
        Folder("path"),
        "add include directory to preprocessor search path",
    ),
    flag("-l", Nothing, "list probes matching specified criteria"),
    flag(
        "-L",
        Folder("path"),
        "add library directory to library search path",
    ),
    flag(
        "-m",
        Probe("module"),
        "enable or list probes matching the specified module name",
    ),
    flag(
        "-n",
        Probe("name"),
        "enable or list probes matching the specified probe name",
    ),
    flag("-o", File("output"), "set output file"),
    flag(
        "-p",
        Process,
        "trace until the specified process exits; $target is its process-ID",
    ),
    flag(
        "-P",
        Probe("provider"),
        "enable or list probes matching the specified provider name",
    ),
    flag(
        "-q",
        Nothing,
        "set quiet mode (only output explicitly traced data)",
    ),
    flag(
        "-s",
        File("script"),
        "enable or list probes according to the specified D script",
    ),
    flag("-S", Nothing, "print D compiler intermediate code"),
    flag(
        "-U",
        Value("name"),
        "undefine symbol when invoking preprocessor",
    ),
    flag(
        "-v",
        Nothing,
        "set verbose mode (report clauses and their sizes; with -l, stability and arguments of \
         probes)",
    ),
    flag("-V", Nothing, "report DTrace API version"),
    flag("-w", Nothing, "permit destructive actions"),
    flag(
        "-x",
        Setting,
        "enable or modify compiler and tracing options",
    ),
    flag(
        "-X",
        OneOf("a|c|s|t", &["a", "c", "s", "t"]),
        "specify ISO C conformance settings for preprocessor (no effect)",
    ),
    flag(
        "-Z",
        Nothing,
        "permit probe descriptions that match zero probes",
    ),
];

const LONG: [Flag; 10] = [
    flag(
        "--path",
        File("file"),
        "record each instruction that the command of -c executes, to a file",
    ),
    flag(
        "--report",
        File("file"),
        "report what --path has recorded, from its file",
    ),
    flag(
        "--show",
        OneOf(
            "what",
            &[
                "summary",
                "functions",
                "branches",
                "instructions",
                "path",
                "json",
                "picture",
            ],
        ),
        "what --report shows: summary, functions, branches, instructions[:FUNCTION], path, json \
         or picture",
    ),
    flag(
        "--from",
        Value("point"),
        "show the path from this point: an address, or a function, malloc, libc.so.6`malloc, or \
         its third call malloc#3",
    ),
    flag("--to", Value("point"), "show the path up to this point"),
    flag(
        "--type",
        Value("type"),
        "print the layout of a kernel type: 'struct bio', size_t, 'struct mod`tag', or of a \
         member: 'struct bio.bi_iter.bi_size'",
    ),
    flag(
        "--generate",
        OneOf("what", &["man", "bash", "zsh", "fish"]),
        "print the manual page, or what completes this command's words in a shell",
    ),
    flag(
        "--doctor",
        Nothing,
        "report what this system lacks for tracing, what to do about it, and why each function among the arguments has no probe",
    ),
    flag("--help", Nothing, "print this message"),
    flag("--version", Nothing, "report DTrace API version"),
];

/// Columns of the usage message, whose tab is of eight.
const WIDTH: usize = 80 - 8;

/// The usage message.
pub fn usage() -> String {
    let mut text = format!("Usage: dtrace {SYNOPSIS}");
    for (column, flags) in GROUPS {
        text.push('\n');
        for flag in flags {
            for (number, line) in wrap(flag.does, WIDTH - column).iter().enumerate() {
                let head = if number == 0 { flag.name } else { "" };
                let _ = writeln!(text, "\t{head:<column$}{line}");
            }
        }
    }
    text
}

/// Lines of at most `width` columns, but for words that are longer.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
