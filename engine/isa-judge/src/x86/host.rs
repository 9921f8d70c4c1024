//! The host's processor, as far as user mode allows: the only one that runs instructions with a VEX
//! or EVEX.

use std::io;

use nix::sys::signal::Signal;

use super::child::{Child, General, Stop, VECTORS};
use super::judged;
use super::places::{CORE, FS_BASE, RFLAGS, RIP};
use super::vectors::Layout;
use crate::set::{End, Machine, Outcome, Run};
use crate::state::State;
use crate::window::{CODE_BYTES, DATA_BYTES};

/// A process on the host's processor, with the window and the slots in its memory.
pub struct Host {
    child: Child,
    layout: Layout,
    /// The initial extended registers.
    vectors: Vec<u8>,
    /// The extended registers after a run.
    after: Vec<u8>,
    code: Vec<u8>,
    slots: Vec<u8>,
}

/// A system call number that does not exist.
const NO_CALL: u64 = u64::MAX;
/// How many timer signals a process may get before one instruction counts as too long.
const PATIENCE: usize = 3;

impl Host {
    /// A new process.
    ///
    /// # Errors
    /// If this host does not allow it.
    pub fn new() -> io::Result<Self> {
        let child = Child::start()?;
        let mut vectors = vec![0; VECTORS];
        let length = child.vectors(&mut vectors)?;
        vectors.truncate(length);
        Ok(Self {
            child,
            layout: Layout::of(&vectors),
            after: vectors.clone(),
            vectors,
            code: Vec::new(),
            slots: Vec::new(),
        })
    }

    fn try_run(&mut self, run: &Run<'_>) -> io::Result<Outcome> {
        let memory = self.child.memory();
        memory[..CODE_BYTES].copy_from_slice(&run.data[..CODE_BYTES]);
        memory[2 * CODE_BYTES..3 * CODE_BYTES].copy_from_slice(&run.data[CODE_BYTES..]);
        if run.is_wide {
            self.layout.store(run.state, &mut self.vectors);
            self.child.set_vectors(&mut self.vectors)?;
        }
        let (end, registers) = self.go(run)?;
        let mut state = run.state.clone();
        of_registers(&registers, &mut state);
        if run.is_wide {
            self.child.vectors(&mut self.after)?;
            self.layout.load(&self.after, &mut state);
        }
        Ok(Outcome {
            end,
            state,
            data: self.data(),
        })
    }

    /// Runs it: a branch in a single step, since it may lead to another instruction of the page.
    fn go(&mut self, run: &Run<'_>) -> io::Result<(End, General)> {
        let at = run.place * super::set::PLACE;
        let step = !run.in_slot && judged::is_branch(&self.code[at..]);
        let registers = to_registers(run.state, run.at, self.child.idle());
        let mut stop = self.child.go_on(registers, step)?;
        for _ in 0..PATIENCE {
            if !matches!(stop, Stop::Signal(Signal::SIGVTALRM, _)) {
                break;
            }
            stop = self.child.go_on(self.child.registers()?, step)?;
        }
        let registers = self.child.registers()?;
        Ok((end(stop, run.at, registers.rip, step), registers))
    }

    fn data(&mut self) -> Box<[u8; DATA_BYTES]> {
        let memory = self.child.memory();
        let mut data = Box::new([0; DATA_BYTES]);
        data[..CODE_BYTES].copy_from_slice(&memory[..CODE_BYTES]);
        data[CODE_BYTES..].copy_from_slice(&memory[2 * CODE_BYTES..3 * CODE_BYTES]);
        data
    }

    fn put_code(&mut self) {
        let memory = self.child.memory();
        memory[CODE_BYTES..2 * CODE_BYTES].copy_from_slice(&self.code);
        memory[3 * CODE_BYTES..].copy_from_slice(&self.slots);
    }
}

/// What a stop of the process means for the instruction at `at`.
fn end(stop: Stop, at: u64, pc: u64, step: bool) -> End {
    match stop {
        Stop::Signal(Signal::SIGILL, _) if pc == at => End::Undefined,
        Stop::Signal(Signal::SIGILL, _) => End::Done,
        Stop::Signal(Signal::SIGTRAP, _) if step => End::Done,
        // A failed fetch at the target is a completed branch.
        Stop::Signal(Signal::SIGSEGV, Some(address)) if address == pc && pc != at => End::Done,
        Stop::Signal(Signal::SIGSEGV, Some(address)) => End::Fault(address),
        Stop::Signal(signal, _) => End::Other(signal as i64),
        Stop::Call => End::Other(-1),
        Stop::Gone => End::Other(-2),
    }
}

impl Machine for Host {
    fn load(&mut self, code: &[u8], slots: &[u8]) {
        self.code = code.to_vec();
        self.slots = slots.to_vec();
        self.put_code();
    }

    /// # Panics
    /// If the process has exited, and no other can be started.
    fn run(&mut self, run: Run<'_>) -> Outcome {
        if let Ok(outcome) = self.try_run(&run) {
            return outcome;
        }
        self.child = Child::start().expect("there was one before");
        self.put_code();
        Outcome {
            end: End::Other(-2),
            state: run.state.clone(),
            data: Box::new(*run.data),
        }
    }
}

fn to_registers(state: &State, at: u64, idle: General) -> General {
    General {
        rax: state[0],
        rcx: state[1],
        rdx: state[2],
        rbx: state[3],
        rsp: state[4],
        rbp: state[5],
        rsi: state[6],
        rdi: state[7],
        r8: state[8],
        r9: state[9],
        r10: state[10],
        r11: state[11],
        r12: state[12],
        r13: state[13],
        r14: state[14],
        r15: state[15],
        rip: at,
        eflags: state[RFLAGS],
        fs_base: state[FS_BASE],
        gs_base: state[FS_BASE + 1],
        orig_rax: NO_CALL,
        ..idle
    }
}

fn of_registers(registers: &General, state: &mut State) {
    let General {
        rax,
        rcx,
        rdx,
        rbx,
        rsp,
        rbp,
        rsi,
        rdi,
        ..
    } = *registers;
    let General {
        r8,
        r9,
        r10,
        r11,
        r12,
        r13,
        r14,
        r15,
        ..
    } = *registers;
    let all = [
        rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15,
    ];
    state[0..RIP].copy_from_slice(&all);
    state[RIP] = registers.rip;
    state[RFLAGS] = registers.eflags;
    state[FS_BASE..CORE].copy_from_slice(&[registers.fs_base, registers.gs_base]);
}
