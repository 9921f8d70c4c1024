//! The objects of real processes.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use engine_objects::{Error, Objects, Process, Role, Symbols, parse_maps};

use crate::build::{Build, SOURCE};

/// Writes a byte when it runs, then waits for its input to end.
pub const PROGRAM: &str = r#"
#include <unistd.h>
__attribute__((noinline)) int wait_here(void) { char c; return read(0, &c, 1); }
int main(void) { write(1, "x", 1); return wait_here() + 1; }
"#;

/// A running program, which is killed when this is dropped.
pub struct Child(std::process::Child);

impl Child {
    pub fn start(program: &Path) -> Self {
        Self::run(&mut Command::new(program))
    }

    pub fn run(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // By its first output, it is the program and its libraries are mapped.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        Self(child)
    }

    /// Sends a byte, and waits for one.
    fn go_on(&mut self) {
        self.0.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        self.0
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut [0])
            .unwrap();
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn objects(child: &Child) -> Objects {
    Objects::of(&Process::open(child.id()).unwrap()).unwrap()
}

/// The role of each object with its names.
fn roles(objects: &Objects) -> Vec<(Role, Vec<String>)> {
    objects
        .iter()
        .map(|object| (object.role(), object.names()))
        .collect()
}

#[test]
fn a_program_its_interpreter_and_its_libraries() {
    let build = Build::new();
    let child = Child::start(&build.compile(("program.c", PROGRAM), "program", &[]));
    let found = objects(&child);
    let one = |name: &str| {
        let named = found
            .iter()
            .filter(|object| object.answers_to(|own| own == name));
        let named: Vec<_> = named.collect();
        assert_eq!(named.len(), 1, "{name}: {:?}", roles(&found));
        named[0]
    };
    assert_eq!(one("a.out").role(), Role::Program);
    assert_eq!(one("program").role(), Role::Program);
    assert_eq!(one("LM0`program").role(), Role::Program);
    assert_eq!(one("ld.so").role(), Role::Interpreter);
    assert_eq!(one("libc").role(), Role::Library);
    assert_eq!(one("libc.so.6").base_name(), "libc.so.6");
    assert!(found.unreadable().is_empty(), "{:?}", found.unreadable());
    let roots = Process::open(child.id()).unwrap().roots();
    assert!(
        one("libc")
            .functions(&roots)
            .iter()
            .any(|function| function.name() == "malloc")
    );
}

#[test]
fn the_bias_leads_from_the_file_to_the_process() {
    let build = Build::new();
    for flags in [
        &["-pie"][..],
        &["-no-pie"],
        &["-static"],
        &["-Wl,-z,noseparate-code"],
    ] {
        let child = Child::start(&build.compile(("program.c", PROGRAM), "program", flags));
        let found = objects(&child);
        let program = found
            .iter()
            .find(|object| object.role() == Role::Program)
            .unwrap();
        let functions = program.functions(&[]);
        let main = functions
            .iter()
            .find(|function| function.name() == "main")
            .unwrap();
        let address = program.bias().wrapping_add(main.address);
        assert!(program.contains(address), "{flags:?}: {program:x?}");
        assert_eq!(found.at(address).unwrap().path(), program.path());
        let mut memory = vec![0; 16];
        let file = File::open(format!("/proc/{}/mem", child.id())).unwrap();
        file.read_exact_at(&mut memory, address).unwrap();
        let bytes = std::fs::read(program.path()).unwrap();
        let range = program.ranges()[0];
        let offset = usize::try_from(address - range.start + range.offset).unwrap();
        assert_eq!(memory, bytes[offset..offset + 16], "{flags:?}");
    }
}

#[test]
fn the_vdso_is_named() {
    let process = Process::open(std::process::id()).unwrap();
    if process
        .mappings()
        .unwrap()
        .iter()
        .any(engine_objects::Mapping::is_vdso)
    {
        let found = Objects::of(&process).unwrap();
        let vdso = found
            .iter()
            .find(|object| object.role() == Role::Vdso)
            .unwrap();
        assert_eq!(vdso.names(), ["[vdso]", "vdso"]);
        assert!(vdso.functions(&[]).is_empty());
    }
}

#[test]
fn a_deleted_program_is_read_or_its_error_says_why_not() {
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", &[]);
    let child = Child::start(&program);
    std::fs::remove_file(&program).unwrap();
    build.compile(("program.c", PROGRAM), "program", &["-static"]);
    let found = objects(&child);
    let old = found.iter().find(|object| object.role() == Role::Program);
    match (old, found.unreadable()) {
        (Some(old), []) => {
            assert!(old.is_deleted() && old.base_name() == "program");
            // The file of the same name that replaced it is some hundred kilobytes larger.
            assert!(old.functions(&[]).len() < 100);
        }
        (None, [Error::Replaced { path, .. }]) => assert_eq!(*path, program),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_path_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", &[]);
    let odd = build
        .folder
        .path()
        .join(std::ffi::OsStr::from_bytes(b"a b\nc\\d\xff (x)"));
    std::fs::rename(&program, &odd).unwrap();
    let child = Child::start(&odd);
    let found = objects(&child);
    let program = found
        .iter()
        .find(|object| object.role() == Role::Program)
        .unwrap();
    assert_eq!(program.path(), odd);
}

#[test]
fn no_process_and_an_ended_one() {
    let error = Process::open(u32::MAX).unwrap_err();
    let expected = "process 4294967295 does not exist, or ended while opening it";
    assert_eq!(error.to_string(), expected);
    let build = Build::new();
    let child = Child::start(&build.compile(("program.c", PROGRAM), "program", &[]));
    let process = Process::open(child.id()).unwrap();
    drop(child);
    let error = Objects::of(&process).unwrap_err();
    assert!(matches!(error, Error::Gone { .. }), "{error:?}");
}

#[test]
fn a_zombie_is_an_ended_process() {
    let mut zombie = Command::new("true").spawn().unwrap();
    let process = Process::open(zombie.id()).unwrap();
    let has_ended = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid())).unwrap();
        stat.contains(") Z ")
    };
    while !has_ended() {
        std::thread::yield_now();
    }
    let error = Objects::of(&process).unwrap_err();
    assert!(matches!(error, Error::Gone { .. }), "{error:?}");
    zombie.wait().unwrap();
}

/// Processes that end at any moment: what they are read as is complete, or an error.
#[test]
fn a_process_that_ends_while_it_is_read() {
    let (mut complete, mut gone) = (0, 0);
    for round in 0..60_u64 {
        let mut child = Command::new("true").spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(round * 30));
        match Process::open(child.id()).and_then(|process| Objects::of(&process)) {
            Ok(found) => {
                complete += 1;
                assert!(found.unreadable().is_empty(), "{:?}", found.unreadable());
            }
            Err(Error::Gone { .. }) => gone += 1,
            Err(error) => panic!("{error}"),
        }
        child.wait().unwrap();
    }
    println!("{complete} were read, {gone} had ended");
}

/// A program in a mount namespace of its own, at a path that only it has; `None` where making one is
/// not permitted.
fn in_a_namespace(program: &Path) -> Option<Child> {
    let is_permitted = Command::new("unshare")
        .args(["--mount", "true"])
        .output()
        .ok()?;
    if !is_permitted.status.success() {
        return None;
    }
    let script = "mount -t tmpfs none /mnt && cp \"$0\" /mnt/only-there && exec /mnt/only-there";
    let mut command = Command::new("unshare");
    Some(Child::run(
        command.args(["--mount", "sh", "-c", script]).arg(program),
    ))
}

#[test]
fn a_program_in_another_mount_namespace() {
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", &[]);
    let Some(child) = in_a_namespace(&program) else {
        println!("skipped: unshare(1) may not make a mount namespace here");
        return;
    };
    assert!(!Path::new("/mnt/only-there").exists());
    let process = Process::open(child.id()).unwrap();
    let found = Objects::of(&process).unwrap();
    let there = found
        .iter()
        .find(|object| object.role() == Role::Program)
        .unwrap();
    assert_eq!(there.path(), Path::new("/mnt/only-there"));
    assert_eq!(process.roots().len(), 2);
    assert!(
        there
            .functions(&[])
            .iter()
            .any(|function| function.name() == "wait_here")
    );
}

/// Loads a library into its own and into a second link map, and unloads it after its input.
const LOADER: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
int main(void) {
    char c;
    void *one = dlopen("./libmade.so.1", RTLD_NOW), *two = dlmopen(LM_ID_NEWLM, "./libmade.so.1", RTLD_NOW);
    if (!one || !two) return 1;
    write(1, "x", 1);
    read(0, &c, 1);
    dlclose(one);
    dlclose(two);
    write(1, "x", 1);
    read(0, &c, 1);
}
"#;

#[test]
fn libraries_that_are_loaded_twice_and_unloaded() {
    let build = Build::new();
    build.library(&[]);
    let program = build.compile(("loader.c", LOADER), "loader", &["-ldl"]);
    let mut command = Command::new(program);
    let mut child = Child::run(command.current_dir(build.folder.path()));
    let process = Process::open(child.id()).unwrap();
    let found = Objects::of(&process).unwrap();
    let both = found
        .iter()
        .filter(|object| object.answers_to(|name| name == "libmade"));
    let both: Vec<_> = both.collect();
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].identity(), both[1].identity());
    assert_ne!(both[0].bias(), both[1].bias());

    let mut symbols = Symbols::of(&process).unwrap();
    let functions = both[0].functions(&[]);
    let plain = functions
        .iter()
        .find(|function| function.name() == "plain")
        .unwrap();
    child.go_on();
    assert_eq!(
        Objects::of(&process).unwrap().iter().count(),
        found.iter().count() - 2
    );
    symbols.refresh(&process).unwrap();
    for object in both {
        let place = symbols
            .resolve(object.bias().wrapping_add(plain.address))
            .unwrap();
        assert_eq!(
            (place.object, place.function.unwrap().0.raw_name()),
            ("libmade.so.1", &b"plain"[..])
        );
    }
}

/// Maps a file executable that is none.
const MAPPER: &str = r#"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **arguments) {
    char c;
    mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(arguments[1], O_RDONLY), 0);
    write(1, "x", 1);
    read(0, &c, 1);
}
"#;

#[test]
fn a_mapped_file_that_is_no_object_is_reported() {
    let build = Build::new();
    let program = build.compile(("mapper.c", MAPPER), "mapper", &[]);
    let mut damaged = std::fs::read(&program).unwrap();
    damaged.truncate(60);
    std::fs::write(build.path("damaged.so"), damaged).unwrap();
    for (file, fault) in [
        ("mapper.c", "not an ELF file"),
        ("damaged.so", "malformed ELF header"),
    ] {
        let child = Child::run(Command::new(&program).arg(build.path(file)));
        let found = objects(&child);
        let messages: Vec<_> = found.unreadable().iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [format!("{}: {fault}", build.path(file).display())]
        );
        assert!(found.iter().any(|object| object.role() == Role::Program));
    }
}

/// Its size, its inode and the time of its last change stay the same.
#[test]
fn a_file_that_was_written_to_is_another_version() {
    let build = Build::new();
    let program = build.compile(("mapper.c", MAPPER), "mapper", &[]);
    let library = build.compile(("made.c", SOURCE), "made.so", &["-shared", "-fPIC"]);
    let child = Child::run(Command::new(&program).arg(&library));
    let state = || {
        let found = objects(&child);
        let made = found.iter().find(|it| it.base_name() == "made.so").unwrap();
        (made.identity(), made.version().unwrap())
    };
    let before = state();
    assert_eq!(state(), before);
    let file = File::options().write(true).open(&library).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.write_all_at(b"another", 0x100).unwrap();
    file.set_modified(modified).unwrap();
    let (identity, version) = state();
    assert_eq!(identity, before.0);
    assert_ne!(version, before.1);
}

#[test]
fn own_maps_are_parsed() {
    let maps = std::fs::read("/proc/self/maps").unwrap();
    let lines = maps.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(parse_maps(&maps).unwrap().len(), lines);
}
