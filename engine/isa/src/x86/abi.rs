//! x86 as Linux uses it: INT3, and the System V calling conventions of x86-64 and i386.

use super::{
    Emulation, LONGEST, Mode, Regs, Relocation, TRAP, X64, control, control_ia32, plan, plan_ia32,
};
use crate::arch::{self, Arch, Load, Planned};
use crate::{Control, Fault, Memory, Plan};

/// x86: 64-bit kernels, and 64-bit and 32-bit programs under them.
#[derive(Clone, Copy, Debug)]
pub struct X86;

/// How many arguments x86-64 passes in registers.
const IN_REGISTERS: u64 = 6;

impl Arch for X86 {
    type Mode = Mode;
    type Set = X64;
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; LONGEST];
    type Slot = [u8; Relocation::SIZE];

    const KERNEL: Mode = Mode::Long;
    const TRAP: &'static [u8] = &[TRAP];

    fn plan(text: &[u8; LONGEST], mode: Mode) -> Planned<Self> {
        match mode {
            Mode::Long => plan(text),
            Mode::Compat => plan_ia32(text),
        }
    }

    fn length(plan: &Planned<Self>) -> usize {
        match plan {
            Plan::Emulate(emulation) => emulation.length().into(),
            Plan::Relocate(relocation) => relocation.length(),
            Plan::Refuse(_) => 0,
        }
    }

    fn slot(relocation: Relocation, at: usize, from: usize, _: usize) -> Option<Self::Slot> {
        relocation.slot(at as u64, from as u64)
    }

    fn control(text: &[u8; LONGEST], mode: Mode, address: usize) -> Control {
        match mode {
            Mode::Long => control(text, address as u64),
            Mode::Compat => control_ia32(text, address as u64),
        }
    }

    /// A static call without a target is a return, or a conditional jump; one that returns 0 is an
    /// XOR with three prefixes.
    fn is_placeholder(text: &[u8; LONGEST]) -> bool {
        const CALL: u8 = 0xe8;
        const JUMPS: [u8; 2] = [0xe9, 0xeb];
        const RETURN: u8 = 0xc3;
        const RETURN_0: [u8; 5] = [0x2e, 0x2e, 0x2e, 0x31, 0xc0];
        let is_nop = matches!(plan(text), Plan::Emulate(emulation) if emulation.is_nop());
        let [first, second, ..] = *text;
        let is_conditional = first == 0x0f && second & 0xf0 == 0x80;
        let leaves = first == CALL || first == RETURN || JUMPS.contains(&first);
        is_nop || leaves || is_conditional || text.starts_with(&RETURN_0)
    }

    /// A kernel with one CPU replaces LOCK prefixes with DS prefixes, which do nothing. When a
    /// second CPU comes up it writes them back, but only over a DS prefix, not over INT3. A DS
    /// prefix before an instruction that cannot take LOCK never was one.
    fn will_be_rewritten(text: &[u8; LONGEST]) -> bool {
        const LOCK: u8 = 0xf0;
        const DS: u8 = 0x3e;
        let mut locked = *text;
        locked[0] = LOCK;
        text[0] == DS && !matches!(plan(&locked), Plan::Refuse(_))
    }

    /// The processor saves the address after the breakpoint.
    fn pc(regs: &Regs) -> usize {
        (regs.ip as usize).wrapping_sub(Self::TRAP.len())
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.ip = pc as u64;
    }

    /// Stack arguments begin above the return address.
    fn argument(regs: &Regs, mode: Mode, number: u64, load: &mut Load<'_>) -> u64 {
        match (mode, number) {
            (Mode::Compat, _) => arch::stack_word::<4>(regs.sp, number.wrapping_add(1), load),
            (Mode::Long, 0) => regs.di,
            (Mode::Long, 1) => regs.si,
            (Mode::Long, 2) => regs.dx,
            (Mode::Long, 3) => regs.cx,
            (Mode::Long, 4) => regs.r8,
            (Mode::Long, 5) => regs.r9,
            (Mode::Long, _) => {
                let index = number.wrapping_sub(IN_REGISTERS).wrapping_add(1);
                arch::stack_word::<8>(regs.sp, index, load)
            }
        }
    }

    fn caller(regs: &Regs, mode: Mode, load: &mut Load<'_>) -> u64 {
        match mode {
            Mode::Long => arch::stack_word::<8>(regs.sp, 0, load),
            Mode::Compat => arch::stack_word::<4>(regs.sp, 0, load),
        }
    }

    fn returned(regs: &Regs) -> u64 {
        regs.ax
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        emulation.goes(regs)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory)
    }
}
