// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ARM: the undefined-instruction hook and a shorter way past it, text through the
 * kernel's own patch_text(), which stops the other CPUs and looks after the caches,
 * and pages for copies of instructions.
 */
#include <linux/build_bug.h>
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/vmalloc.h>

#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/patch.h>
#include <asm/ptrace.h>
#include <asm/traps.h>

#include "../internal.h"
#include "../shim.h"

/*
 * The way here from an undefined instruction does not tell RCU, so on several
 * CPUs it would not wait for a trap that interrupts an idle one.
 */
static_assert(!IS_ENABLED(CONFIG_SMP));

/* The engine does here what ARMv6 does, which ARMv7 does otherwise: see Version. */
static_assert(__LINUX_ARM_ARCH__ == 6);

/*
 * A page of slots is in every process's page table when that is switched to, and
 * neither of its two addresses can be both written and executed.
 */
static_assert(IS_ENABLED(CONFIG_VMAP_STACK));
static_assert(IS_ENABLED(CONFIG_STRICT_KERNEL_RWX));
static_assert(IS_ENABLED(CONFIG_STRICT_MODULE_RWX));

/* In the register that the processor answers a translation with. */
#define FAILED BIT(0)
#define SUPERSECTION BIT(1)

/* An undefined instruction that means nothing to anybody. */
#define NOBODYS_TRAP 0xe7f000f0

static typeof(&register_undef_hook) register_hook;
static typeof(&unregister_undef_hook) unregister_hook;
static typeof(&patch_text) patch_word;

/* What handles an undefined instruction, and the branch to it, which ends the way from the vector. */
static void (*handle)(struct pt_regs *regs);
static u32 *way;

static int trapped(struct pt_regs *regs, unsigned int instruction)
{
	return trapline_trap(regs);
}

/* The kernel's own mode and A32 only: user mode may keep its own use of it. */
static struct undef_hook hook = {
	.instr_mask = 0xffffffff,
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = trapped,
};

/*
 * In its place: what is not for the hook is for it. It may sleep over a process's
 * instruction, and we be unloaded meanwhile: nothing is to be done behind it here.
 */
static void handle_straight(struct pt_regs *regs)
{
	if ((regs->ARM_cpsr & hook.cpsr_mask) == hook.cpsr_val &&
	    *(u32 *)regs->ARM_pc == hook.instr_val && !trapline_trap(regs))
		return;
	handle(regs);
}

/* Whoever branches is two instructions further on already. */
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

	handle = (void *)tl_symbol("do_undefinstr");
	if (!code || !handle)
		return -ENOENT;
	for (i = 0; i < 8 && !way; i++)
		if (code[i] == branch(&code[i], handle))
			way = &code[i];
	distance = (void *)handle_straight - (void *)way;
	if (way && distance < SZ_32M && distance > -SZ_32M)
		return 0;
	pr_err("trapline: __und_fault does not branch to do_undefinstr, or is too far away\n");
	return -ENOENT;
}

void tl_direct_dispatch(bool straight)
{
	cpus_read_lock();
	patch_word(way, branch(way, straight ? (void *)handle_straight : (void *)handle));
	cpus_read_unlock();
}

/* That of a kprobe, without its condition; no header of the kernel's for modules has it. */
#define KPROBE_TRAP 0x07f001f8

bool tl_is_kprobe_trap(const void *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return (word & 0x0fffffff) == KPROBE_TRAP;
}

/* A trap, or the branch that it is optimized to. */
const size_t tl_kprobe_bytes = sizeof(u32);

bool tl_is_rewritten(unsigned long address)
{
	return tl_is_jump_label(address);
}

/*
 * Every stack, a thread's and the interrupts', begins at a multiple of its
 * alignment.
 */
const struct trapline_stacks trapline_stacks = {
	.where = { THREAD_ALIGN - 1 },
	.size = THREAD_SIZE,
};

void tl_arch_exit(void)
{
}

int tl_arch_init(void)
{
	register_hook = (void *)tl_symbol("register_undef_hook");
	unregister_hook = (void *)tl_symbol("unregister_undef_hook");
	patch_word = (void *)tl_symbol("patch_text");
	return register_hook && unregister_hook && patch_word ? find_way() : -ENOENT;
}

/*
 * The unwinder takes for granted that a function has pushed what it will push.
 * (It makes an exception of first instructions, but neighbours that push alike
 * share a row of its table, and it knows only the first one's.) As the function
 * has not, all is as its caller left it.
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
 * The tables describe a function's body, from behind its prologue to before its
 * epilogue. How far that has got only the instruction says. So the engine does that
 * on a copy of the registers first, and asks for what it leads to; where it cannot,
 * the callers are not known.
 */
unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	frames[0] = regs->ARM_pc;
	return 1;
}

const char *const tl_return_thunks[] = { NULL };

/*
 * The processor translates, as for a privileged read, and says so where it
 * cannot; no trap comes between. A supersection is never RAM here.
 */
bool tl_is_ram(unsigned long page)
{
	u32 physical;

	asm volatile("mcr p15, 0, %0, c7, c8, 0" : : "r"(page));
	isb();
	asm volatile("mrc p15, 0, %0, c7, c4, 0" : "=r"(physical));
	return !(physical & (FAILED | SUPERSECTION)) && pfn_valid(PHYS_PFN(physical));
}

/* Its calls come behind what a function does first. */
const bool tl_ftrace_has_entry_calls = false;

int tl_hook_init(void)
{
	hook.instr_val = trapline_trap_word();
	register_hook(&hook);
	return 0;
}

void tl_hook_exit(void)
{
	unregister_hook(&hook);
}

/* With one CPU there is none to stop: interrupts are off for a word at a time. */
void tl_patch(struct shim_patch *patches, size_t count)
{
	size_t i;

	cpus_read_lock();
	for (i = 0; i < count; i++) {
		patch_word((void *)patches[i].address, patches[i].word);
		patches[i].failed = 0;
	}
	cpus_read_unlock();
}

/* The page's other address, where the kernel has all its memory: it is written there. */
static void *writable(unsigned long address)
{
	return page_address(vmalloc_to_page((void *)address)) + offset_in_page(address);
}

void shim_code_range(unsigned long range[2])
{
	range[0] = VMALLOC_START;
	range[1] = VMALLOC_END;
}

static void fill(unsigned long address)
{
	memset32(writable(address), NOBODYS_TRAP, PAGE_SIZE / sizeof(u32));
	__cpuc_flush_dcache_area(writable(address), PAGE_SIZE);
	shim_code_flush(address, PAGE_SIZE);
}

/*
 * A process's page table learns of a new part of the kernel's when it is next
 * switched to; who is running learns by a fault. Here it may, but not in a slot,
 * which what handles the fault may have been sent to.
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
