//! The driver: passes until one needs nothing that the program has not told before.

use engine_dvm::limits;

use crate::compile::Compiler;
use crate::error::Error;
use crate::library::Library;
use crate::program::{Program, Setting};
use crate::size::size;
use crate::{Settings, Text};

/// Compiles texts, in order, as one program.
pub fn compile(texts: &[Text], settings: &Settings) -> Result<Program, Error> {
    let mut own: Vec<&'static Library> = Vec::new();
    loop {
        let (compiled, wanted) = sized(&own, texts, settings);
        match wanted.filter(|it| compiled.is_err() && !own.contains(it)) {
            // It comes first: one that was needed before may need it.
            Some(wanted) => own.insert(0, wanted),
            None => return compiled,
        }
    }
}

/// Compiles with the sizes and the minimum that the program sets. Gives also the library that it needs, if it does
/// not compile without.
fn sized(
    own: &[&Library],
    texts: &[Text],
    settings: &Settings,
) -> (Result<Program, Error>, Option<&'static Library>) {
    let mut compiler = Compiler::new(settings);
    let compiled = compiler.program(own, texts);
    // The errors may depend on them, too.
    let overridden = overridden(&compiler.options, settings);
    let set = |it: &Settings| (it.string_size, it.scratch_size, it.minimum);
    if set(&overridden) == set(settings) {
        return (compiled, compiler.names.wanted.get());
    }
    let mut compiler = Compiler::new(&overridden);
    let compiled = compiler.program(own, texts);
    (compiled, compiler.names.wanted.get())
}

/// The settings, with what pragmas set to valid values.
fn overridden(options: &[Setting], settings: &Settings) -> Settings {
    let last = |name: &str| options.iter().rfind(|option| option.name == name);
    let size = |name: &str| u32::try_from(size(last(name)?.value.as_deref()?)?).ok();
    // The option does not count the NUL.
    let strings = size("strsize").and_then(|size| size.checked_add(1));
    let strings = strings.filter(|size| limits::STRING_SIZE.contains(size));
    let scratch = size("scratchsize").filter(|size| *size <= limits::SCRATCH_MAX);
    let minimum = last("amin").and_then(|it| it.value.as_deref()?.parse().ok());
    Settings {
        minimum: minimum.or(settings.minimum),
        string_size: strings.unwrap_or(settings.string_size),
        scratch_size: scratch.unwrap_or(settings.scratch_size),
        ..settings.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn wanted(source: &str) -> Option<&'static str> {
        let text = Text {
            source: source.to_owned(),
            kind: Kind::File { name: "x.d".into() },
            ..Text::default()
        };
        let (compiled, wanted) = sized(&[], &[text], &Settings::default());
        assert_eq!(compiled.is_err(), wanted.is_some(), "{source}");
        wanted.map(|it| it.name)
    }

    #[test]
    fn a_library_is_compiled_for_what_it_defines_only() {
        for (source, expected) in [
            ("BEGIN { trace(curcpu->cpu_id); }", Some("sched.d")),
            ("BEGIN /curcpu->cpu_id/ { trace(1); }", Some("sched.d")),
            ("fileinfo_t *f; BEGIN { f = NULL; }", Some("io.d")),
            ("cpuinfo_t c; BEGIN { trace(c.cpu_id); }", Some("sched.d")),
            ("BEGIN { this->c = (cpuinfo_t *)arg0; }", Some("sched.d")),
            ("BEGIN { trace(sizeof (psinfo_t)); }", Some("procfs.d")),
            ("BEGIN { trace(fds[0].fi_name); }", Some("io.d")),
            ("BEGIN { trace(pid); }", None),
            ("BEGIN { curcpu = 1; trace(curcpu); /* psinfo_t */ }", None),
            ("BEGIN { self->curcpu = 1; trace(\"curpsinfo\"); }", None),
            ("BEGIN { this->curpsinfo = 1; @fds[cpu] = count(); }", None),
        ] {
            assert_eq!(wanted(source), expected, "{source}");
        }
    }
}
