//! Variables: where they are, and what they are.

use engine_btf::{Btf, Linkage, Place, dwarf};
use object::{Object, ObjectSection, ObjectSymbol};

use super::build::{built, linked, object};
use super::show::{converted, show};

/// As a kernel: with per-CPU variables, and names that only assembly or the linker has.
const KERNEL: [&str; 2] = [
    r#"
    __asm__(".data\n.globl from_assembly\nfrom_assembly: .byte 1,2,3,4\n.text\n");
    struct timer { long expires; int flags; };
    struct timer timer = { 1, 2 };
    static int counter = 5;
    const char banner[] = "kernel";
    unsigned long long jiffies_64 = 1;
    extern unsigned long jiffies;
    extern int from_assembly, absent __attribute__((weak));
    extern struct timer other_timers[3];
    int __attribute__((section(".data..percpu"))) first = 7, mine = 8;
    int __attribute__((section(".discard"))) discarded = 9;
    extern char _end[];
    long use(void) { return (long)&counter + jiffies + from_assembly + other_timers[0].flags + (long)&absent + (long)_end; }
    "#,
    "static long counter = 6;
    struct timer { long expires; int flags; } other_timers[3] = {{1, 1}};
    long *use_too(void) { return &counter; }",
];

fn kernel() -> Vec<u8> {
    built(&KERNEL, &["-fno-pic"], Some(&["-Wl,-T,kernel.ld"]))
}

/// The address of a symbol, by the file itself.
fn address(file: &object::File<'_>, name: &str) -> u64 {
    let mut symbols = file.symbols();
    let found = symbols.find(|symbol| symbol.name() == Ok(name));
    found.unwrap_or_else(|| panic!("no {name}")).address()
}

fn place<'b>(btf: &'b Btf<'_>, name: &str) -> Place<'b> {
    btf.variable(name).unwrap().place.unwrap()
}

#[test]
fn a_kernels_are_relative_to_its_text() {
    let file = kernel();
    let btf = converted(&file);
    let file = object::File::parse(&file[..]).unwrap();
    let origin = address(&file, "_stext");
    let rows = [
        ("timer", 16, "struct timer", Linkage::Global),
        ("banner", 7, "[7]char const const", Linkage::Global),
        ("jiffies_64", 8, "long long unsigned int", Linkage::Global),
        ("jiffies", 8, "long unsigned int", Linkage::Global),
        ("from_assembly", 4, "int", Linkage::Global),
        ("_end", 0, "[0]char", Linkage::Global),
        ("other_timers", 48, "[3]struct timer", Linkage::Global),
    ];
    for (name, size, target, linkage) in rows {
        let found = btf.variable(name).unwrap();
        let place = found.place.unwrap();
        assert_eq!((place.origin, place.size), ("_stext", size), "{name}");
        assert_eq!(
            u64::from(place.offset),
            address(&file, name) - origin,
            "{name}"
        );
        assert_eq!(
            (show(&btf, found.target).as_str(), found.linkage),
            (target, linkage)
        );
    }
    assert_eq!(btf.variable("absent"), None);
}

/// Its address is 0, where the first per-CPU variable is.
#[test]
fn what_is_discarded_is_nowhere() {
    let file = kernel();
    assert_eq!(converted(&file).variable("discarded"), None);
    let (_, counts) = dwarf::convert(&file).unwrap();
    assert_eq!(counts.lost, 2);
}

#[test]
fn per_cpu_variables_have_offsets_of_their_own() {
    let file = kernel();
    let btf = converted(&file);
    let file = object::File::parse(&file[..]).unwrap();
    let start = file.section_by_name(".data..percpu").unwrap().address();
    for name in ["first", "mine"] {
        let place = place(&btf, name);
        assert_eq!(u64::from(place.offset), address(&file, name) - start);
        assert_eq!((place.size, place.is_per_cpu()), (4, true));
    }
}

#[test]
fn statics_of_one_name_are_all_there() {
    let file = kernel();
    let btf = converted(&file);
    let ids = btf.all_named(engine_btf::Class::Variable, "counter");
    let found: Vec<_> = ids.map(|id| btf.variable_of(id).unwrap()).collect();
    let types: Vec<_> = found.iter().map(|found| show(&btf, found.target)).collect();
    assert_eq!(types, ["int", "long int"]);
    let offsets: Vec<_> = found
        .iter()
        .map(|found| found.place.unwrap().offset)
        .collect();
    assert_ne!(offsets[0], offsets[1]);
    assert!(found.iter().all(|found| found.linkage == Linkage::Static));
}

/// Of a file that is not linked, each section counts from its own beginning.
#[test]
fn a_modules_are_relative_to_its_sections() {
    let source = "int zero; int one = 1; static int two = 2; int *use(void) { return &two; }
        const int fixed = 3; extern int elsewhere; int f(void) { return elsewhere; }";
    let file = object(source);
    let btf = converted(&file);
    let file = object::File::parse(&file[..]).unwrap();
    for (name, section) in [
        ("zero", ".bss"),
        ("one", ".data"),
        ("two", ".data"),
        ("fixed", ".rodata"),
    ] {
        let found = place(&btf, name);
        assert_eq!(found.origin, section, "{name}");
        assert_eq!(u64::from(found.offset), address(&file, name), "{name}");
    }
    assert_eq!(btf.variable("elsewhere"), None);
}

#[test]
fn the_tables_of_exports_are_left_out() {
    let btf = converted(&object(
        "int __ksymtab_x = 1; char __kstrtab_x[2]; int ksymtab = 2;",
    ));
    assert!(btf.variable("ksymtab").is_some());
    assert!(btf.variable("__ksymtab_x").is_none() && btf.variable("__kstrtab_x").is_none());
}

#[test]
fn the_build_id_is_kept() {
    let source = ["struct s { int x; } s;"];
    let file = built(&source, &[], Some(&["-Wl,--build-id=0x00c0ffee12"]));
    assert_eq!(
        converted(&file).build_id(),
        Some(vec![0, 0xc0, 0xff, 0xee, 0x12])
    );
    let file = built(&source, &[], Some(&["-Wl,--build-id=none"]));
    assert_eq!(converted(&file).build_id(), None);
}

/// Against BTF that has the types and functions already, variables are what is new.
#[test]
fn a_supplement_has_what_the_base_has_not() {
    let file = kernel();
    let (own, _) = dwarf::convert(&linked(&[
        "struct timer { long expires; int flags; } t; int i;
        long use(void) { return 0; }",
    ]))
    .unwrap();
    let base = std::sync::Arc::new(Btf::read(own).unwrap());
    let (bytes, counts) = dwarf::supplement(&file, &base).unwrap();
    let btf = Btf::read_split(bytes, base.clone()).unwrap();
    assert_eq!(counts.types, btf.own_ids().count() as u32);
    let timer = btf.variable("timer").unwrap();
    assert!(timer.target.0 < base.count(), "the type is the base's");
    let own: Vec<_> = btf
        .own_ids()
        .map(|id| btf.get(id).unwrap().name.to_owned())
        .collect();
    assert!(own.iter().all(|name| name != "timer"
        || btf.named(engine_btf::Class::Struct, name) < Some(engine_btf::TypeId(base.count()))));
    assert!(
        !own.iter().any(|name| name == "use"),
        "the function is the base's"
    );
    assert!(own.iter().any(|name| name == "use_too"));
    let id = object::File::parse(&file[..])
        .unwrap()
        .build_id()
        .unwrap()
        .map(<[u8]>::to_vec);
    assert_eq!(btf.build_id(), id);
}

#[test]
fn sections_know_their_sizes() {
    let btf = converted(&kernel());
    let id = btf.named(engine_btf::Class::Section, "_stext").unwrap();
    let engine_btf::Kind::Section { size, entries } = btf.get(id).unwrap().kind else {
        panic!("no section");
    };
    let ends: Vec<_> = entries.map(|entry| entry.offset + entry.size).collect();
    assert_eq!(Some(&size), ends.iter().max());
    let starts: Vec<_> = entries.map(|entry| entry.offset).collect();
    assert!(starts.is_sorted());
}
