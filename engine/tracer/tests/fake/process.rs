//! Processes of the fake kernel: address spaces of words, with pages of slots.

use std::cell::Cell;
use std::collections::BTreeMap;

use engine_isa::arm::{Arm, Regs, TRAP};
use engine_isa::{Arch, Unreadable};
use engine_tracer::{
    Denied, Hit, InSlot, OutOfMemory, Patched, ProbeMemory, Processes, Space, Trap, Uncounted,
    UserPatch,
};
use zerocopy::IntoBytes;

use super::{
    Anywhere, BOUNDS, Engine, Fake, NO_SLOTS, NOT_COUNTED, NOT_WRITTEN, STOPS, STUCK, WOKEN,
};

thread_local! {
    /// The process whose thread this is; 0 for none.
    pub static IN_PROCESS: Cell<u32> = const { Cell::new(0) };
    /// Whether processes that execute programs are held.
    pub static HOLDS_EXECS: Cell<bool> = const { Cell::new(false) };
}

/// A process.
#[derive(Debug, Default)]
pub struct Process {
    pub text: BTreeMap<usize, u32>,
    /// The pages of slots, by address.
    pub slots: BTreeMap<usize, Vec<u8>>,
    /// The slots in them.
    pub known: Vec<InSlot>,
    /// The pc of each of its threads.
    pub threads: Vec<usize>,
    /// Whether the engine has its address space open.
    pub is_open: bool,
    /// How often it has executed another program.
    pub execs: usize,
    /// How often its address spaces are held.
    pub holds: usize,
    /// Whether it has exited.
    pub is_gone: bool,
}

/// The key of a process's address space, which differs from its handle.
fn key(pid: u32) -> usize {
    pid as usize * 64
}

impl Fake {
    /// Creates a process with this text.
    pub fn create(&self, pid: u32, text: &[(usize, u32)]) {
        let process = Process {
            text: text.iter().copied().collect(),
            ..Process::default()
        };
        self.processes.lock().unwrap().insert(pid, process);
    }

    /// Runs `work` on a process.
    pub fn process<R>(&self, pid: u32, work: impl FnOnce(&mut Process) -> R) -> R {
        work(self.processes.lock().unwrap().get_mut(&pid).unwrap())
    }

    /// The process exits.
    pub fn exit(&self, pid: u32) {
        self.process(pid, |process| {
            (process.is_gone, process.text) = (true, BTreeMap::new());
        });
    }

    /// Reads the current process's text, if it has some at `address`.
    pub fn load_text(&self, address: u64, bytes: &mut [u8]) -> Option<Result<(), Unreadable>> {
        let processes = self.processes.lock().unwrap();
        let process = processes.get(&IN_PROCESS.get())?;
        let word = process.text.get(&(address as usize))?.to_le_bytes();
        bytes.copy_from_slice(&word[..bytes.len()]);
        Some(Ok(()))
    }

    /// A thread of the process executes the instruction at the registers' pc. Returns the trap's
    /// outcome, or None if there is no trap.
    pub fn run(&self, engine: &Engine, pid: u32, regs: &mut Regs) -> Option<Trap> {
        self.hit(engine, pid, regs).map(|hit| hit.trap)
    }

    /// Like [`Fake::run`], with what the thread has to wait for.
    pub fn hit(&self, engine: &Engine, pid: u32, regs: &mut Regs) -> Option<Hit> {
        IN_PROCESS.set(pid);
        let _firing = self.firings.read().unwrap();
        let there = self.process(pid, |process| {
            let pc = regs.r[15] as usize;
            let bytes = (pc..pc + 4).map_while(|at| process.byte(at).copied());
            bytes.collect::<Vec<_>>()
        });
        let hit = Arm::is_trap(&there).then(|| engine.user_trap(regs, &mut Anywhere));
        IN_PROCESS.set(0);
        hit
    }
}

impl Process {
    fn byte(&self, at: usize) -> Option<&u8> {
        let word = self.text.get(&(at & !3))?.as_bytes();
        word.get(at & 3)
    }

    fn write(&mut self, patch: &UserPatch) -> Patched {
        let places = patch.address..patch.address + patch.length as usize;
        let (expected, new) = (patch.expected.to_le_bytes(), patch.word.to_le_bytes());
        let is_there = |(at, byte)| self.byte(at) == Some(byte);
        if !places.clone().zip(&expected).all(is_there) {
            return Patched::Different;
        }
        for (at, byte) in places.zip(new) {
            let word = self.text.get_mut(&(at & !3)).unwrap();
            word.as_mut_bytes()[at & 3] = byte;
        }
        Patched::Written
    }
}

impl Processes for &'static Fake {
    fn space_open(&self, pid: u32) -> Result<Space, Denied> {
        let mut processes = self.processes.lock().unwrap();
        let process = processes.get_mut(&pid).filter(|process| !process.is_gone);
        let process = process.ok_or(Denied::NoProcess)?;
        process.is_open = true;
        Ok(Space {
            handle: pid as usize,
            key: key(pid),
            is_compat: 0,
        })
    }

    fn space_close(&self, space: Space) {
        self.process(space.handle as u32, |process| {
            assert!(process.is_open, "closed once");
            assert!(
                process.slots.is_empty() || process.is_gone,
                "no slot is left"
            );
            let mut words = process.text.values();
            assert!(words.all(|word| *word != TRAP), "no trap is left");
            process.is_open = false;
        });
    }

    fn space_is_gone(&self, space: Space) -> bool {
        self.process(space.handle as u32, |process| process.is_gone)
    }

    fn current_space(&self) -> usize {
        key(IN_PROCESS.get())
    }

    fn space_hold(&self, pid: u32) -> Result<usize, Denied> {
        let mut processes = self.processes.lock().unwrap();
        let process = processes.get_mut(&pid).filter(|process| !process.is_gone);
        let process = process.ok_or(Denied::NoProcess)?;
        process.holds += 1;
        Ok(key(pid) + process.execs)
    }

    fn space_drop(&self, held: usize) {
        let mut processes = self.processes.lock().unwrap();
        let mut processes = processes.iter_mut();
        let (_, process) = processes
            .find(|(pid, _)| key(**pid) == held / 64 * 64)
            .unwrap();
        process.holds -= 1;
    }

    fn space_read(&self, space: Space, address: usize, to: &mut [u8]) -> Result<(), Unreadable> {
        self.process(space.handle as u32, |process| {
            for (at, to) in (address..).zip(to) {
                *to = *process.byte(at).ok_or(Unreadable)?;
            }
            Ok(())
        })
    }

    fn space_patch(&self, space: Space, patches: &mut [UserPatch], _: bool) {
        STOPS.set(STOPS.get() + 1);
        self.process(space.handle as u32, |process| {
            assert!(process.is_open);
            for patch in patches {
                patch.outcome = match STUCK.get() {
                    true => Patched::Unwritable,
                    false => process.write(patch),
                };
            }
        });
    }

    fn space_count(&self, space: Space, address: usize, is_up: bool) -> Result<(), Uncounted> {
        if NOT_COUNTED.get() {
            return Err(Uncounted::OutOfMemory);
        }
        self.process(space.handle as u32, |process| {
            assert!(process.is_open);
            let word = process.text.get_mut(&(address & !3));
            let word = word.ok_or(Uncounted::Different)?;
            let place = address & 3;
            let count = &mut word.as_mut_bytes()[place..place + 2];
            let value = u16::from_le_bytes([count[0], count[1]]);
            let sum = if is_up {
                value.checked_add(1)
            } else {
                value.checked_sub(1)
            };
            let sum = sum.ok_or(Uncounted::Different)?;
            count.copy_from_slice(&sum.to_le_bytes());
            Ok(())
        })
    }

    fn slots_map(&self, space: Space, near: usize) -> Result<usize, OutOfMemory> {
        if NO_SLOTS.get() || self.space_is_gone(space) {
            return Err(OutOfMemory);
        }
        self.process(space.handle as u32, |process| {
            let page = (near & !0xfff) - 0x1000 * (1 + process.slots.len());
            process.slots.insert(page, vec![0; Self::SLOTS]);
            Ok(page)
        })
    }

    fn slots_write(&self, space: Space, slot: &InSlot, bytes: &[u8]) -> Result<(), OutOfMemory> {
        let address = slot.slot;
        if NOT_WRITTEN.get() {
            return Err(OutOfMemory);
        }
        self.process(space.handle as u32, |process| {
            process.known.push(*slot);
            let (page, slots) = process.slots.range_mut(..=address).next_back().unwrap();
            let place = address - page..address - page + bytes.len();
            assert!(
                slots[place.clone()].iter().all(|byte| *byte == 0),
                "written once"
            );
            slots[place].copy_from_slice(bytes);
        });
        Ok(())
    }

    fn slots_unmap(&self, space: Space) {
        self.process(space.handle as u32, |process| {
            let slots = std::mem::take(&mut process.known);
            for pc in &mut process.threads {
                let mut slots = slots.iter();
                if let Some(slot) = slots.find(|it| (it.slot..it.slot + it.size).contains(pc)) {
                    *pc = if *pc == slot.slot {
                        slot.site
                    } else {
                        slot.next
                    };
                }
            }
            process.slots.clear();
        });
    }

    fn probe_memory(&self) -> ProbeMemory {
        BOUNDS.get()
    }

    fn hold_execs(&self) -> Result<(), Denied> {
        assert!(!HOLDS_EXECS.replace(true), "begun once");
        Ok(())
    }

    fn let_execs_go(&self) {
        assert!(HOLDS_EXECS.replace(false), "ended once");
    }

    fn wake_held(&self) {
        WOKEN.set(WOKEN.get() + 1);
    }

    /// So small that a few slots fill a page.
    const SLOTS: usize = 32;
}
