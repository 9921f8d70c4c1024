//! x86-64, by `int3`.

use core::arch::asm;
use core::ffi::c_int;
use core::ops::Range;

use engine_isa::body::{Exit, Text, Unwalked, room};
use engine_isa::x86::{self, Emulation, Regs, Relocation};
use engine_isa::{Control, Fault, Memory, Plan};
use engine_tracer::{Isa, Load, Planned, Untrappable};

use super::{calls, comes_back, exits, stack_word, told};
use crate::ffi;
use crate::memory::Interrupted;
#[cfg(trapline_mutants)]
use crate::mutant::{IntoFrame, SHARED_SLOT, STALE_SLOT};

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

const WAKES: &str = "a starting or resuming CPU runs it before it can take a trap";
const LEAVES: &str = "it, or its copy, runs where a kernel gives way to the next and takes no trap";
const THUNK: &str = "returns and indirect calls on the way to a trap's handler run it";
const XEN: &str = "it is on the way back from every trap";
const SWITCHED: &str = "a static call goes by it, and the kernel, which rewrites it as it runs, must find it as it was";
const ON_WAY: &str = "it runs between a trap and its handler, or on the way back";
const RESTORED: &str = "it runs with another kernel's data when memory comes back from the disk, before there are traps";

/// From the vector to the call that leads to the handler, and back; and what a CPU runs before it has its IDT.
static PATHS: [Untrappable; 2] = [
    Untrappable {
        roots: &[
            [b"asm_exc_int3", b"asm_exc_int3"],
            [b"irqentry_nmi_exit", b"irqentry_nmi_exit"],
        ],
        // Those of a process come by there, too, and who is behind the handler.
        ends: &[b"irqentry_enter_from_user_mode", b"notify_die"],
        passes: &[b"kprobe_int3_handler"],
        why: (b"", ON_WAY),
    },
    Untrappable {
        roots: &[
            [b"secondary_startup_64", b"secondary_startup_64"],
            [b"start_secondary", b"start_secondary"],
            [b"cpu_init_secondary", b"cpu_init_secondary"],
            [
                b"cpu_init_exception_handling",
                b"cpu_init_exception_handling",
            ],
            [b"load_current_idt", b"load_current_idt"],
        ],
        // Each is a root itself: behind what it is called for, a CPU can take traps.
        ends: &[
            b"cpu_init_secondary",
            b"cpu_init_exception_handling",
            b"load_current_idt",
        ],
        passes: &[],
        why: (b"", WAKES),
    },
];

/// x86-64.
pub struct Native;

impl Isa for Native {
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 15];
    type Slot = [u8; Relocation::SIZE];

    const TRAP: &'static [u8] = &[x86::TRAP];
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[
        (b"verify_cpu", WAKES),
        (b"sev_verify_cbit", WAKES),
        (b"early_setup_idt", WAKES),
        (b"setup_ghcb", WAKES),
        (b"*cc_platform_has*", WAKES),
        (b"set_bringup_idt_handler*", WAKES),
        (b"start_secondary", WAKES),
        (b"cr4_init", WAKES),
        (b"cpu_init_secondary", WAKES),
        (b"cpu_init_exception_handling", WAKES),
        (b"setup_getcpu", WAKES),
        (b"native_write_msr", WAKES),
        (b"do_trace_write_msr", WAKES),
        (b"native_write_gdt_entry", WAKES),
        (b"memset*", WAKES),
        (b"__memset", WAKES),
        (b"get_cpu_entry_area", WAKES),
        (b"native_load_tr_desc", WAKES),
        (b"load_direct_gdt", WAKES),
        (b"load_fixmap_gdt", WAKES),
        (b"native_load_gdt", WAKES),
        (b"cr4_set_bits", WAKES),
        (b"cr4_update_irqsoff", WAKES),
        (b"native_write_cr4", WAKES),
        (b"load_current_idt", WAKES),
        (b"native_load_idt", WAKES),
        (b"wakeup_long64", WAKES),
        (b"do_suspend_lowlevel", WAKES),
        (b"*restore_processor_state", WAKES),
        (b"native_write_cr0", WAKES),
        (b"restore_registers", RESTORED),
    ];
    const GLUE: &'static [(&'static [u8], &'static str)] = &[
        (b"__SCT__*", SWITCHED),
        (b"secondary_startup_64*", WAKES),
        (b"relocate_kernel", LEAVES),
        (b"identity_mapped", LEAVES),
        (b"virtual_mapped", LEAVES),
        (b"swap_pages", LEAVES),
        (b"*_return_thunk", THUNK),
        (b"srso_*safe_ret", THUNK),
        (b"__x86_indirect_*thunk_*", THUNK),
        (b"xen_iret", XEN),
    ];

    fn untrappable() -> &'static [Untrappable] {
        untrappable()
    }

    fn calls(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Unwalked> {
        calls::<x86::X64>(text, function, memory, see)
    }

    fn plan(text: &[u8; 15]) -> Planned<Self> {
        x86::plan(text)
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

    /// What a jump label is while it is off, and while it is on; and the same of a static call, which
    /// returns 0 while there is nobody to call, and may be a conditional jump.
    fn is_placeholder(text: &[u8; 15]) -> bool {
        const CALL: u8 = 0xe8;
        const JUMPS: [u8; 2] = [0xe9, 0xeb];
        const RETURN: u8 = 0xc3;
        const RETURN_0: [u8; 5] = [0x2e, 0x2e, 0x2e, 0x31, 0xc0];
        let is_nop = matches!(Self::plan(text), Plan::Emulate(emulation) if emulation.is_nop());
        let [first, second, ..] = *text;
        let is_conditional = first == 0x0f && second & 0xf0 == 0x80;
        let leaves = first == CALL || first == RETURN || JUMPS.contains(&first);
        is_nop || leaves || is_conditional || text.starts_with(&RETURN_0)
    }

    /// A kernel with one CPU makes each LOCK prefix a DS prefix, which does nothing. It puts them back when a second
    /// CPU comes, but only where it finds what it wrote: not where there is an INT3. A DS prefix before what takes no
    /// LOCK never was one.
    fn will_be_rewritten(text: &[u8; 15]) -> bool {
        const LOCK: u8 = 0xf0;
        const DS: u8 = 0x3e;
        let mut locked = *text;
        locked[0] = LOCK;
        let was_locked = text[0] == DS && !matches!(Self::plan(&locked), Plan::Refuse(_));
        was_locked && !lock_prefix_forgotten()
    }

    fn control(text: &[u8; 15], address: usize) -> Control {
        x86::control(text, address as u64)
    }

    fn begins_function(_: &[u8; 15]) -> bool {
        true
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        exits::<x86::X64>(text, function, memory, see)
    }

    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        comes_back::<x86::X64>(text, function, to)
    }

    fn room(bytes: usize) -> usize {
        room::<x86::X64>(bytes as u64)
    }

    /// The processor saves where it would go on: behind the trap.
    fn pc(regs: &Regs) -> usize {
        (regs.ip as usize).wrapping_sub(Self::TRAP.len())
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.ip = resumption(pc) as u64;
    }

    fn enter(regs: &mut Regs, slot: usize) {
        regs.ip = slot as u64;
    }

    /// The first six are in registers; the others lie behind the return address.
    fn argument(regs: &Regs, number: u64, load: &mut Load<'_>) -> u64 {
        match number {
            0 => regs.di,
            1 => regs.si,
            2 => regs.dx,
            3 => regs.cx,
            4 => regs.r8,
            5 => regs.r9,
            _ => stack_word(regs.sp, number.wrapping_sub(6).wrapping_add(on_top()), load),
        }
    }

    fn caller(regs: &Regs, load: &mut Load<'_>) -> u64 {
        stack_word(regs.sp, 0, load)
    }

    fn returned(regs: &Regs) -> u64 {
        told(regs.ax)
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

unsafe extern "C" {
    safe fn shim_other_stack(bytes: usize) -> c_int;
}

/// Whether a firing has room on this stack: as a rule the thread's, which the kernel need not have aligned.
#[inline(always)]
pub fn has_stack() -> bool {
    let [task_of_cpu, stack_of_task] = ffi::trapline_stacks.place;
    let stack: usize;
    // SAFETY: a CPU's GS leads to its own data, where `task_of_cpu` is the thread that it runs, which has its stack's
    // address there.
    unsafe {
        asm!(
            "mov {stack}, gs:[{task}]",
            "mov {stack}, [{stack} + {offset}]",
            task = in(reg) task_of_cpu,
            offset = in(reg) stack_of_task,
            stack = out(reg) stack,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    super::is_room(super::stack_end().wrapping_sub(stack)) || shim_other_stack(FIRING_STACK) != 0
}

/// The memory of the code whose registers these are.
#[cfg(not(trapline_mutants))]
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

#[cfg(not(trapline_mutants))]
const fn untrappable() -> &'static [Untrappable] {
    &PATHS
}

#[cfg(not(trapline_mutants))]
const fn lock_prefix_forgotten() -> bool {
    false
}

#[cfg(not(trapline_mutants))]
fn resumption(pc: usize) -> usize {
    pc
}

/// How many words lie on top of a function's arguments: the return address.
#[cfg(not(trapline_mutants))]
fn on_top() -> u64 {
    1
}

/// The numbers of the system calls that make a child, and of `execve`, for the seeded defects that are about these.
#[cfg(trapline_mutants)]
pub const FORKS: &[i64] = &[56, 57, 58, 435];
#[cfg(trapline_mutants)]
pub const EXECVE: i64 = 59;

/// The seeded defects that this set has.
#[cfg(trapline_mutants)]
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_SS,
    COUNT_FROM_TRAP,
    LOCK_FORGOTTEN,
    ARGUMENTS_ON_TOP,
    SHARED_SLOT,
    STALE_SLOT,
    SETUP_MISNAMED,
];

/// `early-setup-idt-misnamed`: what a starting CPU runs is told by a name that [`Native`] does not know for that.
#[cfg(trapline_mutants)]
const SETUP_MISNAMED: &str = "early-setup-idt-misnamed";

/// And none of its paths is followed.
#[cfg(trapline_mutants)]
fn untrappable() -> &'static [Untrappable] {
    match crate::mutant::is_chosen(SETUP_MISNAMED) {
        true => &[],
        false => &PATHS,
    }
}

/// Who is misnamed with which defect.
#[cfg(trapline_mutants)]
pub const MISNAMES: &[(&str, &[u8])] = &[(SETUP_MISNAMED, b"early_setup_idt")];

/// `push-into-ss`: what an emulated push stores lands in the trap's own frame.
#[cfg(trapline_mutants)]
const PUSH_INTO_SS: &str = "push-into-ss";

/// The memory of the code whose registers these are.
///
/// Linux moves the frame that an INT3 in the kernel has pushed six words down, to make room for an
/// emulated push. Without that room, and with a stack pointer that is a multiple of 16, the pushed
/// word would lie where the processor saved SS. Pushes are of one word. What comes of it
/// depends on the word: a selector of nothing, such as 0, is as good as any in the kernel.
#[cfg(trapline_mutants)]
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// SS and, below it, SP in Linux' `struct pt_regs`, in words from its start.
    const TOP: [usize; 2] = [20, 19];
    IntoFrame::new(PUSH_INTO_SS, Interrupted, regs.cast(), TOP, !0)
}

/// `lock-prefix-forgotten`: a LOCK prefix that the kernel has taken out, and will put back, can have a trap.
#[cfg(trapline_mutants)]
const LOCK_FORGOTTEN: &str = "lock-prefix-forgotten";

#[cfg(trapline_mutants)]
fn lock_prefix_forgotten() -> bool {
    crate::mutant::is_chosen(LOCK_FORGOTTEN)
}

/// `count-from-trap`: the instruction's length is counted from where the processor would go on,
/// which is already one byte behind the instruction's first.
#[cfg(trapline_mutants)]
const COUNT_FROM_TRAP: &str = "count-from-trap";

#[cfg(trapline_mutants)]
fn resumption(pc: usize) -> usize {
    pc.wrapping_add(usize::from(crate::mutant::is_chosen(COUNT_FROM_TRAP)))
}

/// `arguments-on-top`: the arguments on the stack are looked for where the return address is, as if the
/// function had been jumped to.
#[cfg(trapline_mutants)]
const ARGUMENTS_ON_TOP: &str = "arguments-on-top";

#[cfg(trapline_mutants)]
fn on_top() -> u64 {
    u64::from(!crate::mutant::is_chosen(ARGUMENTS_ON_TOP))
}
