// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * arm64: direct dispatch of BRK with an immediate of our own and of BKPT of 32-bit programs, a
 * break hook where the kernel has such, and text patching by aarch64_insn_patch_text(), which
 * stops the other CPUs and maintains the caches. The kernel's entry path makes RCU watch, also
 * if the CPU was idle.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compat.h>
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/tick.h>

#include <asm/cacheflush.h>
#include <asm/cpufeature.h>
#include <asm/daifflags.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>
#include <asm/memory.h>
#include <asm/pointer_auth.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

#include "../compat/break_hook.h"
#include "../compat/patching.h"
#include "../internal.h"
#include "../shim.h"
#include "../trapline.h"
#include "../unexported.h"
#include "arm64-ways.h"

/*
 * What runs between a BRK and its handler must not trap. With these options it calls code
 * that can.
 */
static_assert(!IS_ENABLED(CONFIG_TRACE_IRQFLAGS),
	      "CONFIG_TRACE_IRQFLAGS (selected by CONFIG_IRQSOFF_TRACER and CONFIG_PROVE_LOCKING): hardirq tracing runs before the handler of each trap. Use a kernel built without it.");
static_assert(!IS_ENABLED(CONFIG_RCU_TRACE),
	      "CONFIG_RCU_TRACE: RCU's tracepoints are on the path to the handler of each trap. Use a kernel built without it.");
/* Aligns stacks to THREAD_ALIGN, as has_stack() in engine/kernel/src/arch/ assumes. */
static_assert(IS_ENABLED(CONFIG_VMAP_STACK));

/* The immediate of a BRK instruction. */
#define BRK_IMMEDIATE GENMASK(20, 5)

/* The physical address of a page in PAR_EL1. */
#define PHYSICAL_ADDRESS GENMASK_ULL(47, 12)

#ifdef TL_HAS_BREAK_HOOK
UNEXPORTED(register_kernel_break_hook);
UNEXPORTED(unregister_kernel_break_hook);
#endif
UNEXPORTED(aarch64_insn_patch_text);
UNEXPORTED(caches_clean_inval_pou);
UNEXPORTED(copy_to_user_page);

/* The kernel's text. */
static unsigned long text_start, text_end;

/* The immediate of our traps. */
static u16 immediate;

typedef COMPAT_BREAK_HANDLER(break_handler);
static break_handler handle_kernel, handle_user, handle_compat;

/* What leads to us while there are traps. */
static struct tl_way ways[] = {
#ifdef TL_HAS_BREAK_HOOK
	{ { "el1_dbg", "el1h_64_sync_handler" }, "do_debug_exception", handle_kernel },
	{ { "el0_dbg", "el0t_64_sync_handler" }, "do_debug_exception", handle_user },
	{ { "el0_dbg", "el0t_32_sync_handler" }, "do_debug_exception", handle_compat },
#else
	{ { "el1_brk64", "el1h_64_sync_handler" }, "do_el1_brk64", handle_kernel },
	{ { "el0_brk64", "el0t_64_sync_handler" }, "do_el0_brk64", handle_user },
	{ { "el0_bkpt32", "el0t_32_sync_handler" }, "do_bkpt32", handle_compat },
#endif
};
static_assert(ARRAY_SIZE(ways) <= TL_WAYS);

enum { KERNEL, USER, COMPAT };

static struct tl_bridge *bridges;

/* Whether the ways lead to them. */
static bool is_bridged;

bool tl_is_stepped(const struct pt_regs *regs)
{
	return test_thread_flag(TIF_SINGLESTEP);
}

/* Without SS the CPU takes its step exception before it executes anything. */
bool tl_end_step(struct pt_regs *regs)
{
	regs->pstate &= ~DBG_SPSR_SS;
	return false;
}

static bool is_ours(unsigned long esr)
{
	return ESR_ELx_EC(esr) == ESR_ELx_EC_BRK64 &&
	       (esr & ESR_ELx_BRK64_ISS_COMMENT_MASK) == immediate;
}

/* Calls what would have been called without us. */
#define pass_on(way, ...) ((break_handler *)ways[way].handle)(__VA_ARGS__)

static COMPAT_BREAK_HANDLER(handle_kernel)
{
	if (!is_ours(esr) || trapline_trap(regs))
		pass_on(KERNEL, COMPAT_BREAK_ARGUMENTS);
}

#ifdef TL_HAS_BREAK_HOOK
/* One of the ways may have both, of 64 and of 32 bits; all exceptions are masked. */
static COMPAT_BREAK_HANDLER(handle_user)
{
	bool is_compat = ESR_ELx_EC(esr) == ESR_ELx_EC_BKPT32;

	if (!(is_compat || is_ours(esr)) || tl_user_trap(regs))
		pass_on(USER, COMPAT_BREAK_ARGUMENTS);
}

static COMPAT_BREAK_HANDLER(handle_compat)
{
	handle_user(COMPAT_BREAK_ARGUMENTS);
}
#else
static bool has_trapped(struct pt_regs *regs)
{
	bool is_not;

	local_daif_mask();
	is_not = tl_user_trap(regs);
	local_daif_restore(DAIF_PROCCTX);
	return !is_not;
}

static COMPAT_BREAK_HANDLER(handle_user)
{
	if (!is_ours(esr) || !has_trapped(regs))
		pass_on(USER, COMPAT_BREAK_ARGUMENTS);
}

static COMPAT_BREAK_HANDLER(handle_compat)
{
	if (!has_trapped(regs))
		pass_on(COMPAT, COMPAT_BREAK_ARGUMENTS);
}
#endif

/* Without the last one, BKPT of 32-bit programs does not come to us. */
static int find_ways(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!tl_find_way(&ways[i]) || (i == COMPAT && ways[i].handle))
			continue;
		pr_err("trapline: neither %s nor %s calls %s\n", ways[i].callers[0],
		       ways[i].callers[1], ways[i].handler);
		return -ENOENT;
	}
	return 0;
}

/* What is emulated is as if transfers of several words need no alignment. */
bool tl_traps_compat(void)
{
	return ways[COMPAT].call && IS_ENABLED(CONFIG_COMPAT_ALIGNMENT_FIXUPS);
}

bool tl_is_kprobe_trap(const void *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return word == BRK64_OPCODE_KPROBES;
}

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
	if (bridges && !is_bridged)
		shim_code_free((unsigned long)bridges);
}

/*
 * With nohz_full= the entry path of a trap takes the lock of an RCU node, to restart the
 * tick. The functions that hold that lock can be probed, and a trap there would deadlock.
 */
int tl_arch_refuse(void)
{
#ifdef CONFIG_NO_HZ_FULL
	if (tick_nohz_full_running) {
		pr_err("trapline: nohz_full= is set: the path from a trap to its handler then takes an RCU lock, and a trap taken while that lock is held would deadlock. Boot without nohz_full= to trace.\n");
		return -EOPNOTSUPP;
	}
#endif
	return 0;
}

int tl_arch_init(void)
{
	int error;

#ifdef TL_HAS_BREAK_HOOK
	if (!tl_resolve(register_kernel_break_hook) || !tl_resolve(unregister_kernel_break_hook))
		return -ENOENT;
#endif
	text_start = tl_symbol("_stext");
	text_end = tl_symbol("_etext");
	if (!text_start || !text_end || !tl_resolve(aarch64_insn_patch_text) ||
	    !tl_resolve(caches_clean_inval_pou) || !tl_resolve(copy_to_user_page))
		return -ENOENT;
	error = find_ways() ?: tl_exec_mem_init();
	if (error)
		return error;
	bridges = tl_build_bridges(ways, ARRAY_SIZE(ways));
	return bridges ? 0 : -ENOMEM;
}

/* The unwinder follows frame records, and at the entry there is none for the caller yet. */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count)
{
	unsigned long first[] = { regs->pc, regs->regs[30] };
	unsigned int known = min_t(unsigned int, count, ARRAY_SIZE(first));

	memcpy(frames, first, known * sizeof(*first));
	return known + tl_unwind(regs, 1, frames + known, count - known);
}

/* An instruction that leaves a function comes after the frame record has been popped. */
unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	return tl_unwind_entry(regs, frames, count);
}

const char *const tl_return_thunks[] = { NULL };

size_t tl_landing_pad(unsigned long address)
{
	return 0;
}

/*
 * Has the processor translate the address. No trap of ours can come between the request
 * and its result: this code is not probed. PAR_EL1 is restored, as the interrupted code
 * may be about to read it.
 */
bool tl_is_ram(unsigned long page)
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

const bool tl_ftrace_has_entry_calls = true;

#ifdef TL_HAS_BREAK_HOOK
/* For a trap that is on its way while the last one is taken out. */
static int trapped(struct pt_regs *regs, unsigned long esr)
{
	return trapline_trap(regs) ? DBG_HOOK_ERROR : DBG_HOOK_HANDLED;
}

static struct break_hook hook = { .fn = trapped };

static void register_break(void)
{
	hook.imm = immediate;
	tl_unexported(register_kernel_break_hook)(&hook);
}

static void unregister_break(void)
{
	tl_unexported(unregister_kernel_break_hook)(&hook);
}
#else
static void register_break(void) { }
static void unregister_break(void) { }
#endif

int tl_hook_init(void)
{
	immediate = FIELD_GET(BRK_IMMEDIATE, trapline_trap_word());
	register_break();
	return 0;
}

void tl_hook_exit(void)
{
	unregister_break();
	if (is_bridged)
		tl_leave_bridges(ways, bridges, ARRAY_SIZE(ways));
}

/* Arguments of aarch64_insn_patch_text(); protected by the control lock. */
static void *places[TL_PATCHES];
static u32 words[TL_PATCHES];

/* The kernel stops at the first failure, and does not report which it was. */
static void patch_each(struct shim_patch *patches, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		patches[i].failed = tl_unexported(aarch64_insn_patch_text)(&places[i], &words[i], 1) != 0;
}

void tl_patch(struct shim_patch *patches, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		places[i] = (void *)patches[i].address;
		words[i] = patches[i].word;
		patches[i].failed = 0;
	}
	cpus_read_lock();
	if (tl_unexported(aarch64_insn_patch_text)(places, words, count))
		patch_each(patches, count);
	cpus_read_unlock();
}

/*
 * Without a hook, a trap that is on its way must find us. Those of the kernel have: each CPU has
 * been stopped since the last one was taken out, which it cannot be on that way. Those of
 * processes may have been preempted there.
 */
static void await_traps(void)
{
#ifndef TL_HAS_BREAK_HOOK
	synchronize_rcu_tasks();
#endif
}

int tl_direct_dispatch(bool straight)
{
	int error;

	if (!straight)
		await_traps();
	error = tl_lead_ways(ways, bridges, ARRAY_SIZE(ways), straight);
	if (!error)
		is_bridged = straight;
	return error;
}

/*
 * Below the kernel, and so near that a branch reaches all of its text. Without KASLR the
 * modules are in this range too.
 */
void shim_code_range(unsigned long range[2])
{
	range[0] = max_t(unsigned long, MODULES_VADDR, text_end - SZ_128M + PAGE_SIZE);
	range[1] = text_start - PAGE_SIZE;
}

u32 tl_poison_trap(void)
{
	return AARCH64_BREAK_FAULT;
}

/*
 * A CPU enters a slot by an exception return, which synchronises its instruction stream; and
 * the bridge by a BL that aarch64_insn_patch_text() has written, with an ISB on every CPU.
 */
void shim_code_flush(unsigned long address, size_t length)
{
	tl_unexported(caches_clean_inval_pou)(address, address + length);
}

const char *const tl_syscall_abis[] = { "arm64", "compat", NULL };

const bool tl_sys_exit_in_children = false;

const bool tl_traps_are_nmis = false;

const bool tl_traps_are_watched = true;

#ifdef CONFIG_ARM64_PTR_AUTH
static __always_inline void switch_keys(bool to_user)
{
	const struct thread_struct *thread = &current->thread;

	if (!(thread->sctlr_user & SCTLR_ELx_ENIA))
		sysreg_clear_set(sctlr_el1, to_user ? SCTLR_ELx_ENIA : 0, to_user ? 0 : SCTLR_ELx_ENIA);
#ifdef CONFIG_ARM64_PTR_AUTH_KERNEL
	else if (to_user)
		__ptrauth_key_install_nosync(APIA, thread->keys_user.apia);
	else
		__ptrauth_key_install_nosync(APIA, thread->keys_kernel.apia);
#endif
	isb();
}
#else
static void switch_keys(bool to_user) { }
#endif

/*
 * PACIASP is emulated with the key that is in effect, which in a trap is the kernel's, if
 * that has one. It is the thread's meanwhile, or none if that is disabled. No return address
 * may be signed with one and checked with the other, so this function switches both ways.
 */
int tl_with_user_keys(tl_user_handler *handle, struct pt_regs *regs, unsigned long site,
		      struct shim_access *access)
{
	int outcome;

	if (!system_supports_address_auth())
		return handle(regs, site, access);
	switch_keys(true);
	outcome = handle(regs, site, access);
	switch_keys(false);
	return outcome;
}

/* In Thumb state an instruction may be in an IT block, of which the status tells. */
void tl_continue(struct pt_regs *regs, const struct tl_place *to)
{
	const u64 state = PSR_AA32_T_BIT | PSR_AA32_IT_MASK;

	instruction_pointer_set(regs, to->pc);
	if (compat_user_mode(regs))
		regs->pstate = (regs->pstate & ~state) | to->status;
}

/* Of a branch, less a page. */
unsigned long tl_slot_reach(bool is_compat)
{
	return is_compat ? ULONG_MAX : SZ_128M - PAGE_SIZE;
}

/* An undefined instruction of A32. */
u32 tl_slot_filling(bool is_compat)
{
	return is_compat ? 0xe7f000f0 : tl_poison_trap();
}

const size_t tl_trap_advance;

bool tl_is_compat(struct task_struct *task)
{
	return is_compat_thread(task_thread_info(task));
}

/* The caches' owner knows which are not coherent; it is not exported. */
void tl_write_text(struct vm_area_struct *area, struct page *page, unsigned long address,
		   void *to, const void *from, size_t length)
{
	tl_unexported(copy_to_user_page)(area, page, address, to, from, length);
}

/* The entry path has masked all exceptions, and nothing else keeps the thread from sleeping. */
void tl_unmask_trap(void)
{
	local_daif_restore(DAIF_PROCCTX);
}

void tl_mask_trap(void)
{
	local_daif_mask();
}
