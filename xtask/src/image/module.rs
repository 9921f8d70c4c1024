//! `trapline.ko`: links the engine's object with the C half through Kbuild, and checks the result.

use std::path::{Path, PathBuf};

use object::ObjectSymbol;

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest::Guest;
use crate::image::elf;
use crate::image::engine::{self, Variant};
use crate::image::hardening::Config;
use crate::image::kbuild;
use crate::image::stamp::unless_current;
use crate::progress::Step;
use crate::toolchain::{self, Toolchain};

/// Builds one variant of the module; returns its path.
pub fn make(
    guest: &Guest,
    toolchain: &Toolchain,
    headers: &Path,
    variant: Variant,
) -> Result<PathBuf> {
    let dir = guest.dir();
    let module = dir.join(format!("{}.ko", variant.name()));
    let mut inputs = toolchain.inputs("image::module", guest, &["engine"])?;
    inputs
        .add(format!("{:?} {variant:?}", guest.build))
        .add_stamp(&dir, "headers");
    unless_current(
        &dir,
        variant.name(),
        inputs,
        std::slice::from_ref(&module),
        || {
            let step = Step::begin(format!("{}: {}.ko", guest.name, variant.name()));
            let build = dir.join("build").join(variant.name());
            kbuild::copy(&workspace_root().join("engine/kmod"), &build)?;
            let config = Config::read(headers)?;
            let engine = build.join("engine.o_shipped");
            let script = build.join("engine.lds");
            let lock = toolchain::lock(engine::PROFILE)?;
            let archive = engine::compile(&step, guest, toolchain, &config, variant)?;
            engine::link(&step, guest, &archive, &script, &engine)?;
            drop(lock);
            kbuild::compile(&step, guest, headers, &build, &cflags(variant))?;
            let file = build.join("trapline.ko");
            let built = files::read(&file)?;
            refuse_panics(&module, &built)?;
            refuse_instrumented(&module, &built, config.lists_padding())?;
            refuse_many_sections(&module, &built)?;
            refuse_undescribed(&module, &built)?;
            config.check(guest, &engine, &file)?;
            files::write(&module, &built)?;
            step.done();
            Ok(())
        },
    )?;
    Ok(module)
}

/// Rejects a module that contains any panic: one taken in a probe would bring the machine down.
pub fn refuse_panics(path: &Path, module: &[u8]) -> Result<()> {
    let panics = |s: &object::Symbol<'_, '_>| s.name().is_ok_and(is_panic);
    let found = elf::symbols(module, panics).map_err(content(path))?;
    if found.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = found
        .iter()
        .map(|n| format!("  {:#}", rustc_demangle::demangle(n)))
        .collect();
    let file = path.file_name().unwrap_or_default().display();
    Err(Error::Module(format!(
        "{file} can panic inside the kernel; it contains\n{}\n\
         find the expression that needs it (an index, a division) and give it a checked form",
        names.join("\n")
    )))
}

fn is_panic(symbol: &str) -> bool {
    format!("{:#}", rustc_demangle::demangle(symbol)).contains("core::panicking")
}

/// Rejects calls, and space reserved for calls, of the function tracer and of sanitizers: those
/// functions can be probed, and the trap path must not call them. `lists_padding` is whether the
/// list of such spaces is of others, too.
pub fn refuse_instrumented(path: &Path, module: &[u8], lists_padding: bool) -> Result<()> {
    const RESERVED: &str = engine::PADDING_LIST;
    const CALLED: [&str; 4] = ["__asan_", "__hwasan_", "__sanitizer_cov_", "__tsan_"];
    let bad = content(path);
    let is_added = |s: &object::Symbol<'_, '_>| {
        s.name().is_ok_and(|name| {
            name.contains("mcount")
                || name == "__fentry__"
                || CALLED.iter().any(|prefix| name.starts_with(prefix))
        })
    };
    let call = elf::symbols(module, is_added).map_err(bad)?.pop();
    let reserved = !lists_padding && elf::has_section(module, RESERVED).map_err(bad)?;
    match call.or(reserved.then(|| RESERVED.to_owned())) {
        None => Ok(()),
        Some(name) => Err(Error::Module(format!(
            "{} has {name}: build its C without that instrumentation (see its Kbuild)",
            path.display()
        ))),
    }
}

/// Rejects a module with too many sections: sysfs has a file for each, and debuggers read them all.
fn refuse_many_sections(path: &Path, module: &[u8]) -> Result<()> {
    const MOST: usize = 40;
    let count = elf::loaded_sections(module).map_err(content(path))?;
    if count <= MOST {
        return Ok(());
    }
    Err(Error::Module(format!(
        "{} loads {count} sections, where {MOST} are the most: merge them (engine/kmod/engine.lds)",
        path.display()
    )))
}

/// Rejects a module whose modinfo lacks a field or the description of a parameter.
fn refuse_undescribed(path: &Path, module: &[u8]) -> Result<()> {
    const FIELDS: [&str; 5] = ["author", "description", "license", "srcversion", "version"];
    let info = elf::modinfo(module).map_err(content(path))?;
    let has = |field: &str| info.iter().any(|f| f.starts_with(field));
    let parameters = info.iter().filter_map(|f| f.strip_prefix("parmtype="));
    let parameters = parameters.filter_map(|p| p.split_once(':'));
    let wanted = parameters.map(|(name, _)| format!("parm={name}:"));
    let wanted = FIELDS.map(|f| format!("{f}=")).into_iter().chain(wanted);
    let missing: Vec<_> = wanted.filter(|field| !has(field)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Module(format!(
        "{} has no {} in its modinfo",
        path.display(),
        missing.join(" ")
    )))
}

fn content(path: &Path) -> impl Fn(object::Error) -> Error + Copy {
    move |e| Error::Content {
        path: path.into(),
        why: e.to_string(),
    }
}

/// Flags for the C half.
fn cflags(variant: Variant) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("-DTRAPLINE_VERSION={version} {}", variant.cflags())
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{Object as Writer, Symbol, SymbolSection};
    use object::{
        Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
    };

    fn module_with(symbol: &str) -> Vec<u8> {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
        object.add_symbol(Symbol {
            name: symbol.into(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Unknown,
            weak: false,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        });
        object.write().unwrap()
    }

    #[test]
    fn a_panic_is_found_under_its_mangled_name_and_named_plainly() {
        let module = module_with("_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE");
        let text = refuse_panics(Path::new("/x/trapline.ko"), &module)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("core::panicking::panic_bounds_check"),
            "{text}"
        );
        assert!(text.starts_with("trapline.ko"), "{text}");
    }

    #[test]
    fn a_call_of_the_function_tracer_or_a_sanitizer_is_found() {
        for added in [
            "__gnu_mcount_nc",
            "__asan_load8_noabort",
            "__tsan_read4",
            "__sanitizer_cov_trace_pc",
        ] {
            let refused = refuse_instrumented(Path::new("x.ko"), &module_with(added), true);
            let refused = refused.unwrap_err();
            assert!(refused.to_string().contains(added));
        }
        refuse_instrumented(Path::new("x.ko"), &module_with("printk"), false).unwrap();
    }

    #[test]
    fn space_reserved_for_such_a_call_is_found() {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::Aarch64, Endianness::Little);
        let name = b"__patchable_function_entries".to_vec();
        let section = object.add_section(Vec::new(), name, SectionKind::Data);
        object.append_section_data(section, &[0; 8], 8);
        let object = object.write().unwrap();
        let refused = refuse_instrumented(Path::new("x.ko"), &object, false).unwrap_err();
        assert!(refused.to_string().contains("__patchable_function_entries"));
        refuse_instrumented(Path::new("x.ko"), &object, true).unwrap();
    }

    #[test]
    fn a_module_without_panics_passes() {
        refuse_panics(Path::new("x.ko"), &module_with("printk")).unwrap();
    }

    /// A module with this many loaded sections, `.modinfo` included.
    fn module_of(sections: usize, info: &[u8]) -> Vec<u8> {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
        for number in 1..sections {
            let name = format!(".text.f{number}").into_bytes();
            let section = object.add_section(Vec::new(), name, SectionKind::Text);
            object.append_section_data(section, &[0; 4], 4);
        }
        let section =
            object.add_section(Vec::new(), b".modinfo".to_vec(), SectionKind::ReadOnlyData);
        object.append_section_data(section, info, 1);
        let comment =
            object.add_section(Vec::new(), b".comment".to_vec(), SectionKind::OtherString);
        object.append_section_data(comment, b"none", 1);
        object.write().unwrap()
    }

    #[test]
    fn a_section_for_each_function_is_too_many() {
        let refuse = |count| refuse_many_sections(Path::new("x.ko"), &module_of(count, b"x=y"));
        refuse(40).unwrap();
        assert!(refuse(41).unwrap_err().to_string().contains("41 sections"));
    }

    #[test]
    fn a_field_that_modinfo_lacks_is_named() {
        let all = b"author=a\0description=d\0license=l\0srcversion=s\0version=1\0parm=p:for\0parmtype=p:int\0";
        let refuse = |info: &[u8]| refuse_undescribed(Path::new("x.ko"), &module_of(2, info));
        refuse(all).unwrap();
        for (field, name) in [("version=1", "version="), ("parm=p:for", "parm=p:")] {
            let at = all
                .windows(field.len() + 1)
                .position(|w| w == [&[0], field.as_bytes()].concat());
            let (before, after) = all.split_at(at.unwrap());
            let refused = refuse(&[before, &after[field.len() + 1..]].concat()).unwrap_err();
            assert!(
                refused.to_string().contains(&format!("no {name} ")),
                "{refused}"
            );
        }
    }
}
