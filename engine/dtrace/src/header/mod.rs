//! `-h` and `-G`: C headers of the providers that scripts define, and the object files that other
//! implementations need beside their headers.
//!
//! Programs that are built for DTrace run `dtrace -h` before they compile, and `dtrace -G` with all of
//! their objects before they link. Our headers are complete, so `-G` has nothing to do; but its
//! result is linked, so with `-o` it writes an object without contents.

mod object;

use std::path::{Path, PathBuf};

use engine_dlang::header::{Provider, c, definitions};
use engine_dlang::{Kind, Settings, Text};

use crate::error::Error;
use crate::options::{Options, Program};
use crate::output::notice;
use crate::sources;

/// `-h`: writes the header.
pub fn write(options: &Options) -> Result<u8, Error> {
    let path = output(options)?;
    let providers = providers(options, 'h')?;
    if providers.is_empty() {
        let names: Vec<_> = scripts(options, 'h')?.collect();
        return Err(Error::NoProviders(names.join(", ")));
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    save(
        &path,
        c::header(&providers, &name.to_string_lossy()).as_bytes(),
    )
}

/// `-G`: checks the scripts, and writes an empty object if there is to be one.
pub fn link(options: &Options) -> Result<u8, Error> {
    providers(options, 'G')?;
    let why = "-G is not needed: headers of -h place their probes themselves";
    notice(&options.settings, why);
    match &options.output {
        Some(path) => save(path, &object::like(&options.arguments)?),
        None => Ok(0),
    }
}

fn save(path: &Path, contents: &[u8]) -> Result<u8, Error> {
    let saved = std::fs::write(path, contents);
    saved.map(|()| 0).map_err(|why| Error::OpenOutput {
        path: path.to_owned(),
        why,
    })
}

/// The names of the scripts.
fn scripts(options: &Options, letter: char) -> Result<impl Iterator<Item = &str>, Error> {
    let mut programs = options.programs.iter();
    let is_script = |it: &Program| matches!(it, Program::Script(_));
    if options.programs.is_empty() || !programs.all(is_script) {
        return Err(Error::OfScripts(letter));
    }
    Ok(options.programs.iter().filter_map(|it| match it {
        Program::Script(name) => Some(name.as_str()),
        _ => None,
    }))
}

fn providers(options: &Options, letter: char) -> Result<Vec<Provider>, Error> {
    let native = size_of::<usize>() as u32;
    let pointer = options.pointer.unwrap_or(native);
    let texts = scripts(options, letter)?.map(|name| {
        let source = sources::script(name, &options.settings, pointer)?;
        let kind = Kind::File { name: name.into() };
        sources::text(kind, source, &options.settings)
    });
    let texts: Vec<Text> = texts.collect::<Result<_, _>>()?;
    let found = definitions(&texts, &Settings::default());
    found.map_err(|failure| Error::Compile(failure.to_string()))
}

/// The file of `-o`; without it, the only script's name with `.h` for `.d`, in this folder.
fn output(options: &Options) -> Result<PathBuf, Error> {
    if let Some(path) = &options.output {
        return Ok(path.clone());
    }
    let mut scripts = scripts(options, 'h')?;
    let (Some(name), None) = (scripts.next(), scripts.next()) else {
        return Err(Error::HeaderName);
    };
    let base = Path::new(name).file_name().filter(|_| name != "-");
    let base = base.ok_or(Error::HeaderName)?.to_string_lossy();
    let stem = base.strip_suffix(".d").unwrap_or(&base);
    Ok(format!("{stem}.h").into())
}
