//! Emulation does what the manual says, and nothing else: for any instruction
//! that the table accepts, on any registers, the whole of the registers and of
//! memory is compared with a model that executes the plain reading.

use std::collections::BTreeMap;

use engine_isa::x86::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan, Width};
use proptest::prelude::*;

use crate::reading::{COUNT, IP, Operation, SP, Source, read};
use crate::table::text_near_emulation;

/// Memory by bytes, each of which is something before it is first written; or
/// none at all.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ram {
    written: BTreeMap<u64, u8>,
    missing: bool,
    loads: Vec<(u64, u64)>,
}

impl Ram {
    fn missing() -> Self {
        Self {
            missing: true,
            ..Self::default()
        }
    }

    fn byte(&self, address: u64) -> u8 {
        let untouched = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        self.written.get(&address).copied().unwrap_or(untouched)
    }

    fn fetch(&mut self, address: u64, size: u64) -> Result<u64, Fault> {
        if self.missing {
            return Err(Fault { address });
        }
        self.loads.push((address, size));
        let bytes = (0..size).rev();
        Ok(bytes.fold(0, |value, offset| {
            value << 8 | u64::from(self.byte(address.wrapping_add(offset)))
        }))
    }

    fn put(&mut self, address: u64, size: u64, value: u64) -> Result<(), Fault> {
        if self.missing {
            return Err(Fault { address });
        }
        for (offset, byte) in (0..size).zip(value.to_le_bytes()) {
            self.written.insert(address.wrapping_add(offset), byte);
        }
        Ok(())
    }
}

impl Memory for Ram {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.fetch(address, width.bytes())
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        self.put(address, width.bytes(), value)
    }
}

/// A machine in the manual's terms: sixteen registers by number, IP and the flags.
struct Model {
    wide: bool,
    r: [u64; 17],
    flags: u64,
    ram: Ram,
}

impl Model {
    fn bits(&self) -> u32 {
        if self.wide { 64 } else { 32 }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.bits() / 8)
    }

    fn execute(&mut self, text: &[u8; 15]) -> Result<(), Fault> {
        let read = read(self.wide, text).expect("only what is accepted is executed");
        self.r[IP] = (self.r[IP].wrapping_add(read.length as u64)) & mask(self.bits());
        match read.operation {
            Operation::Nop => {}
            Operation::Push(source) => {
                let value = self.value(source)?;
                self.push(value)?;
            }
            Operation::Jump(source) => self.r[IP] = self.value(source)?,
            Operation::Call(source) => {
                let target = self.value(source)?;
                self.push(self.r[IP])?;
                self.r[IP] = target;
            }
            Operation::JumpIf(code, source) => {
                if self.holds(code) {
                    self.r[IP] = self.value(source)?;
                }
            }
            Operation::Count(which, bits, source) => {
                if self.counts(which, bits) {
                    self.r[IP] = self.value(source)?;
                }
            }
            Operation::Return(release) => {
                let target = self.ram.fetch(self.r[SP], self.bytes())?;
                self.move_sp(self.bytes() + release);
                self.r[IP] = target;
            }
        }
        Ok(())
    }

    fn move_sp(&mut self, by: u64) {
        self.r[SP] = self.r[SP].wrapping_add(by) & mask(self.bits());
    }

    fn push(&mut self, value: u64) -> Result<(), Fault> {
        self.move_sp(self.bytes().wrapping_neg());
        self.ram.put(self.r[SP], self.bytes(), value)
    }

    /// Whether the condition of this code holds (appendix B of volume 1).
    fn holds(&self, code: u8) -> bool {
        let flag = |bit: u32| self.flags >> bit & 1 == 1;
        let (cf, pf, zf, sf, of) = (flag(0), flag(2), flag(6), flag(7), flag(11));
        match code {
            0 => of,
            1 => !of,
            2 => cf,
            3 => !cf,
            4 => zf,
            5 => !zf,
            6 => cf || zf,
            7 => !cf && !zf,
            8 => sf,
            9 => !sf,
            10 => pf,
            11 => !pf,
            12 => sf != of,
            13 => sf == of,
            14 => zf || sf != of,
            _ => !zf && sf == of,
        }
    }

    /// Counts, unless it is jrcxz; whether the branch is taken.
    fn counts(&mut self, which: u8, bits: u32) -> bool {
        let zero_flag = self.flags >> 6 & 1 == 1;
        let count = self.r[COUNT] & mask(bits);
        if which == 3 {
            return count == 0;
        }
        let count = count.wrapping_sub(1) & mask(bits);
        let kept = if bits == 16 { !mask(16) } else { 0 };
        self.r[COUNT] = self.r[COUNT] & kept | count;
        count != 0 && (which == 2 || zero_flag == (which == 1))
    }

    fn value(&mut self, source: Source) -> Result<u64, Fault> {
        let value = match source {
            Source::Number(value) => value,
            Source::Register(number) => self.r[number],
            Source::Ahead(distance) => self.r[IP].wrapping_add(distance),
            Source::Memory {
                base,
                index,
                displacement,
                bits,
            } => {
                let base = base.map_or(0, |number| u128::from(self.r[number]));
                let index = index.map_or(0, |(number, scale)| {
                    u128::from(self.r[number]) * u128::from(scale)
                });
                let address = (base + index + u128::from(displacement)) as u64;
                self.ram.fetch(address & mask(bits), self.bytes())?
            }
        };
        Ok(value & mask(self.bits()))
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// What is no business of any instruction here.
const OTHERS: Regs = Regs {
    orig_ax: u64::MAX,
    cs: 0x10,
    flags: 0x246,
    ss: 0x18,
    r15: 0,
    r14: 0,
    r13: 0,
    r12: 0,
    bp: 0,
    bx: 0,
    r11: 0,
    r10: 0,
    r9: 0,
    r8: 0,
    ax: 0,
    cx: 0,
    dx: 0,
    si: 0,
    di: 0,
    ip: 0,
    sp: 0,
};

/// Registers by their numbers, as Linux lays them out.
fn laid_out(r: &[u64; 17]) -> Regs {
    let &[
        ax,
        cx,
        dx,
        bx,
        sp,
        bp,
        si,
        di,
        r8,
        r9,
        r10,
        r11,
        r12,
        r13,
        r14,
        r15,
        ip,
    ] = r;
    Regs {
        r15,
        r14,
        r13,
        r12,
        bp,
        bx,
        r11,
        r10,
        r9,
        r8,
        ax,
        cx,
        dx,
        si,
        di,
        ip,
        sp,
        ..OTHERS
    }
}

fn emulation(wide: bool, text: &[u8; 15]) -> Emulation {
    let plan = if wide { x86::plan } else { x86::plan_ia32 };
    match plan(text) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{text:02x?} is not emulated: {other}"),
    }
}

/// An instruction that is emulated, and whether it is of 64-bit mode.
fn emulated_text() -> impl Strategy<Value = (bool, [u8; 15])> {
    let text = (any::<bool>(), text_near_emulation());
    text.prop_filter("emulated", |(wide, text)| read(*wide, text).is_some())
}

/// Any registers, a few of them near the ends of the address space, or small; of a program of 32
/// bits, half as wide.
fn any_regs() -> impl Strategy<Value = [u64; 17]> {
    let near_an_end = (0_u64..128).prop_map(|near| near.wrapping_sub(64));
    proptest::array::uniform17(prop_oneof![6 => any::<u64>(), 1 => near_an_end, 1 => 0_u64..3])
}

fn narrowed(wide: bool, mut r: [u64; 17]) -> [u64; 17] {
    if !wide {
        r.iter_mut().for_each(|register| *register &= mask(32));
    }
    r
}

fn model(wide: bool, r: [u64; 17], flags: u64, ram: Ram) -> Model {
    Model {
        wide,
        r,
        flags,
        ram,
    }
}

fn with_flags(regs: Regs, flags: u64) -> Regs {
    Regs { flags, ..regs }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn emulation_agrees_with_the_model(
        (wide, text) in emulated_text(),
        before in any_regs(),
        flags: u16,
    ) {
        let (before, flags) = (narrowed(wide, before), flags.into());
        let mut model = model(wide, before, flags, Ram::default());
        model.execute(&text).unwrap();

        let (mut regs, mut ram) = (with_flags(laid_out(&before), flags), Ram::default());
        let result = emulation(wide, &text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(regs, with_flags(laid_out(&model.r), flags), "{:02x?}", text);
        prop_assert_eq!(ram, model.ram, "{:02x?}", text);
    }

    #[test]
    fn a_fault_is_the_models_and_leaves_everything(
        (wide, text) in emulated_text(),
        before in any_regs(),
        flags: u16,
    ) {
        let (before, flags) = (narrowed(wide, before), flags.into());
        let mut model = model(wide, before, flags, Ram::missing());
        let expected = model.execute(&text);

        let (mut regs, mut ram) = (with_flags(laid_out(&before), flags), Ram::missing());
        let result = emulation(wide, &text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, expected, "{:02x?}", text);
        let after = if expected.is_ok() { model.r } else { before };
        prop_assert_eq!(regs, with_flags(laid_out(&after), flags), "{:02x?}", text);
    }
}

/// Bytes and whatever follows them.
fn followed(bytes: &[u8]) -> [u8; 15] {
    let mut text = [0; 15];
    text[..bytes.len()].copy_from_slice(bytes);
    text
}

/// How a function begins, on numbers that can be followed by eye.
#[test]
fn push_rbp_stores_it_below_the_stack_pointer() {
    let before = Regs {
        bp: 0x1122_3344_5566_7788,
        sp: 0xffff_c900_0000_2000,
        ip: 0xffff_ffff_8100_0000,
        ..OTHERS
    };
    let (mut regs, mut ram) = (before, Ram::default());
    let push = emulation(true, &followed(&[0x55]));
    assert_eq!(push.run(&mut regs, &mut ram), Ok(()));

    let after = Regs {
        sp: 0xffff_c900_0000_1ff8,
        ip: 0xffff_ffff_8100_0001,
        ..before
    };
    assert_eq!(regs, after);
    let stored: Vec<(u64, u8)> = ram.written.into_iter().collect();
    let bytes = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    let wanted: Vec<(u64, u8)> = (0xffff_c900_0000_1ff8..).zip(bytes).collect();
    assert_eq!(stored, wanted);
}

#[test]
fn push_rsp_stores_what_it_was() {
    let mut regs = Regs {
        sp: 0x2000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    emulation(true, &followed(&[0x54]))
        .run(&mut regs, &mut ram)
        .unwrap();
    assert_eq!(regs.sp, 0x1ff8);
    assert_eq!(ram.fetch(0x1ff8, 8), Ok(0x2000));
}

#[test]
fn what_is_relative_to_rip_counts_from_the_end_of_the_instruction() {
    // jmp qword ptr [rip + 0x10], of six bytes.
    let text = followed(&[0xff, 0x25, 0x10, 0x00, 0x00, 0x00]);
    let mut regs = Regs {
        ip: 0x1000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    emulation(true, &text).run(&mut regs, &mut ram).unwrap();
    assert_eq!(ram.loads, [(0x1016, 8)]);
}

/// call qword ptr [rsp + 8] finds its target before it pushes where it came from.
#[test]
fn a_call_by_the_stack_reads_it_as_it_was() {
    let text = followed(&[0xff, 0x54, 0x24, 0x08]);
    let mut regs = Regs {
        ip: 0x1000,
        sp: 0x2000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    ram.put(0x2008, 8, 0x7777).unwrap();
    emulation(true, &text).run(&mut regs, &mut ram).unwrap();
    assert_eq!((regs.ip, regs.sp), (0x7777, 0x1ff8));
    assert_eq!(ram.fetch(0x1ff8, 8), Ok(0x1004));
}
