//! A processor of other making: Unicorn's, which is QEMU's, one instruction at a time.

use engine_isa::arm::{Relocation, Version};
use unicorn_engine::unicorn_const::{Arch, HookType, MemType, Mode, Prot, uc_error};
use unicorn_engine::{ArmCpuModel, RegisterARM, Unicorn};

use super::state::{CODE, CODE_BYTES, DATA_BYTES, HIGH, LOW, PAGE, SLOTS, State};

/// How many words a page of code has room for, each with a stop behind it.
pub const WORDS: usize = CODE_BYTES / 8;
/// How far one slot is from the next.
const SLOT_BYTES: usize = 16;
const _: () = assert!(Relocation::SIZE + 4 <= SLOT_BYTES);
/// How many pages the slots take.
pub const SLOT_PAGES: u64 = (WORDS * SLOT_BYTES).div_ceil(CODE_BYTES) as u64;
/// Permanently undefined: what stands behind a word ends the block that the processor translates.
const STOP: u32 = 0xe7f0_00f0;

/// FPEXC with its bit EN.
const FLOATING_POINT_ON: u64 = 1 << 30;

/// How an instruction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The processor was about to execute another.
    Done,
    /// A load or store at this address was not possible.
    Fault(u64),
    /// The processor knows no such instruction.
    Undefined,
    /// It did something that is neither: an exception of another kind.
    Other(uc_error),
}

/// What an instruction is executed on.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The registers.
    pub state: &'a State,
    /// The data.
    pub data: &'a [u8; DATA_BYTES],
    /// Whether the floating-point registers matter.
    pub float: bool,
}

/// A processor with the window and the slots in its memory.
pub struct Machine {
    /// What executes. Its datum is the address of the last access that was not possible.
    uc: Unicorn<'static, Option<u64>>,
    version: Version,
    /// The data as last read.
    scratch: Box<[u8; DATA_BYTES]>,
}

/// What can only fail if Unicorn itself is broken.
const SOUND: &str = "Unicorn takes what it took before";

impl Machine {
    /// A new processor of a model that stands for `version`.
    pub fn new(version: Version) -> Self {
        let mut uc = Unicorn::new_with_data(Arch::ARM, Mode::ARM, None).expect(SOUND);
        let model = match version {
            Version::V6 => ArmCpuModel::Model_1176,
            Version::V7 => ArmCpuModel::CORTEX_A15,
        };
        uc.ctl_set_cpu_model(model as i32).expect(SOUND);
        let (page, read_write, read_run) = (
            u64::from(PAGE),
            Prot::READ | Prot::WRITE,
            Prot::READ | Prot::EXEC,
        );
        for (address, size, allowed) in [
            (LOW, page, read_write),
            (CODE, page, read_run),
            (HIGH, page, read_write),
            (SLOTS, SLOT_PAGES * page, read_run),
        ] {
            uc.mem_map(address.into(), size, allowed).expect(SOUND);
        }
        let note = |uc: &mut Unicorn<'_, Option<u64>>, kind, address, _: usize, _: i64| {
            if !matches!(kind, MemType::FETCH_UNMAPPED | MemType::FETCH_PROT) {
                *uc.get_data_mut() = Some(address);
            }
            false
        };
        uc.add_mem_hook(HookType::MEM_INVALID, 1, 0, note)
            .expect(SOUND);
        let all = 0xf << 20;
        uc.reg_write(RegisterARM::C1_C0_2, all).expect(SOUND);
        Self {
            uc,
            version,
            scratch: Box::new([0; DATA_BYTES]),
        }
    }

    /// What the model stands for.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Takes a page of code and a slot for each of its words.
    pub fn load(&mut self, code: &[u8; CODE_BYTES], slots: &[u8]) {
        self.uc.ctl_flush_tb().expect(SOUND);
        self.uc.mem_write(CODE.into(), code).expect(SOUND);
        self.uc.mem_write(SLOTS.into(), slots).expect(SOUND);
    }

    /// Executes the word at `place` of the page, and says what became of the registers.
    pub fn original(&mut self, place: usize, given: Given<'_>) -> (End, State) {
        self.run(pc(place), 1, given)
    }

    /// The same with the word's slot. What waits for an event ends Unicorn's run; the slot's jump is
    /// then still to be executed.
    pub fn slot(&mut self, place: usize, given: Given<'_>) -> (End, State) {
        let at = slot_of(place);
        let (end, after) = self.run(at, 2, given);
        if end == End::Done && after.r[15] == at + 4 {
            return self.go_on(at + 4, 1, &after, given.float);
        }
        (end, after)
    }

    /// The data as the last run left it.
    pub fn data(&mut self) -> &[u8; DATA_BYTES] {
        self.read_data();
        &self.scratch
    }

    fn run(&mut self, at: u32, count: usize, given: Given<'_>) -> (End, State) {
        self.restore_data(given.data);
        self.write_registers(given.state, given.float);
        self.go_on(at, count, given.state, given.float)
    }

    fn go_on(&mut self, at: u32, count: usize, state: &State, float: bool) -> (End, State) {
        *self.uc.get_data_mut() = None;
        let mut result = self.uc.emu_start(at.into(), 0, 0, count);
        let mut after = self.read_registers(state, float);
        if result.is_ok() && after.r[15] == at {
            // Now and then Unicorn comes back at once. What branches to itself does so again.
            result = self.uc.emu_start(at.into(), 0, 0, count);
            after = self.read_registers(state, float);
        }
        (self.end(result, at, after.r[15]), after)
    }

    fn end(&self, result: Result<(), uc_error>, at: u32, pc: u32) -> End {
        let fault = *self.uc.get_data();
        match (result, fault) {
            (Ok(()) | Err(uc_error::FETCH_UNMAPPED | uc_error::FETCH_PROT), _) => End::Done,
            // A store that fails does not always keep Unicorn from going on to the stop.
            (_, Some(address)) => End::Fault(address),
            (Err(uc_error::INSN_INVALID), _) if pc == at => End::Undefined,
            (Err(uc_error::INSN_INVALID), _) => End::Done,
            (Err(other), _) => End::Other(other),
        }
    }

    fn restore_data(&mut self, data: &[u8; DATA_BYTES]) {
        self.read_data();
        if self.scratch[..] != data[..] {
            let (low, high) = data.split_at(DATA_BYTES / 2);
            self.uc.mem_write(LOW.into(), low).expect(SOUND);
            self.uc.mem_write(HIGH.into(), high).expect(SOUND);
        }
    }

    fn read_data(&mut self) {
        let (low, high) = self.scratch.split_at_mut(DATA_BYTES / 2);
        self.uc.mem_read(LOW.into(), low).expect(SOUND);
        self.uc.mem_read(HIGH.into(), high).expect(SOUND);
    }

    fn write_registers(&mut self, state: &State, float: bool) {
        let mut put = |register: i32, value: u64| self.uc.reg_write(register, value).expect(SOUND);
        put(RegisterARM::CPSR.into(), state.cpsr.into());
        for (number, value) in state.r[..15].iter().enumerate() {
            put(core(number), (*value).into());
        }
        if float {
            // Each time, as an instruction may have switched floating point off.
            put(RegisterARM::FPEXC.into(), FLOATING_POINT_ON);
            for (number, value) in (0..).zip(state.d) {
                put(i32::from(RegisterARM::D0) + number, value);
            }
            put(RegisterARM::FPSCR.into(), state.fpscr.into());
        }
    }

    fn read_registers(&self, before: &State, float: bool) -> State {
        let get = |register: i32| self.uc.reg_read(register).expect(SOUND);
        let mut state = *before;
        for (number, value) in state.r.iter_mut().enumerate() {
            *value = get(core(number)) as u32;
        }
        state.cpsr = get(RegisterARM::CPSR.into()) as u32;
        if float {
            for (number, value) in (0..).zip(&mut state.d) {
                *value = get(i32::from(RegisterARM::D0) + number);
            }
            state.fpscr = get(RegisterARM::FPSCR.into()) as u32;
        }
        state
    }
}

/// Unicorn's name of r0 to r15.
fn core(number: usize) -> i32 {
    match number {
        13 => RegisterARM::SP.into(),
        14 => RegisterARM::LR.into(),
        15 => RegisterARM::PC.into(),
        _ => i32::from(RegisterARM::R0) + number as i32,
    }
}

/// The address of the word at `place` of the page.
pub const fn pc(place: usize) -> u32 {
    CODE + 8 * place as u32
}

/// Where the slot of the word at a place lies.
const fn slot_of(place: usize) -> u32 {
    SLOTS + (place * SLOT_BYTES) as u32
}

/// A page of these words, each with a stop behind it.
pub fn page_of(words: &[u32]) -> Box<[u8; CODE_BYTES]> {
    let mut page = Box::new([0; CODE_BYTES]);
    let with_stops = words
        .iter()
        .chain(std::iter::repeat(&STOP))
        .flat_map(|word| [*word, STOP]);
    for (place, word) in page.chunks_exact_mut(4).zip(with_stops) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    page
}

/// A slot for each place of the page; where there is no relocated word, a stop.
pub fn slots_of(relocations: impl Iterator<Item = Option<Relocation>>) -> Vec<u8> {
    let slot = |(place, relocation): (usize, Option<Relocation>)| {
        let mut slot: Vec<u8> = STOP.to_le_bytes().repeat(SLOT_BYTES / 4);
        if let Some(relocation) = relocation {
            let code = relocation.slot(pc(place) + 4);
            slot[..Relocation::SIZE].copy_from_slice(&code);
        }
        slot
    };
    relocations.enumerate().flat_map(slot).collect()
}
