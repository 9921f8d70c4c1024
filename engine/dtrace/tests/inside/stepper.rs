//! A judge: executes a program instruction by instruction, and counts how often it came to the first of
//! each function.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

/// How often each function of a program is entered, by name: those that have a size.
pub fn entries(program: &Path) -> BTreeMap<String, u64> {
    let data = fs::read(program).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let is_code = |index| {
        file.section_by_index(index)
            .is_ok_and(|it| it.kind() == SectionKind::Text)
    };
    let symbols = file
        .symbols()
        .filter(|it| it.section_index().is_some_and(is_code));
    let named: Vec<(u64, String)> = symbols
        .map(|it| (it.address(), it.name().unwrap().to_owned()))
        .collect();
    let passed = passed(program);
    let count = |address: &u64| passed.get(address).copied().unwrap_or_default();
    named
        .iter()
        .map(|(address, name)| (name.clone(), count(address)))
        .collect()
}

/// How often each instruction of a program was executed, by its address in the file.
#[expect(unsafe_code, reason = "the child asks to be traced")]
#[expect(clippy::zombie_processes, reason = "it is waited for by ptrace")]
fn passed(program: &Path) -> BTreeMap<u64, u64> {
    let mut command = Command::new(program);
    command.stdout(Stdio::null());
    // SAFETY: it makes one system call.
    let child = unsafe { command.pre_exec(|| Ok(ptrace::traceme()?)) }
        .spawn()
        .unwrap();
    let number = child.id();
    let pid = Pid::from_raw(number as i32);
    assert!(matches!(
        waitpid(pid, None).unwrap(),
        WaitStatus::Stopped(_, Signal::SIGTRAP)
    ));
    let range = mapped(number, program);
    let mut passed = BTreeMap::new();
    loop {
        ptrace::step(pid, None).unwrap();
        match waitpid(pid, None).unwrap() {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Exited(..) => return passed,
            other => panic!("{other:?}"),
        }
        let pc = pc(pid);
        if range.contains(&pc) {
            *passed.entry(pc - range.start).or_default() += 1;
        }
    }
}

/// Where the program is mapped.
fn mapped(pid: u32, program: &Path) -> std::ops::Range<u64> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let name = program.file_name().unwrap().to_str().unwrap();
    let own = maps.lines().filter(|line| line.ends_with(name));
    let ranges: Vec<(u64, u64)> = own
        .map(|line| {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let number = |text| u64::from_str_radix(text, 16).unwrap();
            (number(start), number(end))
        })
        .collect();
    ranges[0].0..ranges.last().unwrap().1
}

/// The program counter of a process that is stopped: the last field of proc_pid_syscall(5).
fn pc(pid: Pid) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap();
    let last = text.split_whitespace().last().unwrap();
    u64::from_str_radix(last.trim_start_matches("0x"), 16).unwrap()
}
