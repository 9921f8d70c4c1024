//! Executes a program one instruction at a time, as a debugger does.

use std::ffi::OsString;
use std::io::{self, BufRead, BufWriter, Write};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::Error;
use crate::raw;
use crate::states::become_program;

/// Execs, without address space randomisation, and prints the pid. After a line on standard input,
/// executes so many instructions, prints the pc before each in hexadecimal, and kills the child.
pub fn stepped(instructions: usize, words: &[OsString]) -> Result<(), Error> {
    let child = raw::fork(|| {
        let why = raw::be_stepped().err();
        eprintln!(
            "trapline-calls: {}",
            why.unwrap_or_else(|| become_program(words))
        );
        1
    })?;
    let outcome = wait(child).and_then(|()| follow(child, instructions));
    kill_process(child, Signal::KILL)?;
    waitpid(Some(child), WaitOptions::empty())?;
    outcome
}

fn follow(child: Pid, instructions: usize) -> Result<(), Error> {
    println!("{}", child.as_raw_pid());
    io::stdin().lock().read_line(&mut String::new())?;
    let mut out = BufWriter::new(io::stdout().lock());
    for _ in 0..instructions {
        writeln!(out, "{:x}", pc(child)?)?;
        raw::step(child)?;
        wait(child)?;
    }
    Ok(out.flush()?)
}

/// The pc's place follows from the size of the set.
fn pc(child: Pid) -> Result<u64, Error> {
    const X86_64: (usize, usize) = (27, 16);
    const ARM64: (usize, usize) = (34, 32);
    let registers = raw::registers(child)?;
    let place = [X86_64, ARM64]
        .into_iter()
        .find(|(words, _)| *words == registers.len());
    place.map(|(_, pc)| registers[pc]).ok_or(Error::Registers)
}

/// Waits until the child has stopped by SIGTRAP.
fn wait(child: Pid) -> Result<(), Error> {
    let status = waitpid(Some(child), WaitOptions::empty())?.map(|(_, status)| status);
    match status.and_then(|status| status.stopping_signal()) {
        Some(libc::SIGTRAP) => Ok(()),
        _ => Err(Error::Child("ptrace", status)),
    }
}
