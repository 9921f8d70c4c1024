//! Each probe passes what the program prints: a debugger stops at every site, reads the arguments
//! where the notes say that they are, and prints the same lines.
#![expect(unsafe_code, reason = "ptrace(2)")]

use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::ptr;

use engine_objects::{Argument, Extension, Objects, Operand, Process, Site, Sites};

const PROGRAM: &str = env!("CARGO_BIN_EXE_trapline-markers");

/// What the program prints without a debugger.
fn run(words: &str) -> String {
    let output = Command::new(PROGRAM).args(words.split(' ')).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{words}");
    String::from_utf8(output.stdout).unwrap()
}

/// A stopped process.
struct Stopped {
    child: Child,
    memory: File,
    /// What is added to an address of the file.
    bias: u64,
}

/// A trap of this machine, and whether the pc is behind it when it is taken.
fn trap() -> Option<(&'static [u8], bool)> {
    match ARCH {
        "x86_64" => Some((&[0xcc], true)),
        "aarch64" => Some((&[0, 0, 0x20, 0xd4], false)),
        _ => None,
    }
}

/// Where `struct pt_regs` has the pc.
const fn pc_index(arch: &str) -> usize {
    match arch.len() {
        // x86_64
        6 => 16,
        _ => 32,
    }
}

impl Stopped {
    /// Starts the program, stopped before its first instruction.
    fn start(words: &str) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(words.split(' ')).stdout(Stdio::piped());
        let traced = || {
            // SAFETY: a request of the child about itself, which reads no memory.
            match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        // SAFETY: what runs in the child is one system call.
        unsafe { command.pre_exec(traced) };
        let child = command.spawn().unwrap();
        let memory = format!("/proc/{}/mem", child.id());
        let memory = File::options().read(true).write(true).open(memory);
        let mut stopped = Self {
            child,
            memory: memory.unwrap(),
            bias: 0,
        };
        assert_eq!(stopped.wait(), Some(libc::SIGTRAP));
        let process = Process::open(stopped.child.id()).unwrap();
        let objects = Objects::of(&process).unwrap();
        let own = objects
            .iter()
            .find(|it| it.base_name() == "trapline-markers");
        stopped.bias = own.unwrap().bias();
        stopped
    }

    /// The signal that it is stopped by, or `None` if it has exited.
    fn wait(&self) -> Option<i32> {
        let mut status = 0;
        // SAFETY: the status outlives the call.
        let pid = unsafe { libc::waitpid(self.pid(), &raw mut status, 0) };
        assert_eq!(pid, self.pid());
        libc::WIFSTOPPED(status).then(|| libc::WSTOPSIG(status))
    }

    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn go_on(&self) {
        // SAFETY: the request reads no memory of ours.
        let done = unsafe { libc::ptrace(libc::PTRACE_CONT, self.pid(), 0, 0) };
        assert_eq!(done, 0);
    }

    /// The registers, in the order of `struct pt_regs`.
    fn registers(&self, request: libc::c_uint, mut registers: [u64; 34]) -> [u64; 34] {
        let length = if ARCH == "x86_64" { 27 } else { 34 };
        let mut part = libc::iovec {
            iov_base: registers.as_mut_ptr().cast(),
            iov_len: length * 8,
        };
        // SAFETY: the buffer has that length, and both outlive the call.
        let done = unsafe { libc::ptrace(request, self.pid(), 1, ptr::from_mut(&mut part)) };
        assert_eq!(done, 0);
        registers
    }

    fn read(&self, address: u64, size: usize) -> u64 {
        let mut bytes = [0; 8];
        self.memory
            .read_exact_at(&mut bytes[..size], address)
            .unwrap();
        u64::from_le_bytes(bytes)
    }

    fn value(&self, argument: &Argument, registers: &[u64; 34]) -> i64 {
        let size = usize::from(argument.size);
        let register = |number: u8| registers[usize::from(number)];
        let bits = match &argument.at {
            Operand::Constant(value) => value.cast_unsigned(),
            Operand::Register { number, shift } => register(*number) >> shift,
            Operand::Pair { low, high } => register(*high) << 32 | register(*low),
            Operand::Address(address) => self.read(address.wrapping_add(self.bias), size),
            Operand::Memory {
                base,
                index,
                displacement,
            } => {
                let index = index.map_or(0, |index| {
                    let whole = register(index.register);
                    let extended = match index.extension {
                        Extension::Whole => whole,
                        Extension::SignedWord => i64::from(whole as i32).cast_unsigned(),
                        Extension::UnsignedWord => u64::from(whole as u32),
                    };
                    extended.wrapping_mul(index.scale.into())
                });
                let address = base.map_or(0, register).wrapping_add(index);
                self.read(address.wrapping_add_signed(*displacement), size)
            }
            Operand::Unreadable(why) => panic!("{}: {why}", argument.text),
        };
        let unused = 64 - 8 * size as u32;
        match argument.is_signed {
            true => (bits << unused).cast_signed() >> unused,
            false => (bits << unused >> unused).cast_signed(),
        }
    }

    fn text(&self, address: u64) -> String {
        let bytes = (address..).map(|at| self.read(at, 1) as u8);
        String::from_utf8(bytes.take_while(|byte| *byte != 0).collect()).unwrap()
    }

    /// The line of a site that was hit.
    fn line(&self, site: &Site, registers: &[u64; 34]) -> String {
        let values = site.arguments.iter().map(|it| self.value(it, registers));
        let values: Vec<_> = values.collect();
        let values = match (&*site.name, &*values) {
            ("text", [address]) => format!(" {}", self.text(address.cast_unsigned())),
            _ => values.iter().map(|value| format!(" {value}")).collect(),
        };
        format!("{}{values}\n", site.probe_name())
    }
}

/// The lines of the sites that the program passes, and its own.
fn traced(words: &str) -> Option<(String, String, BTreeSet<u64>)> {
    let (trap, is_behind) = trap()?;
    let sites = Sites::of_bytes(&std::fs::read(PROGRAM).unwrap()).unwrap().1;
    assert_eq!(sites.faults, []);
    let mut stopped = Stopped::start(words);
    for site in &sites.list {
        let address = site.address.wrapping_add(stopped.bias);
        stopped.memory.write_all_at(trap, address).unwrap();
    }
    let (mut lines, mut hit) = (String::new(), BTreeSet::new());
    loop {
        stopped.go_on();
        match stopped.wait() {
            None => break,
            Some(signal) => assert_eq!(signal, libc::SIGTRAP),
        }
        let mut registers = stopped.registers(libc::PTRACE_GETREGSET, [0; 34]);
        let pc = &mut registers[pc_index(ARCH)];
        let length = trap.len() as u64;
        let address = if is_behind { *pc - length } else { *pc };
        let address = address.wrapping_sub(stopped.bias);
        let site = sites.list.iter().find(|site| site.address == address);
        // The instruction is a nop: it is executed by going on behind it.
        *pc = address.wrapping_add(stopped.bias) + length;
        lines += &stopped.line(site.unwrap(), &registers);
        stopped.registers(libc::PTRACE_SETREGSET, registers);
        hit.insert(address);
    }
    let mut said = String::new();
    let output = stopped.child.stdout.as_mut();
    output.unwrap().read_to_string(&mut said).unwrap();
    Some((lines, said, hit))
}

#[test]
fn forms_and_arguments_are_read_as_they_are_printed() {
    for (words, least) in [("forms", 40), ("arguments", 5)] {
        let Some((lines, said, hit)) = traced(words) else {
            return println!("this machine's traps are not known here");
        };
        assert_eq!(lines, said);
        assert!(hit.len() >= least);
        assert_eq!(run(words).lines().count(), said.lines().count());
    }
}

#[test]
fn each_site_is_passed_as_often_as_it_says() {
    let Some((lines, said, hit)) = traced("sites 3") else {
        return println!("this machine's traps are not known here");
    };
    assert_eq!(said, "two-sites 6\nin-line 9\n");
    assert_eq!(hit.len(), 5);
    let round = "two-sites 1\nin-line 1\nin-line 2\ntwo-sites 2\nin-line 3\n";
    assert_eq!(lines, round.repeat(3));
}

#[test]
fn what_nobody_traces_is_not_enabled() {
    assert_eq!(run("enabled 5"), "costly 0\n");
    assert_eq!(run("watch 3"), "costly 0\n");
    assert_eq!(run("seal 3"), "costly 0\n");
    assert_eq!(run("forks 2"), "child 0 0\nchild 1 0\nchild 2 0\n");
    assert_eq!(run("fire 1000") + &run("idle 1000"), "");
    assert!(run("place fire").trim().parse::<u64>().is_ok());
    assert_eq!(run("sites 2"), "two-sites 4\nin-line 6\n");
}

#[test]
fn a_semaphore_enables_its_probe() {
    let stopped = Stopped::start("enabled 5");
    let sites = Sites::of_bytes(&std::fs::read(PROGRAM).unwrap()).unwrap().1;
    let site = sites.list.iter().find(|site| site.name == "costly");
    let semaphore = site.unwrap().semaphore.unwrap();
    let place = semaphore.wrapping_add(stopped.bias);
    stopped.memory.write_all_at(&[1, 0], place).unwrap();
    stopped.go_on();
    assert_eq!(stopped.wait(), None);
    let mut said = String::new();
    let output = stopped.child.stdout;
    output.unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "costly 5\n");
}
