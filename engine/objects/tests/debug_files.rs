//! Separate debug files, found below the roots of a process.

use std::path::{Path, PathBuf};
use std::process::Command;

use engine_objects::{Fault, Functions, Objects, Process, Root, Table};

use crate::build::Build;
use crate::made::symtab;
use crate::processes::{Child, PROGRAM};

/// A running program without symbols, and its debug file `program.debug` beside it.
struct Stripped {
    build: Build,
    child: Child,
}

impl Stripped {
    fn start(flags: &[&str]) -> Self {
        let build = Build::new();
        build.compile(("program.c", PROGRAM), "program", flags);
        build.tool(
            "objcopy",
            &["--only-keep-debug", "program", "program.debug"],
        );
        let link = "--add-gnu-debuglink=program.debug";
        build.tool("objcopy", &["--strip-all", link, "program", "stripped"]);
        let child = Child::start(&build.path("stripped"));
        Self { build, child }
    }

    fn functions(&self, roots: &[Root]) -> Functions {
        let process = Process::open(self.child.id()).unwrap();
        let objects = Objects::of(&process).unwrap();
        let program = objects
            .iter()
            .find(|object| object.base_name() == "stripped");
        program.unwrap().functions(roots)
    }

    /// Moves the debug file to a path below a root of its own.
    fn install(&self, path: &Path) -> Root {
        let root = self.build.path("root");
        let path = root.join(path.strip_prefix("/").unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::rename(self.build.path("program.debug"), path).unwrap();
        Root::open(&root).unwrap()
    }
}

fn has_wait_here(functions: &Functions) -> bool {
    let is_wanted = |f: engine_objects::Function<'_>| {
        f.name() == "wait_here" && f.table == Table::Debug && f.size > 0
    };
    functions.iter().any(is_wanted)
}

fn own_root() -> [Root; 1] {
    [Root::open(Path::new("/")).unwrap()]
}

#[test]
fn beside_the_program_by_its_debug_link() {
    let stripped = Stripped::start(&["-Wl,--build-id=none"]);
    let found = stripped.functions(&own_root());
    assert!(has_wait_here(&found), "{:?}", found.faults());
    assert_eq!(found.faults(), []);
    assert!(!has_wait_here(&stripped.functions(&[])));
}

#[test]
fn in_the_three_folders_of_a_debug_link() {
    let places: [fn(PathBuf) -> PathBuf; 3] = [
        |folder| folder.join("program.debug"),
        |folder| folder.join(".debug/program.debug"),
        |folder| {
            let folder = folder.strip_prefix("/").unwrap().to_owned();
            Path::new("/usr/lib/debug")
                .join(folder)
                .join("program.debug")
        },
    ];
    for place in places {
        let stripped = Stripped::start(&["-Wl,--build-id=none"]);
        let folder = stripped.build.folder.path().canonicalize().unwrap();
        let root = stripped.install(&place(folder));
        assert!(has_wait_here(&stripped.functions(&[root])));
    }
}

#[test]
fn by_build_id() {
    let stripped = Stripped::start(&["-Wl,--build-id=0x0123456789abcdef"]);
    let path = "/usr/lib/debug/.build-id/01/23456789abcdef.debug";
    let root = stripped.install(Path::new(path));
    let found = stripped.functions(&[root]);
    assert!(has_wait_here(&found), "{:?}", found.faults());
}

#[test]
fn a_debug_file_of_another_build_is_not_used() {
    let stripped = Stripped::start(&["-Wl,--build-id=0x0123456789abcdef"]);
    stripped.build.compile(
        ("program.c", PROGRAM),
        "program.debug",
        &["-Wl,--build-id=0x4567"],
    );
    let found = stripped.functions(&own_root());
    assert!(!has_wait_here(&found));
    let fault = found.faults()[0].to_string();
    assert!(fault.contains("program.debug: its CRC is "), "{fault}");
    let root = stripped.install(Path::new(
        "/usr/lib/debug/.build-id/01/23456789abcdef.debug",
    ));
    let found = stripped.functions(&[root]);
    assert!(!has_wait_here(&found));
    let path = PathBuf::from("/usr/lib/debug/.build-id/01/23456789abcdef.debug");
    let why = "its build-id is another one".to_owned();
    assert_eq!(found.faults(), [Fault::DebugFile { path, why }]);
}

#[test]
fn links_of_a_root_stay_below_it() {
    let stripped = Stripped::start(&["-Wl,--build-id=0x0123456789abcdef"]);
    let root = stripped.install(Path::new("/elsewhere/file.debug"));
    let links = stripped.build.path("root/usr/lib/debug/.build-id/01");
    std::fs::create_dir_all(&links).unwrap();
    let link = links.join("23456789abcdef.debug");
    std::os::unix::fs::symlink("/elsewhere/file.debug", &link).unwrap();
    assert!(has_wait_here(&stripped.functions(&[root])));
}

/// A file of one block that states a table of nearly a terabyte, which it has: in a hole.
#[test]
fn a_sparse_file_costs_no_memory() {
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", &["-Wl,--build-id=none"]);
    build.tool("objcopy", &["--strip-debug", "program"]);
    let mut bytes = std::fs::read(&program).unwrap();
    if bytes[4..6] != [2, 1] {
        return;
    }
    let header = symtab(&bytes);
    bytes[header + 32..header + 40].copy_from_slice(&(900_u64 << 30).to_le_bytes());
    std::fs::write(build.path("changed"), &bytes).unwrap();
    // Other processes write what is executed: while we did, a child of another test could inherit it, open for
    // writing (execve(2), ETXTBSY).
    build.tool("cp", &["changed", "program"]);
    build.tool("truncate", &["--size=1T", "program"]);
    let child = Child::start(&program);
    let objects = Objects::of(&Process::open(child.id()).unwrap()).unwrap();
    let program = objects
        .iter()
        .find(|object| object.base_name() == "program")
        .unwrap();
    let found = program.functions(&[]);
    assert!(
        found.faults()[0]
            .to_string()
            .starts_with(".symtab: truncated: 0 of "),
        "{:?}",
        found.faults()
    );
}

#[test]
fn a_fifo_in_its_place_does_not_block() {
    let stripped = Stripped::start(&["-Wl,--build-id=none"]);
    let path = stripped.build.path("program.debug");
    std::fs::remove_file(&path).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let found = stripped.functions(&own_root());
    assert!(
        found.faults()[0]
            .to_string()
            .ends_with("not a regular file")
    );
}
