//! Another judge: the addresses of all instructions that a program executes, by QEMU's user mode.

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Its program.
pub fn program() -> PathBuf {
    std::env::var_os("TRAPLINE_QEMU_USER").map_or("qemu-x86_64".into(), PathBuf::from)
}

/// The instructions of a program's own text that a command executes, in order, and where that text is. One that is
/// repeated is there once.
pub fn of(command: &Command) -> (Range<u64>, Vec<u64>) {
    let mut emulated = Command::new(program());
    // A block of each instruction. The option has another name since QEMU 8.1, and so has the variable.
    emulated.envs([("QEMU_SINGLESTEP", "1"), ("QEMU_ONE_INSN_PER_TB", "1")]);
    emulated.args(["-d", "exec,nochain,page"]);
    emulated.arg(command.get_program()).args(command.get_args());
    emulated.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = emulated.spawn().unwrap_or_else(|error| {
        let program = program();
        panic!("{program:?}: {error}: Debian's package qemu-user has it, and TRAPLINE_QEMU_USER may name it")
    });
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || stdout.read_to_end(&mut Vec::new()).unwrap());
    let [mut start, mut end] = [None; 2];
    let mut steps = Vec::new();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while log.read_line(&mut line).unwrap() > 0 {
        if line.starts_with("Trace ") {
            // What is in brackets: the base of the code segment, the program counter, flags.
            let step = number(line.split(['[', '/']).nth(2).unwrap());
            let is_own = Some(step) >= start && end.is_some_and(|end| step < end);
            steps.extend(Some(step).filter(|_| is_own));
        } else if let Some(value) = line.strip_prefix("start_code") {
            start = Some(number(value));
        } else if let Some(value) = line.strip_prefix("end_code") {
            end = Some(number(value));
        }
        line.clear();
    }
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
    steps.dedup();
    (start.unwrap()..end.unwrap(), steps)
}

fn number(text: &str) -> u64 {
    let digits = text.trim().trim_start_matches("0x");
    u64::from_str_radix(digits, 16).unwrap_or_else(|error| panic!("{text}: {error}"))
}
