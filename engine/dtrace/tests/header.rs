//! Headers of `-h`, compiled by each compiler that is here, and read back from what was linked.

use std::env::consts::ARCH;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use engine_objects::{Mode, Operand, Site, Sites, Unreadable};
use tempfile::TempDir;

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

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs a command line of words without spaces.
    fn run(&self, line: &str) -> Output {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command
            .args(words)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn runs(&self, line: &str) -> String {
        let output = self.run(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn dtrace(&self, arguments: &str) -> Output {
        self.run(&format!("{} {arguments}", env!("CARGO_BIN_EXE_dtrace")))
    }

    /// Makes a header of definitions.
    fn header(&self, definitions: &str) {
        self.write("probes.d", definitions);
        let output = self.dtrace("-h -s probes.d");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    }

    fn sites(&self, name: &str) -> Sites {
        sites(&self.path(name))
    }
}

fn sites(path: &Path) -> Sites {
    let sites = Sites::of_bytes(&std::fs::read(path).unwrap()).unwrap().1;
    assert_eq!(sites.faults, [], "{}", path.display());
    sites
}

/// Whether a command is here.
fn is_here(line: &str) -> bool {
    let command = line.split(' ').next().unwrap();
    Command::new(command).arg("--version").output().is_ok()
}

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

#[test]
fn a_program_of_several_units_shares_its_semaphores() {
    let folder = Folder::new();
    folder.header("provider p { probe go__on(int); }; provider q { probe go(); };");
    folder.write(
        "one.c",
        "#include \"probes.h\"\n#include <stdio.h>\nint other(void);\n\
         int main(int argc, char **argv) { P_GO_ON(argc); (void)argv;\n\
         printf(\"%d%d\", P_GO_ON_ENABLED(), other()); p_go__on_semaphore++;\n\
         printf(\" %d%d\", P_GO_ON_ENABLED(), other()); return 0; }\n",
    );
    folder.write(
        "two.c",
        "#include \"probes.h\"\nint other(void);\nint other(void) { Q_GO(); return P_GO_ON_ENABLED(); }\n",
    );
    for flags in [
        "-O0",
        "-O2 -pie -fPIE",
        "-O2 -no-pie -fno-pie",
        "-O2 -static",
        "-O2 -flto",
        "-O2 -fcommon",
    ] {
        folder.runs(&format!("gcc {flags} one.c two.c -o program"));
        assert_eq!(folder.runs("./program"), "00 11", "{flags}");
        let sites = folder.sites("program");
        let names: Vec<_> = sites
            .list
            .iter()
            .map(|it| format!("{}:{}", it.provider, it.name))
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(sorted, ["p:go__on", "q:go"], "{flags}");
    }
}

#[test]
fn code_that_is_dropped_takes_its_probes_with_it() {
    let folder = Folder::new();
    folder.header("provider p { probe dead(int); probe live(int); };");
    folder.write(
        "one.c",
        "#include \"probes.h\"\nvoid dead(int x);\nvoid dead(int x) { P_DEAD(x); }\n\
         int main(int argc, char **argv) { P_LIVE(argc); return argv == 0; }\n",
    );
    let linkers = ["bfd", "lld"].map(|it| (it, is_here(&format!("ld.{it}"))));
    for (linker, _) in linkers.iter().filter(|it| it.1) {
        let flags = format!("-O2 -ffunction-sections -Wl,--gc-sections -fuse-ld={linker}");
        folder.runs(&format!("gcc {flags} one.c -o program"));
        let sites = folder.sites("program");
        let names: Vec<_> = sites.list.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["live"], "{linker}");
        assert!(sites.list[0].semaphore.is_some());
    }
}

/// An inline function of C++ is in each unit that calls it, and once in the program.
#[test]
fn an_inline_function_has_its_probe_once() {
    let folder = Folder::new();
    folder.header("provider p { probe in__line(int); };");
    folder.write(
        "both.h",
        "#include \"probes.h\"\n\
         template <class T> inline T twice(T x) { P_IN_LINE(int(x)); return x + x; }\n",
    );
    folder.write("one.cc", "#include \"both.h\"\nint other(int);\nint main(int n, char **) { return twice(n) + other(n); }\n");
    folder.write(
        "two.cc",
        "#include \"both.h\"\nint other(int);\nint other(int n) { return twice(n); }\n",
    );
    for flags in ["-O0", "-O0 -Wl,--gc-sections -ffunction-sections"] {
        folder.runs(&format!("g++ {flags} one.cc two.cc -o program"));
        assert_eq!(folder.sites("program").list.len(), 1, "{flags}");
    }
    folder.runs("g++ -O2 one.cc two.cc -o program");
    assert_eq!(folder.sites("program").list.len(), 2, "two places");
}

/// Objects with notes of `sys/sdt.h`, which are not linked to their code, can be linked with ours.
#[test]
fn notes_of_others_are_linked_beside_ours() {
    let folder = Folder::new();
    folder.header("provider p { probe ours(int); };");
    folder.write("one.c", "#include \"probes.h\"\nvoid theirs(void);\nint main(int n, char **v) { P_OURS(n); theirs(); return v == 0; }\n");
    let note = ".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n\
        991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n993: .8byte 990b,0,0\\n.asciz \\\"o\\\",\\\"theirs\\\",\\\"\\\"\\n\
        994: .balign 4\\n.popsection\\n".replace("\\\"", "\\\\\"").replace("\\\\\"", "\\\"");
    folder.write(
        "two.c",
        &format!(
            "void theirs(void);\nvoid theirs(void) {{ __asm__ volatile(\"990: nop\\n{note}\"); }}\n"
        ),
    );
    folder.runs("gcc -O2 one.c two.c -o program");
    let mut names: Vec<_> = folder
        .sites("program")
        .list
        .into_iter()
        .map(|it| it.name)
        .collect();
    names.sort();
    assert_eq!(names, ["ours", "theirs"]);
}

#[test]
fn the_headers_name_is_the_scripts() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/my-app.d", "provider p { probe x(); };");
    folder.write("other", "provider o { probe x(); };");
    assert_eq!(folder.dtrace("-h -s sub/my-app.d").status.code(), Some(0));
    let header = std::fs::read_to_string(folder.path("my-app.h")).unwrap();
    assert!(header.contains("#ifndef _MY_APP_H\n"));
    assert_eq!(folder.dtrace("-hs other").status.code(), Some(0));
    assert!(folder.path("other.h").exists());
    let both = folder.dtrace("-h -o both.h -s other -s sub/my-app.d");
    assert_eq!(both.status.code(), Some(0));
    let header = std::fs::read_to_string(folder.path("both.h")).unwrap();
    assert!(header.contains("#define O_X()") && header.contains("#define P_X()"));
}

#[test]
fn a_script_is_preprocessed_first() {
    let folder = Folder::new();
    folder.write("types.h", "#define number_t unsigned short\n");
    folder.write(
        "probes.d",
        "#include \"types.h\"\nprovider p { probe x(number_t, COUNT); };",
    );
    let made = folder.dtrace("-C -DCOUNT=long -I . -h -s probes.d");
    assert_eq!(
        made.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let header = std::fs::read_to_string(folder.path("probes.h")).unwrap();
    assert!(
        header.contains("/* p:x(unsigned short, long) */"),
        "{header}"
    );
}

#[test]
fn errors_leave_no_header() {
    let folder = Folder::new();
    let error = |arguments: &str, status: i32| {
        let output = folder.dtrace(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments}");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    folder.write("bad.d", "provider p {\n\tprobe x(int;\n};");
    folder.write("none.d", "int x;");
    assert_eq!(
        error("-h -s bad.d", 1),
        "dtrace: failed to compile script bad.d: line 2, column 13: syntax error near \";\""
    );
    assert!(!folder.path("bad.h").exists());
    assert_eq!(
        error("-h -s none.d", 1),
        "dtrace: none.d defines no provider"
    );
    assert_eq!(
        error("-h -s nosuch.d", 1),
        "dtrace: failed to open nosuch.d: No such file or directory"
    );
    let scripts = "dtrace: -h takes scripts, those of -s, which define providers";
    assert_eq!(error("-h", 2), scripts);
    assert_eq!(error("-h -n BEGIN", 2), scripts);
    let name = "dtrace: -h requires an output file, that of -o, unless there is one script that has a name";
    assert_eq!(error("-h -s none.d -s bad.d", 2), name);
    assert_eq!(error("-h -s -", 2), name);
    assert!(error("-h -G -s bad.d", 2).contains("only one of the"));
    let message = error("-G -s bad.d -o bad.o", 1);
    assert!(message.contains("line 2, column 13"), "{message}");
    assert!(!folder.path("bad.o").exists());
}

/// As the builds of Python and PostgreSQL do.
#[test]
fn a_build_that_links_an_object_of_probes() {
    let folder = Folder::new();
    folder.write(
        "pydtrace.d",
        "provider python { probe function__entry(const char *, int); };",
    );
    assert_eq!(
        folder
            .dtrace("-o pydtrace.tmp -h -s pydtrace.d")
            .status
            .code(),
        Some(0)
    );
    let header = folder.runs("sed s/PYTHON_/PyDTrace_/ pydtrace.tmp");
    folder.write("pydtrace.h", &header);
    folder.write(
        "main.c",
        "#include \"pydtrace.h\"\nint main(int argc, char **argv) {\n\
         if (PyDTrace_FUNCTION_ENTRY_ENABLED()) return 1;\n\
         PyDTrace_FUNCTION_ENTRY(argv[0], argc); return 0; }\n",
    );
    for (compiler, runs) in [
        ("gcc", true),
        ("aarch64-linux-gnu-gcc-12", false),
        ("arm-linux-gnueabihf-gcc-12", false),
    ] {
        if !is_here(compiler) {
            continue;
        }
        folder.runs(&format!("{compiler} -O2 -c main.c -o main.o"));
        let made = folder.dtrace("-G -o pydtrace.o -s pydtrace.d main.o");
        assert_eq!(made.status.code(), Some(0));
        let text = String::from_utf8(made.stderr).unwrap();
        assert_eq!(
            text,
            "dtrace: -G is not needed: headers of -h place their probes themselves\n"
        );
        folder.runs(&format!(
            "{compiler} -Wl,--fatal-warnings main.o pydtrace.o -o program"
        ));
        assert_eq!(folder.sites("program").list.len(), 1);
        if runs {
            folder.runs("./program");
        }
    }
    let made = folder.dtrace("-G -q -s pydtrace.d");
    assert_eq!((made.status.code(), made.stderr.len()), (Some(0), 0));
}

/// The header in `harness/markers` is what is made of the definitions beside it.
#[test]
fn the_header_of_the_markers_is_current() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../harness/markers/src");
    let folder = Folder::new();
    let made = folder.dtrace(&format!("-h -s {}", source.join("trapline.d").display()));
    assert_eq!(made.status.code(), Some(0));
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let is_current = read(folder.path("trapline.h")) == read(source.join("trapline.h"));
    assert!(
        is_current,
        "in harness/markers/src: dtrace -h -s trapline.d"
    );
}
