// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ARM: the undefined-instruction hook, direct dispatch past it, text patching while the
 * other CPUs are stopped, and pages of slots.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/vmalloc.h>

#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/ptrace.h>
#include <asm/traps.h>

#include "../compat/patching.h"
#include "../internal.h"
#include "../shim.h"
#include "../trapline.h"
#include "../unexported.h"

/* Cache maintenance reaches the other CPUs from ARMv7 on. */
static_assert(!IS_ENABLED(CONFIG_SMP) || __LINUX_ARM_ARCH__ >= 7);

static_assert(!IS_ENABLED(CONFIG_THUMB2_KERNEL),
	      "CONFIG_THUMB2_KERNEL: the kernel's functions are in Thumb state, which is not traced. Use a kernel built without it.");
static_assert(!IS_ENABLED(CONFIG_ARM_LPAE),
	      "CONFIG_ARM_LPAE: the Physical Address Register has another format. Use a kernel built without it.");
/* It forbids tail calls. */
static_assert(!IS_ENABLED(CONFIG_FRAME_POINTER),
	      "CONFIG_FRAME_POINTER: without a tail call the trap handler returns into the module after it may have been unloaded. Use a kernel built with CONFIG_UNWINDER_ARM instead.");

/*
 * VMAP_STACK: switching to a process updates its page table with new vmalloc mappings,
 * such as pages of slots. STRICT_*_RWX: neither mapping of such a page is both writable
 * and executable.
 */
static_assert(IS_ENABLED(CONFIG_VMAP_STACK));
static_assert(IS_ENABLED(CONFIG_STRICT_KERNEL_RWX));
static_assert(IS_ENABLED(CONFIG_STRICT_MODULE_RWX));

/* Bits of the Physical Address Register. */
#define FAILED BIT(0)
#define SUPERSECTION BIT(1)

/* An undefined instruction that no hook handles. */
#define NOBODYS_TRAP 0xe7f000f0

UNEXPORTED(register_undef_hook);
UNEXPORTED(unregister_undef_hook);
UNEXPORTED(__patch_text_real);
UNEXPORTED(copy_to_user_page);

/* Not every kernel's headers declare it. */
void do_undefinstr(struct pt_regs *regs);

UNEXPORTED(do_undefinstr);

/* Its address, and the branch to it that ends __und_fault. */
static void *handler;
static u32 *way;

static int trapped(struct pt_regs *regs, unsigned int instruction)
{
	return trapline_trap(regs);
}

/* SVC mode and A32 only: the instruction may have another meaning in user mode. */
static struct undef_hook hook = {
	.instr_mask = 0xffffffff,
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = trapped,
};

/* The architecture has no single step: debuggers place breakpoints. */
bool tl_is_stepped(const struct pt_regs *regs)
{
	return false;
}

bool tl_end_step(struct pt_regs *regs)
{
	return false;
}

static int handle_user(struct pt_regs *regs)
{
	int error;

	local_irq_disable();
	error = tl_user_trap(regs);
	local_irq_enable();
	return error;
}

/* For a thread that was on its way while direct dispatch was switched off. */
static int trapped_in_user(struct pt_regs *regs, unsigned int instruction)
{
	return handle_user(regs);
}

static struct undef_hook user_hook = {
	.instr_mask = 0xffffffff,
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = USR_MODE,
	.fn = trapped_in_user,
};

/* The same for Thumb's two traps: see trap() in engine/isa/src/arm/abi.rs. */
static struct undef_hook thumb_hooks[] = {
	{
		.instr_mask = 0xffffffff,
		.instr_val = 0xdefb,
		.cpsr_mask = MODE_MASK | PSR_T_BIT,
		.cpsr_val = USR_MODE | PSR_T_BIT,
		.fn = trapped_in_user,
	},
	{
		.instr_mask = 0xffffffff,
		.instr_val = 0xf7f0a0fb,
		.cpsr_mask = MODE_MASK | PSR_T_BIT,
		.cpsr_val = USR_MODE | PSR_T_BIT,
		.fn = trapped_in_user,
	},
};

/*
 * Called instead of do_undefinstr(), which is passed the traps that are not ours. It may
 * sleep while it reads a user instruction, and the module may be unloaded meanwhile, so
 * the call must be a tail call: nothing may follow it here.
 */
static void handle_straight(struct pt_regs *regs)
{
	if (user_mode(regs) && !handle_user(regs))
		return;
	if ((regs->ARM_cpsr & hook.cpsr_mask) == hook.cpsr_val &&
	    *(u32 *)regs->ARM_pc == hook.instr_val && !trapline_trap(regs))
		return;
	tl_unexported(do_undefinstr)(regs);
}

/* A branch is relative to the pc, which is two instructions ahead. */
static u32 branch(const u32 *from, const void *to)
{
	const u32 always = 0xea000000;

	return always | (((const u32 *)to - from - 2) & 0x00ffffff);
}

static int find_way(void)
{
	u32 *code = (void *)tl_symbol("__und_fault");
	ptrdiff_t distance;
	size_t i;

	if (!code || !tl_resolve(do_undefinstr))
		return -ENOENT;
	handler = (void *)tl_symbol("do_undefinstr");
	for (i = 0; i < 8 && !way; i++)
		if (code[i] == branch(&code[i], handler))
			way = &code[i];
	distance = (void *)handle_straight - (void *)way;
	if (way && distance < SZ_32M && distance > -SZ_32M)
		return 0;
	pr_err("trapline: __und_fault does not branch to do_undefinstr, or is too far away\n");
	return -ENOENT;
}

int tl_direct_dispatch(bool straight)
{
	struct shim_patch patch = {
		.address = (unsigned long)way,
		.word = branch(way, straight ? handle_straight : handler),
	};

	tl_patch(&patch, 1);
	return 0;
}

/* A kprobe's trap, without its condition field. No header available to modules defines it. */
#define KPROBE_TRAP 0x07f001f8

bool tl_is_kprobe_trap(const void *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return (word & 0x0fffffff) == KPROBE_TRAP;
}

/* A trap, or the branch of an optimized kprobe. */
const size_t tl_kprobe_bytes = sizeof(u32);

bool tl_is_rewritten(unsigned long address)
{
	return tl_is_jump_label(address);
}

/*
 * where[0] is a mask: every stack, a thread's or the interrupts', starts at a multiple of
 * THREAD_ALIGN, so the masked stack pointer is the number of bytes left.
 */
const struct trapline_stacks trapline_stacks = {
	.where = { THREAD_ALIGN - 1 },
	.size = THREAD_SIZE,
};

void tl_arch_exit(void)
{
}

int tl_arch_refuse(void)
{
	return 0;
}

int tl_arch_init(void)
{
	if (!tl_resolve(register_undef_hook) || !tl_resolve(unregister_undef_hook) ||
	    !tl_resolve(__patch_text_real) || !tl_resolve(copy_to_user_page))
		return -ENOENT;
	return find_way();
}

/*
 * The unwinder assumes that the prologue has run. (It makes an exception for a function's
 * first instruction, but adjacent functions with equal prologues share a table entry, and
 * it recognises only the first function's.) At the entry nothing has been pushed, so the
 * unwinder starts in the caller.
 */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count)
{
	struct pt_regs caller = *regs;

	caller.ARM_pc = regs->ARM_lr;
	frames[0] = regs->ARM_pc;
	if (count == 1)
		return 1;
	return 1 + tl_unwind(&caller, 0, frames + 1, count - 1);
}

/*
 * The unwind tables describe a function's body, between prologue and epilogue; how much
 * of the epilogue has run is known only from the displaced instruction. So the engine
 * emulates that on a copy of the registers first, and uses SHIM_CALLER. Where it cannot,
 * the callers are unknown.
 */
unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	frames[0] = regs->ARM_pc;
	return 1;
}

const char *const tl_return_thunks[] = { NULL };

size_t tl_landing_pad(unsigned long address)
{
	return 0;
}

/*
 * Has the processor translate the address, as for a privileged read. No trap of ours can
 * come between the request and its result: this code is not probed. RAM is never mapped
 * by supersections here.
 */
bool tl_is_ram(unsigned long page)
{
	u32 physical;

	asm volatile("mcr p15, 0, %0, c7, c8, 0" : : "r"(page));
	isb();
	asm volatile("mrc p15, 0, %0, c7, c4, 0" : "=r"(physical));
	return !(physical & (FAILED | SUPERSECTION)) && pfn_valid(PHYS_PFN(physical));
}

/* On ARM the call comes after a function's first instructions. */
const bool tl_ftrace_has_entry_calls = false;

int tl_hook_init(void)
{
	size_t i;

	hook.instr_val = trapline_trap_word();
	user_hook.instr_val = trapline_trap_word();
	tl_unexported(register_undef_hook)(&hook);
	tl_unexported(register_undef_hook)(&user_hook);
	for (i = 0; i < ARRAY_SIZE(thumb_hooks); i++)
		tl_unexported(register_undef_hook)(&thumb_hooks[i]);
	return 0;
}

void tl_hook_exit(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(thumb_hooks); i++)
		tl_unexported(unregister_undef_hook)(&thumb_hooks[i]);
	tl_unexported(unregister_undef_hook)(&user_hook);
	tl_unexported(unregister_undef_hook)(&hook);
}

struct batch {
	struct shim_patch *patches;
	size_t count;
	atomic_t arrived;
	bool is_written;
};

/* Runs on every CPU, with interrupts disabled. The first to arrive writes. */
static int patch_while_stopped(void *data)
{
	struct batch *batch = data;
	size_t i;

	if (atomic_inc_return(&batch->arrived) == 1) {
		for (i = 0; i < batch->count; i++)
			tl_unexported(__patch_text_real)((void *)batch->patches[i].address,
							 batch->patches[i].word, true);
		smp_store_release(&batch->is_written, true);
	} else {
		smp_cond_load_acquire(&batch->is_written, VAL);
		/* What has been fetched may be the old text. */
		isb();
	}
	return 0;
}

static void patch_at_once(struct shim_patch *patches, size_t count)
{
	struct batch batch = { .patches = patches, .count = count };

	stop_machine(patch_while_stopped, &batch, cpu_online_mask);
}

/*
 * A CPU that takes a trap has interrupts disabled until the trap has been recognised, so none
 * is on its way to the handler while the CPUs are stopped. With one CPU there is none to stop:
 * interrupts are disabled for one word at a time.
 */
void tl_patch(struct shim_patch *patches, size_t count)
{
	size_t piece = IS_ENABLED(CONFIG_SMP) ? count : 1, i;

	for (i = 0; i < count; i++)
		patches[i].failed = 0;
	for (i = 0; i < count; i += piece)
		patch_at_once(&patches[i], piece);
}

/* The page's alias in the linear map, through which it is written. */
static void *writable(unsigned long address)
{
	return page_address(vmalloc_to_page((void *)address)) + offset_in_page(address);
}

void shim_code_range(unsigned long range[2])
{
	range[0] = VMALLOC_START;
	range[1] = VMALLOC_END;
}

u32 tl_poison_trap(void)
{
	return NOBODYS_TRAP;
}

static void fill(unsigned long address)
{
	memset32(writable(address), tl_poison_trap(), PAGE_SIZE / sizeof(u32));
	__cpuc_flush_dcache_area(writable(address), PAGE_SIZE);
	shim_code_flush(address, PAGE_SIZE);
}

/*
 * A process's page table receives a new vmalloc mapping when it is next switched to, or,
 * in the running process, by a fault on the first access. That fault is taken here. It
 * must not be taken in a slot: the fault handler's own functions may have been sent to a
 * slot of the same page. Another CPU switches to its stopper thread, which also updates the
 * page table that it keeps, before a site is patched that would send it to a new slot.
 */
static void know(void *address)
{
	READ_ONCE(*(u32 *)address);
}

unsigned long shim_code_alloc(void)
{
	struct page *page = alloc_page(GFP_KERNEL);
	pgprot_t access = __pgprot_modify(PAGE_KERNEL_EXEC, 0, L_PTE_RDONLY);
	void *address;

	if (!page)
		return 0;
	address = vmap(&page, 1, VM_MAP, access);
	if (!address) {
		__free_page(page);
		return 0;
	}
	fill((unsigned long)address);
	know(address);
	tl_memory_count(1);
	return (unsigned long)address;
}

void shim_code_free(unsigned long address)
{
	struct page *page = vmalloc_to_page((void *)address);

	vunmap((void *)address);
	__free_page(page);
	tl_memory_count(-1);
}

void shim_code_write(unsigned long address, const void *bytes, size_t length)
{
	memcpy(writable(address), bytes, length);
	__cpuc_flush_dcache_area(writable(address), length);
}

void shim_code_flush(unsigned long address, size_t length)
{
	flush_icache_range(address, address + length);
}

const char *const tl_syscall_abis[] = { "arm", NULL };

const bool tl_sys_exit_in_children = false;

const bool tl_traps_are_nmis = false;

/* The entry path of an undefined instruction does not make RCU watch. */
const bool tl_traps_are_watched = false;

/* In Thumb state an instruction may be in an IT block, of which the status tells. */
void tl_continue(struct pt_regs *regs, const struct tl_place *to)
{
	const u32 state = PSR_T_BIT | PSR_IT_MASK;

	regs->ARM_pc = to->pc;
	regs->ARM_cpsr = (regs->ARM_cpsr & ~state) | to->status;
}

unsigned long tl_slot_reach(bool is_compat)
{
	return ULONG_MAX;
}

u32 tl_slot_filling(bool is_compat)
{
	return tl_poison_trap();
}

const size_t tl_trap_advance;

bool tl_is_compat(struct task_struct *task)
{
	return false;
}

bool tl_traps_compat(void)
{
	return false;
}

/* The caches' owner knows which are not coherent; it is not exported. */
void tl_write_text(struct vm_area_struct *area, struct page *page, unsigned long address,
		   void *to, const void *from, size_t length)
{
	tl_unexported(copy_to_user_page)(area, page, address, to, from, length);
}

/* The kernel handles an undefined instruction of user mode with interrupts enabled. */
void tl_unmask_trap(void)
{
	local_irq_enable();
}

void tl_mask_trap(void)
{
	local_irq_disable();
}
