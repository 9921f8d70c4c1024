//! AArch64 as Linux uses it: the breakpoint, and the procedure call standard (AAPCS64).

use core::marker::PhantomData;

use super::{A64, Emulation, LR, Processor, Regs, Relocation, TRAP, control, exclusive, plan};
use crate::arch::{self, Arch, Load, Planned};
use crate::{Control, Exclusive, Fault, Memory, Plan};

/// AArch64 on a processor that signs pointers as `P` does.
#[derive(Clone, Copy, Debug)]
pub struct Arm64<P>(PhantomData<P>);

/// How many arguments are passed in registers, from x0 on.
const IN_REGISTERS: u64 = 8;

impl<P: Processor + Default + Send + Sync + 'static> Arch for Arm64<P> {
    type Mode = ();
    type Set = A64;
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];

    const KERNEL: () = ();
    const TRAP: &'static [u8] = &TRAP.to_le_bytes();

    fn plan(text: &[u8; 4], (): ()) -> Planned<Self> {
        plan(u32::from_le_bytes(*text))
    }

    fn length(_: &Planned<Self>) -> usize {
        Self::TRAP.len()
    }

    fn slot(relocation: Relocation, at: usize, _: usize, next: usize) -> Option<Self::Slot> {
        relocation.slot(at as u64, next as u64)
    }

    fn exclusive(text: &[u8; 4], (): ()) -> Option<Exclusive> {
        exclusive(u32::from_le_bytes(*text))
    }

    fn control(text: &[u8; 4], (): (), address: usize) -> Control {
        control(u32::from_le_bytes(*text), address as u64)
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        const B: u8 = 0b000101;
        let plan = plan(u32::from_le_bytes(*text));
        let is_nop = matches!(plan, Plan::Emulate(emulation) if emulation.is_nop());
        is_nop || text[3] >> 2 == B
    }

    fn pc(regs: &Regs) -> usize {
        regs.pc as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.pc = pc as u64;
    }

    fn enter(regs: &mut Regs, slot: usize) {
        Relocation::enter(slot as u64, regs);
    }

    fn argument(regs: &Regs, (): (), number: u64, load: &mut Load<'_>) -> u64 {
        match regs.x.get(number as usize) {
            Some(&x) if number < IN_REGISTERS => x,
            _ => arch::stack_word::<8>(regs.sp, number.wrapping_sub(IN_REGISTERS), load),
        }
    }

    fn caller(regs: &Regs, (): (), _: &mut Load<'_>) -> u64 {
        regs.x[LR]
    }

    fn returned(regs: &Regs) -> u64 {
        regs.x[0]
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        emulation.goes(regs)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory, &P::default())
    }
}
