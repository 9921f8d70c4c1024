// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * arm64: a hook on our own number of BRK, and text through the kernel's own
 * aarch64_insn_patch_text(), which stops the other CPUs and looks after the
 * caches. On the way here the kernel tells RCU, whatever the CPU was doing.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <clocksource/arm_arch_timer.h>

#include <asm/arch_timer.h>
#include <asm/cacheflush.h>
#include <asm/debug-monitors.h>
#include <asm/memory.h>
#include <asm/patching.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

#include "../shim.h"

/* The number in a BRK instruction. */
#define BRK_IMMEDIATE GENMASK(20, 5)

/* What PAR_EL1 has of a page's physical address. */
#define PHYSICAL_ADDRESS GENMASK_ULL(47, 12)

static typeof(&register_kernel_break_hook) register_hook;
static typeof(&unregister_kernel_break_hook) unregister_hook;
static typeof(&aarch64_insn_patch_text) patch_words;
static typeof(&caches_clean_inval_pou) clean_caches;

/* The kernel's own. */
static unsigned long text_start, text_end;

static int trapped(struct pt_regs *regs, unsigned long esr)
{
	return trapline_trap(regs) ? DBG_HOOK_ERROR : DBG_HOOK_HANDLED;
}

static struct break_hook hook = { .fn = trapped };

bool trapline_is_kprobe_trap(const void *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return word == BRK64_OPCODE_KPROBES;
}

bool trapline_rewritten(unsigned long address)
{
	return trapline_is_jump_label(address);
}

/* The architected timer is read in several ways, of which a machine has one, and others for its flawed processors. */
bool trapline_is_clock(unsigned long address)
{
	int cpu;

	if (address == (unsigned long)arch_timer_read_counter)
		return true;
	for_each_possible_cpu(cpu) {
		const struct arch_timer_erratum_workaround *flawed =
			per_cpu(timer_unstable_counter_workaround, cpu);

		if (flawed && (address == (unsigned long)flawed->read_cntpct_el0 ||
			       address == (unsigned long)flawed->read_cntvct_el0))
			return true;
	}
	return false;
}

void trapline_arch_exit(void)
{
}

int trapline_arch_init(void)
{
	register_hook = (void *)trapline_symbol("register_kernel_break_hook");
	unregister_hook = (void *)trapline_symbol("unregister_kernel_break_hook");
	patch_words = (void *)trapline_symbol("aarch64_insn_patch_text");
	clean_caches = (void *)trapline_symbol("caches_clean_inval_pou");
	text_start = trapline_symbol("_stext");
	text_end = trapline_symbol("_etext");
	if (!register_hook || !unregister_hook || !patch_words || !clean_caches ||
	    !text_start || !text_end)
		return -ENOENT;
	return trapline_code_init();
}

/* The unwinder follows frames, and the caller is not in one yet. */
unsigned int trapline_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count)
{
	unsigned long first[] = { regs->pc, regs->regs[30] };
	unsigned int known = min_t(unsigned int, count, ARRAY_SIZE(first));

	memcpy(frames, first, known * sizeof(*first));
	return known + trapline_unwind(regs, 1, frames + known, count - known);
}

/* The frame is gone again before a function is left, whichever way. */
unsigned int trapline_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	return trapline_unwind_entry(regs, frames, count);
}

const char *const trapline_return_thunks[] = { NULL };

/*
 * The processor translates, and says so where it cannot; no trap comes between.
 * What the interrupted code has had translated, it finds where it was.
 */
bool trapline_is_ram(unsigned long page)
{
	u64 interrupted = read_sysreg_par();
	u64 par;

	asm volatile("at s1e1r, %0" : : "r"(page));
	isb();
	par = read_sysreg_par();
	write_sysreg(interrupted, par_el1);
	return !(par & SYS_PAR_EL1_F) &&
	       pfn_is_map_memory(PHYS_PFN(par & PHYSICAL_ADDRESS));
}

const bool trapline_has_calls = true;

int trapline_hook_init(void)
{
	hook.imm = FIELD_GET(BRK_IMMEDIATE, trapline_trap_word());
	register_hook(&hook);
	return 0;
}

void trapline_hook_exit(void)
{
	unregister_hook(&hook);
}

/* As the kernel wants them; under the control lock. */
static void *places[TRAPLINE_PATCHES];
static u32 words[TRAPLINE_PATCHES];

/* The kernel gives up at the first that fails, and does not say which that was. */
static void patch_each(struct shim_patch *patches, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		patches[i].failed = patch_words(&places[i], &words[i], 1) != 0;
}

void trapline_patch(struct shim_patch *patches, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		places[i] = (void *)patches[i].address;
		words[i] = patches[i].word;
		patches[i].failed = 0;
	}
	cpus_read_lock();
	if (patch_words(places, words, count))
		patch_each(patches, count);
	cpus_read_unlock();
}

/*
 * Below the kernel and near enough to it that a branch reaches all of its text
 * from there. The kernel's modules are there too, where its place was not chosen
 * by chance.
 */
void shim_code_range(unsigned long range[2])
{
	range[0] = max_t(unsigned long, MODULES_VADDR, text_end - SZ_128M + PAGE_SIZE);
	range[1] = text_start - PAGE_SIZE;
}

u32 trapline_nobodys_trap(void)
{
	return AARCH64_BREAK_FAULT;
}

/* Who comes there by a trap has returned from one, which is a barrier of its own. */
void shim_code_flush(unsigned long address, size_t length)
{
	clean_caches(address, address + length);
}
