//! Stacks of running programs, unwound by tables and compared with what the program says itself.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use engine_abi::UnwindRow;
use engine_objects::{CodeRange, Objects, Process, UnwindTable};
use engine_tracer::unwind::{At, End, Frame, Stack, Table, caller};
use engine_tracer::{FrameLayout, FrameRecord};

use crate::build::Build;

/// Prints the registers and the C library's own list of its frames, and waits with that stack.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define KEPT __attribute__((noinline, noclone))

KEPT void report(void) {
    void *frames[64];
    unsigned long pc, sp, fp;
    int count = backtrace(frames, 64);
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=&r"(pc), "=&r"(sp), "=&r"(fp));
    printf("%lx %lx %lx\n", pc, sp, fp);
    for (int at = 1; at < count; at++) printf("%lx\n", (unsigned long)frames[at]);
    printf("end\n");
    fflush(stdout);
    char byte;
    read(0, &byte, 1);
}
KEPT int inner(int number) { report(); return number + 1; }
KEPT int middle(int number) {
    volatile char room[200];
    memset((void *)room, number, sizeof room);
    return inner(room[7]) + room[number];
}
KEPT int aligned(int number) {
    volatile char room[64] __attribute__((aligned(64)));
    volatile char *more = alloca(number + 40);
    more[3] = room[5] = (char)number;
    return middle(number) + room[5] + more[3];
}
KEPT int large(int number) {
    volatile char room[100000];
    room[number] = 1;
    return middle(number) + room[number];
}
static int compare(const void *a, const void *b) {
    static int done;
    if (!done++) middle(3);
    return *(const int *)a - *(const int *)b;
}
static void handler(int number) { middle(number); }
static void *thread(void *argument) { middle(3); return argument; }

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "calls";
    int numbers[4] = {3, 1, 2, 0};
    if (!strcmp(what, "calls")) middle(3);
    if (!strcmp(what, "aligned")) aligned(count);
    if (!strcmp(what, "large")) large(count);
    if (!strcmp(what, "library")) qsort(numbers, 4, sizeof *numbers, compare);
    if (!strcmp(what, "signal") || !strcmp(what, "stack")) {
        static char stack[65536];
        stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
        struct sigaction action = {.sa_handler = handler};
        if (what[1] == 't') { sigaltstack(&other, 0); action.sa_flags = SA_ONSTACK; }
        sigaction(SIGUSR1, &action, 0);
        raise(SIGUSR1);
    }
    if (!strcmp(what, "thread")) {
        pthread_t started;
        pthread_create(&started, 0, thread, 0);
        pthread_join(started, 0);
    }
    return numbers[0];
}
"#;

const X86_64: FrameLayout = FrameLayout {
    word: 8,
    has_link: false,
    record: FrameRecord::Pair,
    mask: u64::MAX,
};

/// A stopped program with the tables of its objects.
struct Target {
    child: Child,
    lines: BufReader<ChildStdout>,
    memory: File,
    tables: Vec<(Vec<CodeRange>, u64, UnwindTable)>,
}

impl Target {
    /// Starts a program, and waits until it has printed a line, which is returned.
    fn start(program: &Path, what: &str) -> (Self, Vec<u64>) {
        let mut command = Command::new(program);
        let command = command
            .arg(what)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let first = line(&mut lines);
        let process = Process::open(child.id()).unwrap();
        let objects = Objects::of(&process).unwrap();
        let tables = objects.iter().map(|object| {
            let table = object.unwind_table(&process);
            assert_eq!(table.faults(), [], "{}", object.path().display());
            (object.ranges().to_vec(), object.bias(), table)
        });
        let target = Self {
            memory: File::open(format!("/proc/{}/mem", child.id())).unwrap(),
            tables: tables.collect(),
            child,
            lines,
        };
        (target, first)
    }

    /// The frames that the program lists.
    fn listed(&mut self) -> Vec<u64> {
        let lines = std::iter::from_fn(|| line(&mut self.lines).first().copied());
        lines.collect()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Stack for Target {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.memory.read_exact_at(bytes, address).ok()
    }

    fn row(&mut self, address: u64) -> Option<UnwindRow> {
        let holds = |range: &CodeRange| (range.start..range.end).contains(&address);
        let mut tables = self.tables.iter();
        let found = tables.find(|(ranges, ..)| ranges.iter().any(holds));
        let (_, bias, table) = found?;
        let address = u32::try_from(address.wrapping_sub(*bias)).ok()?;
        Table::new(table.bytes()).row(address)
    }
}

/// The hexadecimal numbers of a line.
fn line(lines: &mut impl BufRead) -> Vec<u64> {
    let mut text = String::new();
    lines.read_line(&mut text).unwrap();
    let words = text.split_whitespace();
    words
        .map_while(|word| u64::from_str_radix(word, 16).ok())
        .collect()
}

/// The callers of a frame, and why there are no more.
fn walk(target: &mut Target, mut frame: Frame) -> (Vec<u64>, End) {
    let mut found = Vec::new();
    loop {
        match caller(target, X86_64, &frame) {
            Ok(outer) => {
                found.push(outer.pc);
                frame = outer;
            }
            Err(end) => return (found, end),
        }
    }
}

/// Unwinds the stack of each way to call, and compares.
fn compare(flags: &[&str]) {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let build = Build::new();
    let program = build.compile(("program.c", PROGRAM), "program", flags);
    for what in [
        "calls", "aligned", "large", "library", "signal", "stack", "thread",
    ] {
        let (mut target, registers) = Target::start(&program, what);
        let listed = target.listed();
        let [pc, sp, fp] = registers[..] else {
            panic!("{what}: {registers:x?}");
        };
        let first = Frame {
            pc,
            sp,
            fp,
            lr: None,
            at: At::Instruction,
        };
        let (found, end) = walk(&mut target, first);
        assert_eq!(found, listed, "{what} {flags:?}: {end:?}");
        assert_eq!(end, End::Outermost, "{what} {flags:?}");
        assert!(found.len() >= 4, "{what} {flags:?}: {found:x?}");
    }
}

#[test]
fn without_frame_pointers() {
    compare(&["-O2", "-fomit-frame-pointer"]);
}

#[test]
fn with_frame_pointers() {
    compare(&["-O0", "-fno-omit-frame-pointer"]);
}

#[test]
fn with_fixed_addresses() {
    compare(&["-O2", "-no-pie"]);
}

#[test]
fn linked_statically() {
    compare(&["-O2", "-static"]);
}
