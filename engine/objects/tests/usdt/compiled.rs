//! Notes in files of the host's compiler, with a header of our own for them, of x86-64: its operands
//! have more forms than others'. `engine/dtrace/tests/header` has those of other compilers.

use std::path::Path;

use engine_objects::{Objects, Operand, Process, Role, Site, Sites};

use super::readelf;
use crate::build::Build;
use crate::processes::{Child, PROGRAM};

/// Probes as `sys/sdt.h` makes them, with operands that the compiler chooses.
const SOURCE: &str = r#"
#define NOTE(semaphore, name, arguments) \
    "990: nop\n" \
    ".pushsection .note.stapsdt,\"\",\"note\"\n" \
    ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
    "993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
    ".asciz \"made\", \"" name "\", \"" arguments "\"\n994: .balign 4\n.popsection\n" \
    ".ifndef _.stapsdt.base\n" \
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
    ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n" \
    ".size _.stapsdt.base,1\n.popsection\n.endif\n"

__attribute__((section(".probes"), visibility("hidden"))) unsigned short counted;
int visible;
static int of_file;
static char bytes[64];

#define ARGUMENT(value) "nor"(value)

__attribute__((noinline)) int registers(int a, unsigned short b, signed char c, long d, void *e) {
    __asm__ volatile(NOTE("0", "registers", "-4@%k0 2@%w1 -1@%b2 -8@%3 8@%4")
        :: ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e));
    return a + b + c;
}

__attribute__((noinline)) int memory(long i) {
    volatile int local[4] = {1, 2, 3, 4};
    __asm__ volatile(NOTE("counted", "memory__counted", "-4@%0 -4@%1 -4@%2 1@%3 -4@%4")
        :: "m"(local[1]), "m"(visible), "m"(of_file), "m"(bytes[i + 3]), "n"(-7));
    return local[1] + counted;
}

static inline __attribute__((always_inline)) void within(int a) {
    __asm__ volatile(NOTE("0", "within", "-4@%k0") :: ARGUMENT(a));
}

int main(int argc, char **argv) {
    within(argc);
    of_file = visible = argc;
    within(registers(argc, 2, 3, 4, argv));
    return memory(argc);
}
"#;

/// Whether this host's compiler is one for the source.
fn is_here() -> bool {
    let is_here = std::env::consts::ARCH == "x86_64";
    if !is_here {
        println!("the source is for x86-64 only");
    }
    is_here
}

fn named<'s>(sites: &'s Sites, name: &str) -> Vec<&'s Site> {
    sites.list.iter().filter(|site| site.name == name).collect()
}

fn check(path: &Path) {
    let file = std::fs::read(path).unwrap();
    let sites = Sites::of_bytes(&file).unwrap().1;
    assert_eq!(sites.faults, []);
    // A C library that is linked statically may have sites of its own.
    let made = sites.list.iter().filter(|site| site.provider == "made");
    let nops = made.map(|site| file[usize::try_from(site.offset).unwrap()]);
    assert_eq!(nops.collect::<Vec<_>>(), [0x90; 4]);
    assert_eq!(named(&sites, "within").len(), 2);
    let registers = named(&sites, "registers")[0];
    assert_eq!(registers.function.as_deref(), Some("registers"));
    let memory = named(&sites, "memory__counted")[0];
    assert_eq!(memory.function.as_deref(), Some("memory"));
    assert!(memory.semaphore.is_some() && registers.semaphore.is_none());
    let at: Vec<_> = memory.arguments.iter().map(|it| &it.at).collect();
    let symbols = object::File::parse(&*file).unwrap();
    let address = |name: &str| {
        use object::{Object, ObjectSymbol};
        symbols.symbol_by_name(name).unwrap().address()
    };
    assert_eq!(memory.semaphore, Some(address("counted")));
    assert!(
        matches!(at[0], Operand::Memory { base: Some(19), .. }),
        "{at:?}"
    );
    assert_eq!(*at[1], Operand::Address(address("visible")));
    assert_eq!(*at[2], Operand::Address(address("of_file")));
    assert_eq!(*at[4], Operand::Constant(-7));
    readelf::compare(path);
}

#[test]
fn programs_and_libraries_of_each_kind() {
    if !is_here() {
        return;
    }
    let build = Build::new();
    let kinds: [&[&str]; 5] = [
        &["-no-pie", "-fno-pie"],
        &["-pie", "-fPIE", "-O2"],
        &["-static"],
        &["-shared", "-fPIC", "-fvisibility=hidden"],
        &["-pie", "-fPIE", "-Wl,--gc-sections", "-ffunction-sections"],
    ];
    for flags in kinds {
        check(&build.compile(("made.c", SOURCE), "made", flags));
    }
}

#[test]
fn a_stripped_file_has_its_probes_and_its_exported_symbols() {
    if !is_here() {
        return;
    }
    let build = Build::new();
    let flags = ["-shared", "-fPIC"];
    build.compile(("made.c", SOURCE), "made", &flags);
    build.tool("strip", &["made"]);
    let sites = Sites::of_bytes(&std::fs::read(build.path("made")).unwrap());
    let sites = sites.unwrap().1;
    assert_eq!((sites.list.len(), sites.faults.len()), (4, 0));
    let memory = named(&sites, "memory__counted")[0];
    assert_eq!(memory.function.as_deref(), Some("memory"));
    let of_file = memory.arguments[2].at.clone();
    let Operand::Unreadable(why) = of_file else {
        panic!("{of_file:?}");
    };
    assert_eq!(why.to_string(), "the file has no symbol of_file");
    readelf::compare(&build.path("made"));
}

#[test]
fn a_process_has_those_of_its_program() {
    if !is_here() {
        return;
    }
    let build = Build::new();
    let source = SOURCE.replace("int main(", "int made(") + PROGRAM;
    let path = build.compile(("made.c", &source), "made", &[]);
    let child = Child::start(&path);
    let process = Process::open(child.id()).unwrap();
    let objects = Objects::of(&process).unwrap();
    let mut programs = objects.iter().filter(|it| it.role() == Role::Program);
    let program = programs.next().unwrap();
    let found = program.sites(&program.functions(&process.roots()));
    let expected = Sites::of_bytes(&std::fs::read(path).unwrap()).unwrap().1;
    assert_eq!((found.list.len(), &found.list), (4, &expected.list));
    assert!(found.faults.is_empty());
    for object in objects.iter().filter(|it| it.role() == Role::Vdso) {
        assert!(object.sites(&Default::default()).list.is_empty());
    }
}
