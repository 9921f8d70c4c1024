//! `trapline.ko`: the engine's one object put together with the C half by the kernel's own build
//! system.

use std::path::{Path, PathBuf};

use object::ObjectSymbol;

use crate::elf;
use crate::engine::{self, Variant};
use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest::Guest;
use crate::kbuild;
use crate::progress::Step;
use crate::stamp::unless_current;
use crate::toolchain::{self, Toolchain};

/// Builds one module for a guest.
pub fn make(
    guest: &Guest,
    toolchain: &Toolchain,
    headers: &Path,
    variant: Variant,
) -> Result<PathBuf> {
    let dir = guest.dir();
    let module = dir.join(format!("{}.ko", variant.name()));
    let mut inputs = toolchain.inputs("module", guest, &["engine"])?;
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
            let lock = toolchain::lock()?;
            let archive = engine::compile(&step, guest, toolchain, variant)?;
            engine::link(&step, guest, &archive, &build.join("engine.o_shipped"))?;
            drop(lock);
            // The kernel's build wants to know each object's C sources; this one has none.
            files::write(&build.join(".engine.o.cmd"), b"")?;
            kbuild::compile(&step, guest, headers, &build, variant.cflags())?;
            let built = files::read(&build.join("trapline.ko"))?;
            refuse_panics(&module, &built)?;
            refuse_tracing(&module, &built)?;
            files::write(&module, &built)?;
            step.done();
            Ok(())
        },
    )?;
    Ok(module)
}

/// A module that can panic can bring its machine down from inside a probe; none of ours may even
/// contain the code.
fn refuse_panics(path: &Path, module: &[u8]) -> Result<()> {
    let panics = |s: &object::Symbol<'_, '_>| s.name().is_ok_and(is_panic);
    let found = elf::symbols(module, panics).map_err(|e| Error::Content {
        path: path.into(),
        why: e.to_string(),
    })?;
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

/// What a trap runs must not call the kernel's own function tracer: that can be probed. The call is
/// there already, or the compiler has left room for it and a list of the places.
fn refuse_tracing(path: &Path, module: &[u8]) -> Result<()> {
    const ROOM: &str = "__patchable_function_entries";
    let bad = |e: object::Error| Error::Content {
        path: path.into(),
        why: e.to_string(),
    };
    let traces = |s: &object::Symbol<'_, '_>| {
        s.name()
            .is_ok_and(|name| name.contains("mcount") || name == "__fentry__")
    };
    let call = elf::symbols(module, traces).map_err(bad)?.pop();
    let room = elf::has_section(module, ROOM).map_err(bad)?;
    match call.or(room.then(|| ROOM.to_owned())) {
        None => Ok(()),
        Some(name) => Err(Error::Module(format!(
            "{} has {name}: build its C without the kernel's function tracer (see its Kbuild)",
            path.display()
        ))),
    }
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
    fn a_call_of_the_function_tracer_is_found() {
        let module = module_with("__gnu_mcount_nc");
        let refused = refuse_tracing(Path::new("x.ko"), &module).unwrap_err();
        assert!(refused.to_string().contains("__gnu_mcount_nc"));
        refuse_tracing(Path::new("x.ko"), &module_with("printk")).unwrap();
    }

    #[test]
    fn room_for_such_a_call_is_found() {
        let mut object = Writer::new(BinaryFormat::Elf, Architecture::Aarch64, Endianness::Little);
        let name = b"__patchable_function_entries".to_vec();
        let section = object.add_section(Vec::new(), name, SectionKind::Data);
        object.append_section_data(section, &[0; 8], 8);
        let refused = refuse_tracing(Path::new("x.ko"), &object.write().unwrap()).unwrap_err();
        assert!(refused.to_string().contains("__patchable_function_entries"));
    }

    #[test]
    fn a_module_without_panics_passes() {
        refuse_panics(Path::new("x.ko"), &module_with("printk")).unwrap();
    }
}
