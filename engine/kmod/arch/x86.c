// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x86-64: a die notifier, which receives each INT3 that the kernel does not know, direct
 * dispatch past it, and text patching by text_poke(). The handler runs as in an NMI: the
 * entry path has made RCU watch, also if the CPU was idle.
 */
#include <linux/bsearch.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <asm/cpu_entry_area.h>
#include <asm/e820/api.h>
#include <asm/ibt.h>
#include <asm/ptrace.h>

#include "../compat/percpu.h"
#include "../compat/text_poke.h"
#include "../internal.h"
#include "../shim.h"
#include "../trapline.h"
#include "../unexported.h"

/*
 * What runs between an INT3 and its handler must not trap. With these options it calls
 * code that can.
 */
static_assert(!IS_ENABLED(CONFIG_TRACE_IRQFLAGS),
	      "CONFIG_TRACE_IRQFLAGS: tracers of interrupts are on the path to the handler of each trap. Use a kernel built without it.");
static_assert(!IS_ENABLED(CONFIG_RCU_TRACE),
	      "CONFIG_RCU_TRACE: RCU's tracepoints are on the path to the handler of each trap. Use a kernel built without it.");

static_assert(IS_ENABLED(CONFIG_SMP),
	      "CONFIG_SMP: a firing finds its thread's stack through per-CPU data. Use a kernel built with it.");

/* Without them a switch may jump through a table, which would count as a tail call. */
static_assert(IS_ENABLED(CONFIG_RETPOLINE) || IS_ENABLED(CONFIG_MITIGATION_RETPOLINE),
	      "CONFIG_RETPOLINE: without it a jump inside a function looks like a return from it. Use a kernel built with it.");

/*
 * The Rust half returns through this, whatever kernel it was compiled for. Kernels without
 * the mitigation have none.
 */
#if !defined(CONFIG_RETHUNK) && !defined(CONFIG_MITIGATION_RETHUNK)
asm(".pushsection .text\n"
    ".globl __x86_return_thunk\n"
    ".type __x86_return_thunk, @function\n"
    "__x86_return_thunk:\n"
    "	ret\n"
    "	int3\n"
    ".size __x86_return_thunk, . - __x86_return_thunk\n"
    ".popsection\n");
#endif

UNEXPORTED(text_poke);
UNEXPORTED(COMPAT_POKE_RUNNING);
UNEXPORTED(COMPAT_POKE_SYNC);

/* text_mutex. */
static struct mutex *text_lock;

/* Kernel mode only: one of ours in user mode takes the direct way, which may sleep. */
static int trapped(struct notifier_block *self, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != DIE_INT3 || user_mode(args->regs))
		return NOTIFY_DONE;
	return trapline_trap(args->regs) ? NOTIFY_DONE : NOTIFY_STOP;
}

static struct notifier_block hook = {
	.notifier_call = trapped,
	.priority = INT_MAX,
};

/*
 * The first function on the path of a trap that a tracer can see. kprobe_int3_handler() returns an int,
 * which is 0 or 1.
 */
static bool (*handler)(struct pt_regs *regs);
DEFINE_STATIC_CALL_NULL(tl_handler, *handler);

/* Called instead of it, and passes on to it the traps that are not ours. */
static int handle_straight(struct pt_regs *regs)
{
	if (!(user_mode(regs) ? tl_user_trap(regs) : trapline_trap(regs)))
		return 1;
	return static_call(tl_handler)(regs);
}

/*
 * Called instead of trace_osnoise_callback() at the end of each NMI, an INT3 being one. That has a
 * tracepoint, and what a consumer of it runs can have probes: a trap would end with a trap, and so on.
 * What the kernel tells osnoise before the handler, and the hwlat tracer, leads to no tracepoint.
 */
static void ignore_osnoise(bool is_begin)
{
}

/* Calls in the kernel's text: where, what they call, and what they call while a trap is armed. */
static struct way {
	u8 *at;
	void *kernels, *ours;
} ways[3];
static size_t way_count;

bool tl_is_stepped(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_TF;
}

bool tl_end_step(struct pt_regs *regs)
{
	return true;
}

void tl_continue(struct pt_regs *regs, const struct tl_place *to)
{
	instruction_pointer_set(regs, to->pc);
}

/* Of a jump, and of an address relative to the pc, less what that may add to the site's own. */
unsigned long tl_slot_reach(bool is_compat)
{
	return SZ_1G;
}

u32 tl_slot_filling(bool is_compat)
{
	return tl_poison_trap();
}

const size_t tl_trap_advance = INT3_INSN_SIZE;

/* Not by its registers: the stack that they are on is gone when the task has ended. */
bool tl_is_compat(struct task_struct *task)
{
	return test_tsk_thread_flag(task, TIF_ADDR32);
}

bool tl_traps_compat(void)
{
	return false;
}

void tl_write_text(struct vm_area_struct *area, struct page *page, unsigned long address,
		   void *to, const void *from, size_t length)
{
	memcpy(to, from, length);
}

/* The entry path has disabled interrupts, and nothing else keeps the thread from sleeping. */
void tl_unmask_trap(void)
{
	local_irq_enable();
}

void tl_mask_trap(void)
{
	local_irq_disable();
}

static void write_call(u8 call[CALL_INSN_SIZE], const u8 *from, const void *to)
{
	s32 distance = (u8 *)to - (from + CALL_INSN_SIZE);

	call[0] = CALL_INSN_OPCODE;
	memcpy(call + 1, &distance, sizeof(distance));
}

/*
 * Searches at every byte, since instruction boundaries are unknown. Only a call to the
 * function has these bytes. Returns that function if there are as many calls as expected.
 */
static void *find_calls(const char *from, const char *function, void *ours, size_t expected)
{
	u8 *code = (void *)tl_symbol(from);
	void *kernels = (void *)tl_symbol(function);
	u8 call[CALL_INSN_SIZE];
	size_t i;

	for (i = 0; code && kernels && expected && i < 512; i++) {
		write_call(call, code + i, kernels);
		if (memcmp(code + i, call, sizeof(call)))
			continue;
		ways[way_count++] = (struct way){ code + i, kernels, ours };
		expected--;
	}
	return expected ? NULL : kernels;
}

/*
 * exc_int3() has two calls, for kernel and user mode, of do_int3(), or, where that is inlined, of what it calls.
 * With CONFIG_KGDB_LOW_LEVEL_TRAP kgdb comes first there.
 */
static int find_ways(void)
{
	if (!IS_ENABLED(CONFIG_KGDB_LOW_LEVEL_TRAP))
		handler = find_calls("exc_int3", "kprobe_int3_handler", handle_straight, 2);
	if (!handler) {
		way_count = 0;
		handler = find_calls("exc_int3", "do_int3", handle_straight, 2);
	}
	if (!handler) {
		pr_err("trapline: exc_int3 does not call the handler of traps twice\n");
		return -ENOENT;
	}
	static_call_update(tl_handler, handler);
	if (!IS_ENABLED(CONFIG_OSNOISE_TRACER) ||
	    find_calls("irqentry_nmi_exit", "trace_osnoise_callback", ignore_osnoise, 1))
		return 0;
	pr_err("trapline: irqentry_nmi_exit does not call trace_osnoise_callback\n");
	return -ENOENT;
}

/* COMPAT_POKE_RUNNING() emulates the new call for a CPU that executes one while it is replaced. */
int tl_direct_dispatch(bool straight)
{
	u8 call[CALL_INSN_SIZE];
	const struct way *way;

	mutex_lock(text_lock);
	for (way = ways; way < ways + way_count; way++) {
		write_call(call, way->at, straight ? way->ours : way->kernels);
		tl_unexported(COMPAT_POKE_RUNNING)(way->at, call, sizeof(call), NULL);
	}
	mutex_unlock(text_lock);
	return 0;
}

bool tl_is_kprobe_trap(const void *bytes)
{
	return *(const u8 *)bytes == INT3_INSN_OPCODE;
}

/* A trap, or the jump of an optimized kprobe. */
const size_t tl_kprobe_bytes = JMP32_INSN_SIZE;

/*
 * The sorted addresses of the kernel's own jump labels and static calls. The kernel's
 * lookup searches the whole table and decodes the text for each address; for a hundred
 * thousand addresses that would take minutes.
 */
static unsigned long *rewritten;
static size_t rewritten_count;

static int compare(const void *one, const void *other)
{
	unsigned long a = *(const unsigned long *)one, b = *(const unsigned long *)other;

	return a < b ? -1 : a > b;
}

static int find_rewritten(void)
{
	const struct jump_entry *label = (void *)tl_symbol("__start___jump_table");
	const struct jump_entry *labels_end = (void *)tl_symbol("__stop___jump_table");
	const struct static_call_site *site = (void *)tl_symbol("__start_static_call_sites");
	const struct static_call_site *sites_end = (void *)tl_symbol("__stop_static_call_sites");
	size_t count = labels_end - label + (sites_end - site);

	if (!label || !labels_end || !site || !sites_end)
		return -ENOENT;
	rewritten = kvmalloc_array(count, sizeof(*rewritten), GFP_KERNEL);
	if (!rewritten)
		return -ENOMEM;
	for (; label < labels_end; label++)
		rewritten[rewritten_count++] = jump_entry_code(label);
	for (; site < sites_end; site++)
		rewritten[rewritten_count++] = (unsigned long)&site->addr + site->addr;
	sort(rewritten, rewritten_count, sizeof(*rewritten), compare, NULL);
	return 0;
}

void tl_arch_exit(void)
{
	kvfree(rewritten);
}

/* `address` is the start of an instruction, so only equal addresses match. */
bool tl_is_rewritten(unsigned long address)
{
	return bsearch(&address, rewritten, rewritten_count, sizeof(*rewritten), compare);
}

/* The per-CPU offset of `current`, and the offset of the stack's base in a task_struct. */
const struct trapline_stacks trapline_stacks = {
	.where = { (unsigned long)&COMPAT_CURRENT_TASK, offsetof(struct task_struct, stack) },
	.size = THREAD_SIZE,
};

/* Per CPU: the top of the interrupt stack, and the IST stacks of exceptions. */
static void *__percpu *irq_stack;
static struct cea_exception_stacks *__percpu *exception_stacks;

static int find_stacks(void)
{
	irq_stack = COMPAT_IRQ_STACK;
	exception_stacks = (typeof(exception_stacks))tl_symbol("cea_exception_stacks");
	return irq_stack && exception_stacks ? 0 : -ENOENT;
}

/* Whether `bytes` are left below `sp` on a stack; true if `sp` is not on it. */
static bool is_left(unsigned long sp, unsigned long bottom, size_t size, size_t bytes)
{
	return sp - bottom >= size || sp - bottom >= bytes;
}

/*
 * A stack that is none of these counts as having room. During a context switch it is the
 * next thread's, which has as much left as when that thread was switched out.
 */
int shim_other_stack(size_t bytes)
{
	struct cea_exception_stacks *stacks = *raw_cpu_ptr(exception_stacks);
	unsigned long sp = current_stack_pointer;
	unsigned long irq;

	/* hardirq_stack_ptr points to the last word of the stack. */
	irq = (unsigned long)*raw_cpu_ptr(irq_stack) + sizeof(long) - IRQ_STACK_SIZE;
	return sp - (unsigned long)current->stack >= THREAD_SIZE &&
	       is_left(sp, irq, IRQ_STACK_SIZE, bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, NMI), CEA_ESTACK_SIZE(NMI), bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, DB), CEA_ESTACK_SIZE(DB), bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, MCE), CEA_ESTACK_SIZE(MCE), bytes);
}

int tl_arch_refuse(void)
{
	return 0;
}

int tl_arch_init(void)
{
	text_lock = (void *)tl_symbol("text_mutex");
	if (!text_lock || !tl_resolve(text_poke) || !tl_resolve(COMPAT_POKE_RUNNING) ||
	    !tl_resolve(COMPAT_POKE_SYNC))
		return -ENOENT;
	return find_stacks() ?: find_ways() ?: find_rewritten() ?: tl_exec_mem_init();
}

/*
 * The ORC unwinder looks up the exact instruction, which is before the saved ip. The frame-pointer
 * unwinder starts at the frame of the register, which at a function's first and last instruction is the
 * caller's, and would leave out the caller. Only where ip is 0, as after a call through a null pointer, it
 * finds the return address on the top of the stack first.
 */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count)
{
	struct pt_regs entry = *regs;
	unsigned int found;

	entry.ip -= INT3_INSN_SIZE;
	if (!IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER))
		return tl_unwind(&entry, 0, frames, count);
	entry.ip = 0;
	found = tl_unwind(&entry, 0, frames, count);
	if (found)
		frames[0] = regs->ip - INT3_INSN_SIZE;
	return found;
}

unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	return tl_unwind_entry(regs, frames, count);
}

/*
 * ENDBR64, or what the kernel has put in its place where it makes no indirect call. A trap in
 * its place would be one on what must begin with it.
 */
size_t tl_landing_pad(unsigned long address)
{
#ifdef CONFIG_X86_KERNEL_IBT
	u32 word;

	if (!shim_peek(address, &word, sizeof(word)) &&
	    (word == gen_endbr() || word == gen_endbr_poison()))
		return sizeof(word);
#endif
	return 0;
}

/* One for each mitigation. Without one, a return is a plain RET. */
const char *const tl_return_thunks[] = {
	"__x86_return_thunk",
	"retbleed_return_thunk",
	"srso_return_thunk",
	"srso_alias_return_thunk",
	"its_return_thunk",
	"call_depth_return_thunk",
	NULL,
};

/*
 * Device memory is mapped uncached or write-combining, so a cached mapping is RAM; except
 * for the ISA range of the first megabyte, which the kernel maps as if it were RAM.
 */
static bool is_cached_ram(pte_t entry, unsigned long pfn, pteval_t uncached)
{
	if (!(pte_flags(entry) & _PAGE_PRESENT) || (pte_flags(entry) & uncached))
		return false;
	return pfn_valid(pfn) && !is_ISA_range(PFN_PHYS(pfn), PFN_PHYS(pfn));
}

bool tl_is_ram(unsigned long page)
{
	unsigned int level;
	pte_t *entry = lookup_address(page, &level);
	pteval_t uncached = _PAGE_PCD | _PAGE_PWT;
	unsigned long within;

	if (!entry)
		return false;
	uncached |= level == PG_LEVEL_4K ? _PAGE_PAT : _PAGE_PAT_LARGE;
	within = PHYS_PFN(page & ~page_level_mask(level));
	return is_cached_ram(*entry, pte_pfn(*entry) + within, uncached);
}

const bool tl_ftrace_has_entry_calls = true;

int tl_hook_init(void)
{
	return register_die_notifier(&hook);
}

void tl_hook_exit(void)
{
	unregister_die_notifier(&hook);
}

/* The length of the leading run of patches at ascending addresses in one page. */
static size_t in_a_page(const struct shim_patch *patches, size_t count)
{
	size_t n = 1;

	while (n < count && patches[n].address > patches[n - 1].address &&
	       patches[n].address >> PAGE_SHIFT == patches->address >> PAGE_SHIFT)
		n++;
	return n;
}

/*
 * The cost of text_poke() hardly depends on the length, so a run of patches is written at
 * once, with the unchanged text in between. Of each word only the first byte is used, the
 * INT3 or the byte that it displaced; a single byte is replaced atomically.
 */
static void patch_page(struct shim_patch *patches, size_t count)
{
	static u8 text[PAGE_SIZE];
	unsigned long first = patches->address;
	size_t i;

	memcpy(text, (void *)first, patches[count - 1].address - first);
	for (i = 0; i < count; i++) {
		text[patches[i].address - first] = patches[i].word;
		patches[i].failed = 0;
	}
	tl_unexported(text_poke)((void *)first, text, patches[count - 1].address - first + 1);
}

/* text_poke() requires text_mutex. */
void tl_patch(struct shim_patch *patches, size_t count)
{
	mutex_lock(text_lock);
	while (count) {
		size_t piece = in_a_page(patches, count);

		patch_page(patches, piece);
		patches += piece;
		count -= piece;
	}
	tl_unexported(COMPAT_POKE_SYNC)();
	mutex_unlock(text_lock);
}

/* Module space, from which a 32-bit displacement reaches the kernel's text. */
void shim_code_range(unsigned long range[2])
{
	range[0] = MODULES_VADDR;
	range[1] = MODULES_END;
}

/* Four one-byte INT3s. */
u32 tl_poison_trap(void)
{
	return 0x01010101U * INT3_INSN_OPCODE;
}

/*
 * Nothing to do: instruction fetch is coherent with stores to the same physical memory,
 * also through another mapping; and a CPU gets there by IRET, which is serialising.
 */
void shim_code_flush(unsigned long address, size_t length)
{
}

const char *const tl_syscall_abis[] = { "x86_64", "ia32", NULL };

const bool tl_sys_exit_in_children = true;

const bool tl_traps_are_nmis = true;

const bool tl_traps_are_watched = true;
