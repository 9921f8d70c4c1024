//! Emulation does what the manual says, and nothing else: for any instruction
//! that the table accepts, on any registers, the whole of the registers and of
//! memory is compared with a model that executes the plain reading.

use std::collections::BTreeMap;

use engine_isa::x86::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan, Width};
use proptest::prelude::*;

use crate::reading::{IP, Operation, SP, Source, Target, read, sign_extended};
use crate::table::text_near_a_row;

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

/// A machine in the manual's terms: sixteen registers by number, and IP.
struct Model {
    r: [u64; 17],
    ram: Ram,
}

impl Model {
    fn execute(&mut self, text: &[u8; 15]) -> Result<(), Fault> {
        let read = read(text).expect("only what is accepted is executed");
        self.r[IP] = self.r[IP].wrapping_add(read.length as u64);
        match read.operation {
            Operation::Nop => Ok(()),
            Operation::Push(source) => {
                let value = self.value(source)?;
                self.r[SP] = self.r[SP].wrapping_sub(8);
                self.ram.put(self.r[SP], 8, value)
            }
            Operation::Move(to, source) => {
                let value = self.value(source)?;
                self.assign(to, value)
            }
            Operation::Address(to, memory) => self.assign(to, self.address(memory)),
        }
    }

    fn address(&self, memory: Target) -> u64 {
        let Target::Memory {
            base,
            index,
            displacement,
            ..
        } = memory
        else {
            panic!("{memory:?} has no address");
        };
        let base = base.map_or(0, |number| u128::from(self.r[number]));
        let index = index.map_or(0, |(number, scale)| {
            u128::from(self.r[number]) * u128::from(scale)
        });
        (base + index + u128::from(displacement)) as u64
    }

    fn value(&mut self, source: Source) -> Result<u64, Fault> {
        match source {
            Source::Immediate(value) => Ok(value),
            Source::Target(target) => self.bits_of(target).map(|(value, _)| value),
            Source::Signed(target) => {
                let (value, bits) = self.bits_of(target)?;
                Ok(sign_extended(value, bits))
            }
        }
    }

    fn bits_of(&mut self, target: Target) -> Result<(u64, u32), Fault> {
        match target {
            Target::Register {
                number,
                bits,
                shift,
            } => Ok((self.r[number] >> shift & mask(bits), bits)),
            Target::Memory { bits, .. } => {
                let address = self.address(target);
                let value = self.ram.fetch(address, u64::from(bits / 8))?;
                Ok((value, bits))
            }
        }
    }

    fn assign(&mut self, to: Target, value: u64) -> Result<(), Fault> {
        match to {
            Target::Register {
                number,
                bits,
                shift,
            } => {
                let kept = if bits == 32 {
                    0
                } else {
                    !(mask(bits) << shift)
                };
                self.r[number] = self.r[number] & kept | (value & mask(bits)) << shift;
                Ok(())
            }
            Target::Memory { bits, .. } => {
                let address = self.address(to);
                self.ram.put(address, u64::from(bits / 8), value)
            }
        }
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

fn emulation(text: &[u8; 15]) -> Emulation {
    match x86::plan(text) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{text:02x?} is not accepted: {other}"),
    }
}

fn accepted_text() -> impl Strategy<Value = [u8; 15]> {
    text_near_a_row().prop_filter("accepted", |text| read(text).is_some())
}

/// Any registers, a few of them near the ends of the address space.
fn any_regs() -> impl Strategy<Value = [u64; 17]> {
    let near_an_end = (0_u64..128).prop_map(|near| near.wrapping_sub(64));
    proptest::array::uniform17(prop_oneof![7 => any::<u64>(), 1 => near_an_end])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn emulation_agrees_with_the_model(text in accepted_text(), before in any_regs()) {
        let mut model = Model { r: before, ram: Ram::default() };
        model.execute(&text).unwrap();

        let (mut regs, mut ram) = (laid_out(&before), Ram::default());
        let result = emulation(&text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(regs, laid_out(&model.r), "{:02x?}", text);
        prop_assert_eq!(ram, model.ram, "{:02x?}", text);
    }

    #[test]
    fn a_fault_is_the_models_and_leaves_everything(text in accepted_text(), before in any_regs()) {
        let mut model = Model { r: before, ram: Ram::missing() };
        let expected = model.execute(&text);

        let (mut regs, mut ram) = (laid_out(&before), Ram::missing());
        let result = emulation(&text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, expected, "{:02x?}", text);
        let after = if expected.is_ok() { model.r } else { before };
        prop_assert_eq!(regs, laid_out(&after), "{:02x?}", text);
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
    let push = emulation(&followed(&[0x55]));
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
    emulation(&followed(&[0x54]))
        .run(&mut regs, &mut ram)
        .unwrap();
    assert_eq!(regs.sp, 0x1ff8);
    assert_eq!(ram.fetch(0x1ff8, 8), Ok(0x2000));
}

#[test]
fn what_is_relative_to_rip_counts_from_the_end_of_the_instruction() {
    // mov eax, dword ptr [rip + 0x10], of six bytes.
    let text = followed(&[0x8b, 0x05, 0x10, 0x00, 0x00, 0x00]);
    let mut regs = Regs {
        ip: 0x1000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    emulation(&text).run(&mut regs, &mut ram).unwrap();
    assert_eq!(ram.loads, [(0x1016, 4)]);
    assert_eq!(regs.ip, 0x1006);
}
