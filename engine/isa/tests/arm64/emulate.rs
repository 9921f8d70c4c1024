//! Emulation does what the manual's pseudocode says, and nothing else: for
//! every word that the table accepts, on any registers, the whole of the
//! registers and of what was read from memory is compared with a model written
//! from that pseudocode (DDI 0487M.a: chapter C6.2, by instruction).

use engine_isa::arm64::{self, Emulation, Processor, Regs};
use engine_isa::{Fault, Memory, Plan, Width};
use proptest::prelude::*;

const BTYPE: u64 = 3 << 10;

/// Memory in which every byte differs from its neighbours, which keeps a list
/// of what is read from it, and faults after so many reads.
#[derive(Clone, Debug, PartialEq)]
struct Rom {
    seed: u64,
    loads: Vec<(u64, u64)>,
    loads_left: usize,
}

impl Rom {
    fn of_loads(loads_left: usize, seed: u64) -> Self {
        let loads = Vec::new();
        Self {
            seed,
            loads,
            loads_left,
        }
    }

    fn byte(&self, address: u64) -> u8 {
        let mixed = (address ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed.to_be_bytes()[0]
    }

    /// Mem[address, bytes] in the manual, lowest byte first.
    fn mem(&mut self, address: u64, bytes: u64) -> Result<u64, Fault> {
        self.loads_left = self.loads_left.checked_sub(1).ok_or(Fault { address })?;
        self.loads.push((address, bytes));
        let byte_at = |offset| u64::from(self.byte(address.wrapping_add(offset)));
        let place = |value, offset| value | byte_at(offset) << (8 * offset);
        Ok((0..bytes).fold(0, place))
    }
}

impl Memory for Rom {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.mem(address, width.bytes())
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        panic!("nothing here stores, but {address:#x} is stored to")
    }
}

/// A stand-in for AddPACIA that no register move can imitate.
fn add_pacia(pointer: u64, modifier: u64) -> u64 {
    pointer.rotate_left(9) ^ modifier.wrapping_mul(3) ^ 0x5a
}

/// A processor that signs by this function.
struct SignsBy<F>(F);

impl<F: Fn(u64, u64) -> u64> Processor for SignsBy<F> {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        self.0(pointer, modifier)
    }

    fn has_branch_types(&self) -> bool {
        true
    }
}

/// A machine in the manual's terms.
struct Model {
    regs: Regs,
    rom: Rom,
}

/// The 32 bits of a word, by their numbers.
fn field(word: u32, high: u32, low: u32) -> u32 {
    let count = high - low + 1;
    (word >> low) & (u32::MAX >> (32 - count))
}

fn sign_extend(value: u64, from: u32) -> u64 {
    let is_negative = from < 64 && value >> (from - 1) & 1 == 1;
    if is_negative {
        value | u64::MAX << from
    } else {
        value
    }
}

impl Model {
    fn x(&self, n: u32, datasize: u32) -> u64 {
        let whole = if n == 31 { 0 } else { self.regs.x[n as usize] };
        whole & u64::MAX >> (64 - datasize)
    }

    fn set_x(&mut self, n: u32, datasize: u32, value: u64) {
        if n != 31 {
            self.regs.x[n as usize] = value & u64::MAX >> (64 - datasize);
        }
    }

    fn execute(&mut self, word: u32) -> Result<(), Fault> {
        let rd = field(word, 4, 0);
        let datasize = 32 << field(word, 31, 31);
        match field(word, 30, 23) {
            0b1010_1010 => self.hint(field(word, 11, 5)),
            0b0101_0100 => self.set_x(rd, datasize, self.x(field(word, 20, 16), datasize)),
            0b0010_0010 => self.set_x(rd, datasize, self.regs.sp),
            0b0010_0101 | 0b1010_0101 | 0b1110_0101 => self.move_wide(word, datasize),
            0b0101_0010 => self.load_pair(word, datasize)?,
            _ => self.load(word)?,
        }
        self.regs.pc = self.regs.pc.wrapping_add(4);
        self.regs.pstate &= !BTYPE;
        Ok(())
    }

    fn hint(&mut self, number: u32) {
        if number == 25 {
            self.regs.x[30] = add_pacia(self.regs.x[30], self.regs.sp);
        }
    }

    fn move_wide(&mut self, word: u32, datasize: u32) {
        let (opcode, rd) = (field(word, 30, 29), field(word, 4, 0));
        let pos = field(word, 22, 21) * 16;
        // MOVK keeps what there is, the others begin with nothing.
        let kept = if opcode == 3 { self.x(rd, datasize) } else { 0 };
        let hole = kept - (kept >> pos) % 0x1_0000 * (1 << pos);
        let result = hole + u64::from(field(word, 20, 5)) * (1 << pos);
        let inverted = if opcode == 0 { u64::MAX } else { 0 };
        self.set_x(rd, datasize, result ^ inverted);
    }

    /// The base register, and CheckSPAlignment with SCTLR_ELx.SA set.
    fn base(&self, n: u32) -> Result<u64, Fault> {
        if n != 31 {
            return Ok(self.x(n, 64));
        }
        let address = self.regs.sp;
        if address.is_multiple_of(16) {
            Ok(address)
        } else {
            Err(Fault { address })
        }
    }

    fn load(&mut self, word: u32) -> Result<(), Fault> {
        let (size, opc) = (field(word, 31, 30), field(word, 23, 22));
        let bytes = 1_u64 << size;
        let offset = if field(word, 24, 24) == 1 {
            u64::from(field(word, 21, 10)) * bytes
        } else {
            sign_extend(field(word, 20, 12).into(), 9)
        };
        let address = self.base(field(word, 9, 5))?.wrapping_add(offset);
        let data = self.rom.mem(address, bytes)?;
        let (value, regsize) = match opc {
            0b01 => (data, if size == 3 { 64 } else { 32 }),
            0b10 => (sign_extend(data, 8 << size), 64),
            0b11 => (sign_extend(data, 8 << size), 32),
            _ => panic!("{word:08x} is a store"),
        };
        self.set_x(field(word, 4, 0), regsize, value);
        Ok(())
    }

    fn load_pair(&mut self, word: u32, datasize: u32) -> Result<(), Fault> {
        let dbytes = u64::from(datasize / 8);
        let offset = sign_extend(field(word, 21, 15).into(), 7).wrapping_mul(dbytes);
        let address = self.base(field(word, 9, 5))?.wrapping_add(offset);
        let data1 = self.rom.mem(address, dbytes)?;
        let data2 = self.rom.mem(address.wrapping_add(dbytes), dbytes)?;
        self.set_x(field(word, 4, 0), datasize, data1);
        self.set_x(field(word, 14, 10), datasize, data2);
        Ok(())
    }
}

fn emulation(word: u32) -> Emulation {
    match arm64::plan(word) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{word:08x} is not accepted: {other}"),
    }
}

/// A register's number; number 31 is met often.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0_u32..31, 1 => Just(31_u32)]
}

/// Every word that the table accepts.
fn accepted_word() -> impl Strategy<Value = u32> {
    prop_oneof![
        1 => hint(),
        2 => register_move(),
        3 => wide_move(),
        6 => load(),
        4 => load_pair(),
    ]
}

fn hint() -> impl Strategy<Value = u32> {
    let numbers = vec![0_u32, 25, 32, 34, 36, 38];
    proptest::sample::select(numbers).prop_map(|number| 0xd503_201f | number << 5)
}

fn register_move() -> impl Strategy<Value = u32> {
    let from_register = (0_u32..2, number(), number())
        .prop_map(|(sf, rm, rd)| 0x2a00_03e0 | sf << 31 | rm << 16 | rd);
    let from_sp = (0_u32..2, 0_u32..31).prop_map(|(sf, rd)| 0x1100_03e0 | sf << 31 | rd);
    prop_oneof![from_register, from_sp]
}

fn wide_move() -> impl Strategy<Value = u32> {
    let place = prop_oneof![(Just(0_u32), 0_u32..2), (Just(1_u32), 0_u32..4)];
    let opcode = proptest::sample::select(vec![0_u32, 2, 3]);
    (opcode, place, any::<u16>(), number()).prop_map(|(opcode, (sf, hw), imm16, rd)| {
        0x1280_0000 | sf << 31 | opcode << 29 | hw << 21 | u32::from(imm16) << 5 | rd
    })
}

fn load() -> impl Strategy<Value = u32> {
    let kinds = vec![
        (0_u32, 1_u32),
        (1, 1),
        (2, 1),
        (3, 1),
        (0, 2),
        (1, 2),
        (2, 2),
        (0, 3),
        (1, 3),
    ];
    let offset = prop_oneof![
        (0_u32..1 << 12).prop_map(|imm12| 0x0100_0000 | imm12 << 10),
        (0_u32..1 << 9).prop_map(|imm9| imm9 << 12),
    ];
    (proptest::sample::select(kinds), offset, number(), number()).prop_map(
        |((size, opc), offset, rn, rt)| {
            0x3800_0000 | size << 30 | opc << 22 | offset | rn << 5 | rt
        },
    )
}

fn load_pair() -> impl Strategy<Value = u32> {
    (0_u32..2, 0_u32..1 << 7, number(), number(), number())
        .prop_filter("two registers", |&(_, _, rt2, _, rt)| rt2 != rt)
        .prop_map(|(sf, imm7, rt2, rn, rt)| {
            0x2940_0000 | sf << 31 | imm7 << 15 | rt2 << 10 | rn << 5 | rt
        })
}

/// Any registers; the stack pointer mostly aligned, and at times near the ends
/// of the address space.
fn any_regs() -> impl Strategy<Value = Regs> {
    let sp = prop_oneof![
        6 => any::<u64>().prop_map(|sp| sp & !0b1111),
        1 => any::<u64>(),
        1 => (0_u64..16).prop_map(|near| (16 * near).wrapping_sub(128)),
    ];
    (any::<[u64; 31]>(), sp, any::<u64>(), any::<u64>()).prop_map(|(x, sp, pc, pstate)| Regs {
        x,
        sp,
        pc,
        pstate,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8192))]

    #[test]
    fn emulation_agrees_with_the_model(
        word in accepted_word(),
        before in any_regs(),
        seed: u64,
    ) {
        let mut model = Model { regs: before, rom: Rom::of_loads(2, seed) };
        let expected = model.execute(word);

        let (mut regs, mut rom) = (before, Rom::of_loads(2, seed));
        let result = emulation(word).run(&mut regs, &mut rom, &SignsBy(add_pacia));

        prop_assert_eq!(result, expected);
        prop_assert_eq!(rom, model.rom);
        prop_assert_eq!(regs.sp, before.sp);
        prop_assert_eq!(regs, if expected.is_ok() { model.regs } else { before });
    }

    #[test]
    fn a_fault_leaves_the_registers_and_can_be_run_again(
        word in prop_oneof![load(), load_pair()],
        before in any_regs(),
        seed: u64,
        loads in 0_usize..2,
    ) {
        let (mut regs, mut rom) = (before, Rom::of_loads(loads, seed));
        let mut model = Model { regs: before, rom: rom.clone() };
        let expected = model.execute(word);
        let result = emulation(word).run(&mut regs, &mut rom, &SignsBy(add_pacia));

        prop_assert_eq!(result, expected);
        prop_assert_eq!(&rom, &model.rom);
        if result.is_err() {
            prop_assert_eq!(regs, before);
            (rom, model) = (
                Rom::of_loads(2, seed),
                Model { regs: before, rom: Rom::of_loads(2, seed) },
            );
            let again = emulation(word).run(&mut regs, &mut rom, &SignsBy(add_pacia));
            prop_assert_eq!(again, model.execute(word));
            prop_assert_eq!(regs, if again.is_ok() { model.regs } else { before });
        }
    }
}

/// What the kernel's own tracer puts first, on numbers that can be followed by eye.
#[test]
fn mov_x9_x30_copies_the_return_address_and_moves_on() {
    let mut before = Regs::default();
    before.x[30] = 0xffff_8000_0801_2340;
    before.sp = 0xffff_8000_0a00_3e50;
    before.pc = 0xffff_8000_0802_0000;
    before.pstate = 0x6000_0005 | BTYPE;

    let (mut regs, mut rom) = (before, Rom::of_loads(0, 0));
    let result = emulation(0xaa1e_03e9).run(&mut regs, &mut rom, &SignsBy(add_pacia));
    assert_eq!(result, Ok(()));

    let mut after = before;
    after.x[9] = 0xffff_8000_0801_2340;
    after.pc = 0xffff_8000_0802_0004;
    after.pstate = 0x6000_0005;
    assert_eq!(regs, after);
}

#[test]
fn paciasp_signs_the_return_address_with_the_stack_pointer() {
    let mut regs = Regs::default();
    regs.x[30] = 0xffff_8000_0801_2340;
    regs.sp = 0xffff_8000_0a00_3e50;
    let sign = |pointer: u64, modifier: u64| {
        assert_eq!(modifier, 0xffff_8000_0a00_3e50);
        pointer ^ 0x1234 << 48
    };
    let result = emulation(0xd503_233f).run(&mut regs, &mut Rom::of_loads(0, 0), &SignsBy(sign));
    assert_eq!(result, Ok(()));
    assert_eq!(regs.x[30], 0xedcb_8000_0801_2340);
}

/// A processor without authentication leaves the pointer as it is, and only
/// `paciasp` asks for it.
#[test]
fn nothing_but_paciasp_signs() {
    let words = [
        0xd503_201f,
        0xd503_245f,
        0xaa1e_03e9,
        0x9100_03fd,
        0xd280_0001,
    ];
    for word in words {
        let never = |pointer: u64, _: u64| panic!("{word:08x} signs {pointer:#x}");
        let result = emulation(word).run(
            &mut Regs::default(),
            &mut Rom::of_loads(0, 0),
            &SignsBy(never),
        );
        assert_eq!(result, Ok(()));
    }
    let mut regs = Regs::default();
    regs.x[30] = 0xffff_8000_0801_2340;
    let as_it_is = |pointer: u64, _: u64| pointer;
    let result =
        emulation(0xd503_233f).run(&mut regs, &mut Rom::of_loads(0, 0), &SignsBy(as_it_is));
    assert_eq!((result, regs.x[30]), (Ok(()), 0xffff_8000_0801_2340));
}
