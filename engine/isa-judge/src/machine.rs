//! A reference processor: Unicorn, which is QEMU's translator, one instruction at a time.

use std::marker::PhantomData;

use unicorn_engine::unicorn_const::{HookType, MemType, Prot, uc_error};
use unicorn_engine::{Context, Unicorn};

use crate::set::{End, Machine, Outcome, Run, Set};
use crate::state::State;
use crate::window::{CODE, CODE_BYTES, DATA_BYTES, Data, HIGH, LOW, PAGE, SLOT_PAGES, SLOTS};

/// An instance. Its datum is why it stopped, as noted by Unicorn's hooks.
pub type Uc = Unicorn<'static, Option<Cause>>;

/// Why an instruction did not complete.
#[derive(Clone, Copy, Debug)]
pub enum Cause {
    /// A failed access at this address.
    Access(u64),
    /// An exception with this number.
    Exception(u32),
}

/// How Unicorn is driven for an instruction set.
pub trait Emulated: Set {
    /// A processor after reset, with all features enabled.
    fn open(processor: &'static str) -> Uc;
    /// Writes its registers.
    fn write(uc: &mut Uc, state: &State, is_wide: bool);
    /// Reads its registers; those that are not read keep their values in `state`.
    fn registers(uc: &Uc, state: &mut State, is_wide: bool);
    /// What is added to the address at which it begins: 1 in Thumb state.
    const ENTRY: u64 = 0;
    /// Whether an exception leaves hidden state behind.
    const REMEMBERS: bool = false;
    /// The number of the undefined-instruction exception, for a set for which Unicorn reports that
    /// there was an exception, but not which.
    const UNDEFINED: Option<u32> = None;
}

/// A processor with the window and the slots in its memory.
pub struct Guest<S> {
    uc: Uc,
    /// The data as last read.
    scratch: Box<Data>,
    /// The initial context, for a set that [remembers](Emulated::REMEMBERS).
    pristine: Option<Context>,
    set: PhantomData<S>,
}

/// The message for failures that would be a bug in Unicorn.
pub const SOUND: &str = "Unicorn takes what it took before";

impl<S: Emulated> Guest<S> {
    /// A new processor.
    pub fn new(processor: &'static str) -> Self {
        let mut uc = S::open(processor);
        let (read_write, read_run) = (Prot::READ | Prot::WRITE, Prot::READ | Prot::EXEC);
        for (address, size, allowed) in [
            (LOW, PAGE, read_write),
            (CODE, PAGE, read_run),
            (HIGH, PAGE, read_write),
            (SLOTS, SLOT_PAGES * PAGE, read_run),
        ] {
            uc.mem_map(address, size, allowed).expect(SOUND);
        }
        note_causes::<S>(&mut uc);
        let pristine = S::REMEMBERS.then(|| uc.context_init().expect(SOUND));
        Self {
            uc,
            scratch: Box::new([0; DATA_BYTES]),
            pristine,
            set: PhantomData,
        }
    }

    /// Executes at most `steps` instructions from `at` on. An instruction that waits for an event
    /// stops Unicorn early.
    fn go_on(&mut self, at: u64, run: &Run<'_>) -> (End, State) {
        *self.uc.get_data_mut() = None;
        let before = self.read(run);
        let mut result = self.uc.emu_start(at + S::ENTRY, 0, 0, run.steps);
        let mut after = self.read(run);
        let is_as_before = before.differences(&after).all(|(place, ..)| place == S::PC);
        if result.is_ok() && after[S::PC] == at && is_as_before {
            // Unicorn occasionally returns without executing anything. A branch to itself is merely
            // repeated.
            result = self.uc.emu_start(at + S::ENTRY, 0, 0, run.steps);
            after = self.read(run);
        }
        (self.end(result, run.at, after[S::PC]), after)
    }

    fn end(&self, result: Result<(), uc_error>, at: u64, pc: u64) -> End {
        let undefined = if pc == at { End::Undefined } else { End::Done };
        match (result, *self.uc.get_data()) {
            (_, Some(Cause::Exception(number))) if S::UNDEFINED == Some(number) => undefined,
            (_, Some(Cause::Exception(number))) => End::Other(number.into()),
            (Ok(()) | Err(uc_error::FETCH_UNMAPPED | uc_error::FETCH_PROT), _) => End::Done,
            // After a failed store Unicorn sometimes continues to the stop instruction.
            (_, Some(Cause::Access(address))) => End::Fault(address),
            (Err(uc_error::INSN_INVALID), _) => undefined,
            (Err(other), _) => End::Other(other as i64),
        }
    }

    fn read(&self, run: &Run<'_>) -> State {
        let mut state = run.state.clone();
        S::registers(&self.uc, &mut state, run.is_wide);
        state
    }

    fn restore_data(&mut self, data: &Data) {
        self.read_data();
        if self.scratch[..] != data[..] {
            let (low, high) = data.split_at(CODE_BYTES);
            self.uc.mem_write(LOW, low).expect(SOUND);
            self.uc.mem_write(HIGH, high).expect(SOUND);
        }
    }

    fn read_data(&mut self) {
        let (low, high) = self.scratch.split_at_mut(CODE_BYTES);
        self.uc.mem_read(LOW, low).expect(SOUND);
        self.uc.mem_read(HIGH, high).expect(SOUND);
    }
}

/// Installs hooks that note failed accesses and, where necessary, exceptions.
fn note_causes<S: Emulated>(uc: &mut Uc) {
    let note = |uc: &mut Unicorn<'_, Option<Cause>>, kind, address, _: usize, _: i64| {
        if !matches!(kind, MemType::FETCH_UNMAPPED | MemType::FETCH_PROT) {
            *uc.get_data_mut() = Some(Cause::Access(address));
        }
        false
    };
    uc.add_mem_hook(HookType::MEM_INVALID, 1, 0, note)
        .expect(SOUND);
    if S::UNDEFINED.is_some() {
        let note = |uc: &mut Unicorn<'_, Option<Cause>>, number| {
            uc.get_data_mut().get_or_insert(Cause::Exception(number));
            uc.emu_stop().expect(SOUND);
        };
        uc.add_intr_hook(note).expect(SOUND);
    }
}

impl<S: Emulated> Machine for Guest<S> {
    fn load(&mut self, code: &[u8], slots: &[u8]) {
        self.uc.ctl_flush_tb().expect(SOUND);
        self.uc.mem_write(CODE, code).expect(SOUND);
        self.uc.mem_write(SLOTS, slots).expect(SOUND);
    }

    fn run(&mut self, run: Run<'_>) -> Outcome {
        self.restore_data(run.data);
        if let Some(pristine) = &self.pristine {
            self.uc.context_restore(pristine).expect(SOUND);
        }
        S::write(&mut self.uc, run.state, run.is_wide);
        let (mut end, mut state) = self.go_on(run.at, &run);
        let (first, pc) = (run.at, state[S::PC]);
        if run.in_slot && end == End::Done && pc != first && crate::window::is_slot(pc) {
            (end, state) = self.go_on(pc, &Run { steps: 1, ..run });
        }
        self.read_data();
        Outcome {
            end,
            state,
            data: self.scratch.clone(),
        }
    }
}
