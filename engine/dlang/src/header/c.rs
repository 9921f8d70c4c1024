//! The text of a header.

use std::fmt::Write;

use super::definitions::{Passed, Probe, Provider};

/// What all headers share: how a note is written in assembler, and an argument passed to it. No
/// provider's macros begin with an underscore, unless its name does.
const SHARED: &str = include_str!("shared.h");
const ENABLED: &str = "defined(__ELF__) && defined(__GNUC__) && !defined(TRAPLINE_NO_PROBES)";

/// The header of providers; `name` is the base of the guard's name.
pub fn header(providers: &[Provider], name: &str) -> String {
    let letters = name.chars().map(|it| match it {
        'a'..='z' | 'A'..='Z' | '0'..='9' => it.to_ascii_uppercase(),
        _ => '_',
    });
    let guard: String = ['_'].into_iter().chain(letters).collect();
    let mut text = format!(
        "/*\n * Made by dtrace -h; changes will be lost.\n */\n\n\
         #ifndef {guard}\n#define {guard}\n\n#if {ENABLED}\n\n{SHARED}\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    for (provider, probe) in all(providers) {
        let semaphore = semaphore(provider, probe);
        line(&mut text, format_args!("_TRAPLINE_SEMAPHORE({semaphore});"));
    }
    text += "\n#ifdef __cplusplus\n}\n#endif\n";
    for (provider, probe) in all(providers) {
        text.push('\n');
        definition(&mut text, provider, probe);
    }
    text += "\n#else\n\n";
    for (provider, probe) in all(providers) {
        let (name, list) = (provider.macro_name(probe), list(probe));
        line(&mut text, format_args!("#define {name}({list}) ((void)0)"));
        line(&mut text, format_args!("#define {name}_ENABLED() (0)"));
    }
    line(&mut text, format_args!("\n#endif\n\n#endif"));
    text
}

fn all(providers: &[Provider]) -> impl Iterator<Item = (&Provider, &Probe)> {
    let probes = |provider| std::iter::repeat(provider);
    providers
        .iter()
        .flat_map(move |provider| probes(provider).zip(&provider.probes))
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = writeln!(text, "{line}");
}

/// The name of the counter of tracers.
fn semaphore(provider: &Provider, probe: &Probe) -> String {
    format!("{}_{}_semaphore", provider.name, probe.name)
}

/// The macros' parameters.
fn list(probe: &Probe) -> String {
    let names = (0..probe.arguments.len()).map(|number| format!("arg{number}"));
    names.collect::<Vec<_>>().join(", ")
}

/// The macros of a probe.
fn definition(text: &mut String, provider: &Provider, probe: &Probe) {
    let (name, semaphore) = (provider.macro_name(probe), semaphore(provider, probe));
    let types = probe.types.join(", ");
    let (of, full) = (&provider.name, &probe.name);
    let passed = || probe.arguments.iter().enumerate();
    let notes: Vec<_> = passed().map(|(number, it)| it.note(number)).collect();
    let operands: Vec<_> = passed().map(|(number, it)| it.operand(number)).collect();
    let notes = match &*notes.join(" \" \" ") {
        "" => "\"\"".to_owned(),
        notes => notes.to_owned(),
    };
    let operands = operands.join(", \\\n\t        ");
    let lines = [
        format!("/* {of}:{full}({types}) */"),
        format!("#define {name}({}) \\", list(probe)),
        "\t__extension__ ({ __asm__ __volatile__( \\".to_owned(),
        format!("\t    _TRAPLINE_NOTE(\"{of}\", \"{full}\", \"{semaphore}\", {notes}) \\"),
        format!("\t    : : {operands}); }})"),
        format!("#define {name}_ENABLED() _TRAPLINE_ENABLED({semaphore})"),
    ];
    for it in lines {
        line(text, format_args!("{it}"));
    }
}

impl Passed {
    /// Its part of the note, string literals.
    fn note(self, number: usize) -> String {
        match self {
            Self::Integer { size, is_signed } => {
                let sign = if is_signed { "-" } else { "" };
                format!("\"{sign}{size}@%{number}\"")
            }
            Self::Word { is_signed: true } => format!("\"-\" _TRAPLINE_WORD \"@%{number}\""),
            Self::Word { is_signed: false } | Self::Pointer => {
                format!("_TRAPLINE_WORD \"@%{number}\"")
            }
            Self::Float { size } => format!("\"{size}f@%{number}\""),
        }
    }

    /// The operand.
    fn operand(self, number: usize) -> String {
        let (what, type_) = match self {
            Self::Integer { size, is_signed } => {
                let bits = 8 * size;
                let sign = if is_signed { "" } else { "U" };
                ("INTEGER", format!("__{sign}INT{bits}_TYPE__"))
            }
            Self::Word { is_signed: true } => ("INTEGER", "__INTPTR_TYPE__".to_owned()),
            Self::Word { is_signed: false } => ("INTEGER", "__UINTPTR_TYPE__".to_owned()),
            Self::Pointer => ("POINTER", "const volatile void *".to_owned()),
            Self::Float { size: 4 } => ("FLOAT", "float".to_owned()),
            Self::Float { .. } => ("FLOAT", "double".to_owned()),
        };
        format!("_TRAPLINE_{what}({type_}, arg{number})")
    }
}
