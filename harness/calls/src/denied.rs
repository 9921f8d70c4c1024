//! A system call denied by seccomp(2).

use syscalls::{Errno, Sysno};

use crate::Error;
use crate::raw::make;

/// `struct sock_filter` of linux/filter.h.
#[repr(C)]
struct Instruction {
    code: u16,
    if_so: u8,
    if_not: u8,
    value: u32,
}

const fn instruction(code: u16, if_not: u8, value: u32) -> Instruction {
    Instruction {
        code,
        if_so: 0,
        if_not,
        value,
    }
}

/// `struct sock_fprog`.
#[repr(C)]
struct Program {
    length: u16,
    first: *const Instruction,
}

/// Installs a filter that fails `getppid` with EACCES, calls it, and prints the result.
pub fn denied() -> Result<(), Error> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let filter = [
        instruction(LOAD, 0, 0),
        instruction(IS, 1, Sysno::getppid as u32),
        instruction(ANSWER, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32),
        instruction(ANSWER, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = Program {
        length: filter.len() as u16,
        first: filter.as_ptr(),
    };
    let privileges = [libc::PR_SET_NO_NEW_PRIVS as usize, 1, 0, 0, 0, 0];
    demand(Sysno::prctl, privileges)?;
    let program = (&raw const program).expose_provenance();
    let mode = libc::SECCOMP_SET_MODE_FILTER as usize;
    demand(Sysno::seccomp, [mode, 0, program, 0, 0, 0])?;
    println!("{}", make(Sysno::getppid as usize, [0; 6]) as isize);
    Ok(())
}

/// Makes a call that must succeed.
fn demand(call: Sysno, arguments: [usize; 6]) -> Result<(), Error> {
    let answer = Errno::from_ret(make(call as usize, arguments));
    answer
        .map(drop)
        .map_err(|why| Error::Demand(call.name(), why))
}
