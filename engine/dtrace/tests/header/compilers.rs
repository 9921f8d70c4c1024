//! What the notes of each compiler say is what was declared.

use std::env::consts::ARCH;
use std::fmt::Write;

use engine_objects::{Mode, Operand, Site, Sites, Unreadable};

use crate::{Folder, is_here};

/// The types in D, and what a note says of each: size, negative if it is signed, 0 for a word.
const TYPES: [(&str, i8, bool); 12] = [
    ("char", -1, false),
    ("uint8_t", 1, false),
    ("short", -2, false),
    ("unsigned short", 2, false),
    ("int", -4, false),
    ("uint32_t", 4, false),
    ("int64_t", -8, false),
    ("unsigned long long", 8, false),
    ("struct thing *", 0, false),
    ("string", 0, false),
    ("float", 4, true),
    ("double", 8, true),
];

/// A C compiler, what it makes code for, and the driver that links it.
struct Compiler {
    command: &'static str,
    linker: &'static str,
    machine: &'static str,
    mode: Mode,
}

/// The machine of this host.
const HOST: &str = match ARCH.as_bytes() {
    b"x86_64" => "x86-64",
    b"aarch64" => "aarch64",
    _ => "arm",
};

const fn compiler(
    command: &'static str,
    linker: &'static str,
    machine: &'static str,
    mode: Mode,
) -> Compiler {
    Compiler {
        command,
        linker,
        machine,
        mode,
    }
}

const COMPILERS: [Compiler; 12] = [
    compiler("gcc", "gcc", HOST, Mode::Native),
    compiler("g++ -x c++", "gcc", HOST, Mode::Native),
    compiler("clang", "gcc", HOST, Mode::Native),
    compiler("clang++ -x c++", "gcc", HOST, Mode::Native),
    compiler(
        "aarch64-linux-gnu-gcc-12",
        "aarch64-linux-gnu-gcc-12",
        "aarch64",
        Mode::Native,
    ),
    compiler(
        "clang --target=aarch64-linux-gnu",
        "aarch64-linux-gnu-gcc-12",
        "aarch64",
        Mode::Native,
    ),
    compiler(
        "arm-linux-gnueabi-gcc-12 -march=armv6 -marm",
        "arm-linux-gnueabi-gcc-12",
        "arm",
        Mode::Arm,
    ),
    compiler(
        "arm-linux-gnueabihf-gcc-12 -marm",
        "arm-linux-gnueabihf-gcc-12",
        "arm",
        Mode::Arm,
    ),
    compiler(
        "arm-linux-gnueabihf-gcc-12 -mthumb",
        "arm-linux-gnueabihf-gcc-12",
        "arm",
        Mode::Thumb,
    ),
    compiler(
        "clang --target=arm-linux-gnueabi -march=armv6",
        "arm-linux-gnueabi-gcc-12",
        "arm",
        Mode::Arm,
    ),
    compiler(
        "clang --target=arm-linux-gnueabihf -mthumb",
        "arm-linux-gnueabihf-gcc-12",
        "arm",
        Mode::Thumb,
    ),
    compiler(
        "clang --target=arm-linux-gnueabihf -marm",
        "arm-linux-gnueabihf-gcc-12",
        "arm",
        Mode::Arm,
    ),
];

/// A provider with a probe for each type, one for all types, and one for none.
fn definitions() -> String {
    let mut text = "struct thing { int x; };\nprovider app {\n".to_owned();
    for (number, (type_, ..)) in TYPES.iter().enumerate() {
        writeln!(text, "\tprobe one__of{number}({type_} value);").unwrap();
    }
    let all = TYPES.map(|it| it.0).join(", ");
    text + &format!("\tprobe all({all});\n\tprobe none();\n}};\n")
}

/// Functions that pass variables of all kinds, and constants.
const SOURCE: &str = r#"
#include "probes.h"

struct thing { int x; };
static int of_file;
int visible = 3;

int function(char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long long g,
    unsigned long long h, struct thing *i, char *j, float k, double l)
{
    volatile int local = e;
    APP_ONE_OF0(a);
    APP_ONE_OF1(b);
    APP_ONE_OF2(c);
    APP_ONE_OF3(d);
    APP_ONE_OF4(e);
    APP_ONE_OF5(f);
    APP_ONE_OF6(g);
    APP_ONE_OF7(h);
    APP_ONE_OF8(i);
    APP_ONE_OF9(j);
    APP_ONE_OF10(k);
    APP_ONE_OF11(l);
    if (APP_ALL_ENABLED())
        APP_ALL(a, b, c, d, e, f, g, h, i, j, k, l);
    else
        APP_NONE();
    APP_ONE_OF4(local);
    APP_ONE_OF4(visible);
    of_file += e;
    APP_ONE_OF4(of_file);
    APP_ONE_OF8(&of_file);
    APP_ONE_OF9("text");
    return of_file;
}

void constants(void)
{
    APP_ONE_OF0(-1);
    APP_ONE_OF1(255);
    APP_ONE_OF2(-32768);
    APP_ONE_OF3(65535);
    APP_ONE_OF4(-2147483647 - 1);
    APP_ONE_OF5(4294967295U);
    APP_ONE_OF7(7);
}
"#;

/// The values in `constants`.
const CONSTANTS: [(usize, u64); 7] = [
    (0, 0xff),
    (1, 0xff),
    (2, 0x8000),
    (3, 0xffff),
    (4, 0x8000_0000),
    (5, 0xffff_ffff),
    (7, 7),
];

/// Checks a site against the declaration of its arguments; the number of those that can't be read.
fn check(site: &Site, word: u8, with: &str) -> usize {
    let declared: Vec<_> = match site.name.strip_prefix("one__of") {
        Some(number) => vec![TYPES[number.parse::<usize>().unwrap()]],
        None if site.name == "all" => TYPES.to_vec(),
        None => Vec::new(),
    };
    assert_eq!(site.arguments.len(), declared.len(), "{with}: {site:?}");
    assert!(site.semaphore.is_some());
    let mut unreadable = 0;
    for (argument, (_, size, is_float)) in site.arguments.iter().zip(declared) {
        let expected = match size {
            0 => (word, false),
            _ => (size.unsigned_abs(), size < 0),
        };
        assert_eq!(
            (argument.size, argument.is_signed),
            expected,
            "{with}: {}",
            argument.text
        );
        assert_eq!(argument.is_float, is_float);
        match &argument.at {
            Operand::Unreadable(Unreadable::NoSymbol(name)) if name.starts_with('.') => {
                unreadable += 1;
            }
            Operand::Unreadable(why) => panic!("{with}: {}: {why}", argument.text),
            _ => {}
        }
    }
    unreadable
}

/// Compiles and links [`SOURCE`], and checks all of its sites.
fn build(folder: &Folder, compiler: &Compiler, flags: &str) {
    let Compiler {
        command,
        linker,
        machine,
        mode,
    } = compiler;
    let with = format!("{command} {flags}");
    folder.runs(&format!(
        "{with} -Wall -Wextra -Werror -c source.c -o source.o"
    ));
    folder.runs(&format!("{linker} -shared -nostdlib source.o -o source.so"));
    let file = std::fs::read(folder.path("source.so")).unwrap();
    let (elf, sites) = Sites::of_bytes(&file).unwrap();
    assert_eq!(
        (sites.faults.len(), elf.machine.to_string().as_str()),
        (0, *machine)
    );
    assert_eq!(sites.list.len(), 26, "{with}");
    let word = if *machine == "arm" { 4 } else { 8 };
    let mut unreadable = 0;
    for site in &sites.list {
        assert_eq!(site.mode, Some(*mode), "{with}");
        unreadable += check(site, word, &with);
    }
    // What the compiler keeps among its own constants has no symbol.
    assert!(unreadable == 0, "{with}: {unreadable}");
    let of = |it: &&Site| {
        it.function
            .as_deref()
            .is_some_and(|it| it.contains("constants"))
    };
    let constants: Vec<_> = sites.list.iter().filter(of).collect();
    assert_eq!(constants.len(), CONSTANTS.len());
    for (site, (number, value)) in constants.iter().zip(CONSTANTS) {
        assert_eq!(site.name, format!("one__of{number}"));
        let argument = &site.arguments[0];
        if let Operand::Constant(noted) = argument.at {
            let bits = u32::from(argument.size) * 8;
            assert_eq!(
                noted.cast_unsigned() & (u64::MAX >> (64 - bits)),
                value,
                "{with}"
            );
        } else {
            // A constant of 64 bits is in two registers on 32-bit ARM, and any may be in one without
            // optimization.
            let is_wide = word == 4 && argument.size == 8;
            assert!(is_wide || flags.starts_with("-O0"), "{with}: {argument:?}");
        }
    }
}

#[test]
fn each_compiler_notes_what_is_declared() {
    let folder = Folder::new();
    folder.header(&definitions());
    folder.write("source.c", SOURCE);
    assert!(is_here("gcc"));
    let here = COMPILERS
        .iter()
        .filter(|it| is_here(it.command) && is_here(it.linker));
    let mut count = 0;
    for compiler in here {
        for flags in [
            "-O0 -fPIC",
            "-O2 -fPIC",
            "-O2 -fPIC -fvisibility=hidden -fno-omit-frame-pointer",
            "-Os -fPIC -g",
        ] {
            build(&folder, compiler, flags);
        }
        count += 1;
    }
    println!("{count} of {} compilers are here", COMPILERS.len());
}

#[test]
fn a_header_is_of_any_standard_without_warnings() {
    let folder = Folder::new();
    folder.header(&definitions());
    let source = "#include \"probes.h\"\n#include \"probes.h\"\n\
        void f(int a, void *p);\n\
        void f(int a, void *p) { if (APP_ALL_ENABLED()) APP_ONE_OF4(a), APP_ONE_OF8(p); else APP_NONE(); }\n";
    folder.write("source.c", source);
    let warnings = "-Wall -Wextra -Wpedantic -Wshadow -Werror -c source.c";
    for standard in ["c89", "c99", "c11", "gnu17"] {
        folder.runs(&format!("gcc -std={standard} {warnings}"));
        folder.runs(&format!("gcc -std={standard} {warnings} -DTRAPLINE_NO_PROBES -Wno-unused-parameter -Wno-unused-value"));
    }
    for standard in ["c++98", "c++11", "c++17", "gnu++20"] {
        folder.runs(&format!("g++ -x c++ -std={standard} {warnings}"));
    }
    let object = folder.runs("gcc -DTRAPLINE_NO_PROBES -c source.c -o without.o");
    assert_eq!(object, "");
    assert_eq!(
        folder
            .runs("readelf -n without.o")
            .matches("stapsdt")
            .count(),
        0
    );
}
