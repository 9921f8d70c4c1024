//! Functions in files of the host's compiler.

use std::collections::BTreeSet;
use std::process::Command;

use engine_objects::{Class, Extent, Fault, Function, Kind, Table};

use crate::build::{Build, CPP, VERSIONED, functions, list};

#[test]
fn all_kinds_of_functions_of_a_library() {
    let build = Build::new();
    let found = functions(&build.library(&[]));
    assert_eq!(
        list(&found),
        "choose Local Stated Symtab\n\
         chosen Global Stated Symtab ifunc\n\
         fast Local Stated Symtab\n\
         hidden_local Local Stated Symtab\n\
         new_way Global Stated Symtab\n\
         old_way Global Stated Symtab\n\
         other_name Weak Stated Symtab\n\
         plain Global Stated Symtab\n\
         sizeless Global UntilNext Symtab\n"
    );
    assert_eq!(found.faults(), []);
}

#[test]
fn a_stripped_library_has_its_exported_functions() {
    let build = Build::new();
    build.library(&[]);
    build.tool("strip", &["libmade.so.1"]);
    let found = functions(&build.path("libmade.so.1"));
    assert_eq!(
        list(&found),
        "chosen Global Stated Dynsym ifunc\n\
         new_way Global Stated Dynsym\n\
         old_way Global Stated Dynsym\n\
         other_name Weak Stated Dynsym\n\
         plain Global Stated Dynsym\n\
         sizeless Global UntilNext Dynsym\n"
    );
}

#[test]
fn a_program_without_symbols_has_what_its_unwind_table_describes() {
    let build = Build::new();
    let source = "int odd(int); static __attribute__((noinline)) int even(int n) { return n ? odd(n - 1) : 1; }\n\
                  __attribute__((noinline)) int odd(int n) { return n ? even(n - 1) : 0; }\n\
                  void _start(void) { odd(3); }\n";
    let flags = ["-nostdlib", "-fno-optimize-sibling-calls"];
    let path = build.compile(("odd.c", source), "odd", &flags);
    let named = functions(&path);
    build.tool("strip", &["odd"]);
    let found = functions(&path);
    assert!(named.len() >= 3 && found.faults().is_empty());
    let names: Vec<_> = found.iter().map(|it| it.name().into_owned()).collect();
    let place = |it: &Function<'_>| (it.address, it.size);
    let expected: Vec<_> = named
        .iter()
        .map(|it| format!("{:#x}", it.address))
        .collect();
    assert_eq!(names, expected);
    assert!(
        found
            .iter()
            .map(|it| place(&it))
            .eq(named.iter().map(|it| place(&it)))
    );
    assert!(found.iter().all(|it| it.table == Table::EhFrame));
}

#[test]
fn mini_debug_info_has_local_functions_too() {
    let build = Build::new();
    build.library(&[]);
    let found = functions(&build.with_mini("libmade.so.1", "mini.so"));
    let tables: Vec<_> = found.iter().map(|function| function.table).collect();
    assert_eq!(tables, [Table::Mini; 9]);
    assert!(
        found
            .iter()
            .any(|function| function.name() == "hidden_local")
    );
    assert_eq!(found.faults(), []);
}

#[test]
fn a_function_without_a_size_extends_to_the_next() {
    let build = Build::new();
    let found = functions(&build.library(&[]));
    let named = |name: &str| {
        found
            .iter()
            .find(|function| function.name() == name)
            .unwrap()
    };
    let sizeless = named("sizeless");
    assert_eq!((sizeless.extent, sizeless.size), (Extent::UntilNext, 12));
    let (inside, offset) = found.at(sizeless.address + 9).unwrap();
    assert_eq!((inside.name().as_ref(), offset), ("sizeless", 9));
    let (last, _) = found
        .at(found.iter().map(|function| function.address).max().unwrap())
        .unwrap();
    assert_eq!(found.at(last.address + last.size), None);
}

#[test]
fn of_aliases_the_global_one_is_found() {
    let build = Build::new();
    let found = functions(&build.library(&[]));
    let plain = found
        .iter()
        .find(|function| function.name() == "other_name")
        .unwrap();
    assert_eq!(found.at(plain.address + 1).unwrap().0.name(), "plain");
}

#[test]
fn versions_are_no_part_of_a_name() {
    let build = Build::new();
    std::fs::write(build.path("map"), "V1 { }; V2 { } V1;").unwrap();
    let flags = ["-shared", "-fPIC", "-nostdlib", "-Wl,--version-script=map"];
    let library = build.compile(("versioned.c", VERSIONED), "libversioned.so", &flags);
    let found = functions(&library);
    let ways: Vec<_> = found.matching(|name| name == "way").collect();
    let versions: Vec<_> = ways
        .iter()
        .map(|way| way.version().unwrap_or_default())
        .collect();
    assert_eq!(versions, ["V1", "V2"]);
    assert_ne!(ways[0].address, ways[1].address);
}

#[test]
fn cpp_names_match_in_three_forms() {
    let build = Build::new();
    let flags = ["-shared", "-fPIC", "-nostdlib"];
    let found = functions(&build.compile(("thing.cc", CPP), "libthing.so", &flags));
    let matching = |wanted: &str| found.matching(|name| name == wanted).count();
    assert_eq!(matching("_ZNK5space5Thing6methodEi"), 1);
    assert_eq!(matching("space::Thing::method(int) const"), 1);
    assert_eq!(matching("space::Thing::method(char const*)"), 1);
    assert_eq!(matching("space::Thing::method(long)"), 0);
    assert_eq!(matching("space::Thing::method"), 2);
}

#[test]
fn headers_are_read() {
    let build = Build::new();
    let library = build.library(&["-Wl,-soname,libother.so.9", "-Wl,--build-id=0xabcd"]);
    let (elf, _) = engine_objects::Functions::of_bytes(&std::fs::read(library).unwrap()).unwrap();
    assert_eq!(elf.soname.as_deref(), Some(&b"libother.so.9"[..]));
    assert_eq!(elf.build_id.as_deref(), Some(&[0xab, 0xcd][..]));
    assert_eq!(elf.kind, Kind::Dynamic);
    let is_wide = cfg!(target_pointer_width = "64");
    assert_eq!(elf.class == Class::Elf64, is_wide);
    assert_eq!(elf.faults, []);
}

#[test]
fn without_section_headers_the_segments_remain() {
    let build = Build::new();
    let mut bytes = std::fs::read(build.library(&["-Wl,-soname,libx.so"])).unwrap();
    // e_shoff of either class.
    let place = if bytes[4] == 2 { 40..48 } else { 32..36 };
    bytes[place].fill(0);
    let (elf, found) = engine_objects::Functions::of_bytes(&bytes).unwrap();
    assert_eq!(elf.soname.as_deref(), Some(&b"libx.so"[..]));
    let tables: BTreeSet<_> = found.iter().map(|function| function.table).collect();
    assert!(elf.build_id.is_some());
    assert_eq!(tables, [Table::EhFrame].into());
    assert_eq!(found.faults(), [Fault::NoSections]);
}

/// Address and name of each function, as readelf(1) has them.
fn by_readelf(path: &std::path::Path) -> BTreeSet<(u64, String)> {
    let output = Command::new("readelf")
        .arg("-sW")
        .arg(path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let functions = lines.filter(|words| {
        let kind = words.get(3).copied();
        matches!(kind, Some("FUNC" | "IFUNC")) && words.len() > 7 && words[6] != "UND"
    });
    let name = |full: &str| full.split('@').next().unwrap().to_owned();
    let row = |words: Vec<&str>| {
        (
            u64::from_str_radix(words[1], 16).unwrap() & !1,
            name(words[7]),
        )
    };
    functions.map(row).collect()
}

#[test]
fn the_same_functions_as_by_readelf() {
    let build = Build::new();
    let flags = ["-static"];
    let program = build.compile(("program.c", crate::processes::PROGRAM), "program", &flags);
    for path in [
        program,
        build.library(&[]),
        std::env::current_exe().unwrap(),
    ] {
        let found = functions(&path);
        let found: BTreeSet<_> = found
            .iter()
            .map(|function| (function.address & !1, function.name().into_owned()))
            .collect();
        assert_eq!(found, by_readelf(&path), "{}", path.display());
    }
}
