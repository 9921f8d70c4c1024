// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x86-64: the notifier of dying, which hears of each INT3 that is nobody's, a
 * shorter way past it, and text through the kernel's own text_poke(). The handler
 * runs as in an NMI: the kernel has told RCU, whatever the CPU was doing.
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
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <asm/cpu_entry_area.h>
#include <asm/e820/api.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "../internal.h"
#include "../shim.h"

/* What runs between an INT3 and its handler must not trap, and of what these options have it call, anything can. */
static_assert(!IS_ENABLED(CONFIG_HWLAT_TRACER),
	      "CONFIG_HWLAT_TRACER: its tracer runs before the handler of each trap. It takes a kernel without.");
static_assert(!IS_ENABLED(CONFIG_OSNOISE_TRACER),
	      "CONFIG_OSNOISE_TRACER: its tracer runs before the handler of each trap. It takes a kernel without.");
static_assert(!IS_ENABLED(CONFIG_RCU_TRACE),
	      "CONFIG_RCU_TRACE: RCU's tracepoints are on the way to the handler of each trap. It takes a kernel without.");

static_assert(IS_ENABLED(CONFIG_SMP),
	      "CONFIG_SMP: a firing finds its thread's stack through the CPU's own data. It takes a kernel with it.");

static typeof(&text_poke) poke;
static typeof(&text_poke_bp) poke_running;
static typeof(&text_poke_sync) sync_cores;
static typeof(&text_mutex) text_lock;

/* The kernel's own INT3 only: user mode may keep its own use of it. */
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
 * Who is asked first, the kernel's own probes, and the calls of it: of an INT3 in
 * the kernel, and of one of a process's.
 */
static typeof(&kprobe_int3_handler) handle;
static u8 *ways[2];

/* In its place: what is not for the hook is for it. */
static int handle_straight(struct pt_regs *regs)
{
	if (!user_mode(regs) && !trapline_trap(regs))
		return 1;
	return handle(regs);
}

static void write_call(u8 call[CALL_INSN_SIZE], const u8 *from, const void *to)
{
	s32 distance = (u8 *)to - (from + CALL_INSN_SIZE);

	call[0] = CALL_INSN_OPCODE;
	memcpy(call + 1, &distance, sizeof(distance));
}

/* Instructions have all lengths, but no other bytes lead there. */
static int find_ways(void)
{
	u8 *code = (void *)tl_symbol("exc_int3");
	u8 call[CALL_INSN_SIZE];
	size_t i, found = 0;

	handle = (void *)tl_symbol("kprobe_int3_handler");
	if (!code || !handle)
		return -ENOENT;
	for (i = 0; i < 256 && found < ARRAY_SIZE(ways); i++) {
		write_call(call, code + i, handle);
		if (!memcmp(code + i, call, sizeof(call)))
			ways[found++] = code + i;
	}
	if (found == ARRAY_SIZE(ways))
		return 0;
	pr_err("trapline: exc_int3 does not call kprobe_int3_handler twice\n");
	return -ENOENT;
}

/* As the kernel changes calls of its own: an INT3 that comes meanwhile makes the call. */
void tl_direct_dispatch(bool straight)
{
	u8 call[CALL_INSN_SIZE];
	size_t i;

	mutex_lock(text_lock);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		write_call(call, ways[i], straight ? (void *)handle_straight : (void *)handle);
		poke_running(ways[i], call, sizeof(call), NULL);
	}
	mutex_unlock(text_lock);
}

bool tl_is_kprobe_trap(const void *bytes)
{
	return *(const u8 *)bytes == INT3_INSN_OPCODE;
}

/* A trap, or the jump that it is optimized to. */
const size_t tl_kprobe_bytes = JMP32_INSN_SIZE;

/*
 * Where the kernel proper has jump labels and static calls: their addresses, in
 * order. It asks a whole table for each address, and decodes what is there; of
 * a hundred thousand addresses that would take minutes.
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

/* What is asked for is where an instruction begins. */
bool tl_is_rewritten(unsigned long address)
{
	return bsearch(&address, rewritten, rewritten_count, sizeof(*rewritten), compare);
}

/* Each CPU has its thread at the first, and a thread its stack at the second. */
const struct trapline_stacks trapline_stacks = {
	.where = { (unsigned long)&current_task, offsetof(struct task_struct, stack) },
	.size = THREAD_SIZE,
};

/* Each CPU's: where its interrupts' stack ends, and those of exceptions that have their own. */
static void *__percpu *irq_stack;
static struct cea_exception_stacks *__percpu *exception_stacks;

static int find_stacks(void)
{
	irq_stack = (void *__percpu *)tl_symbol("hardirq_stack_ptr");
	exception_stacks = (void *)tl_symbol("cea_exception_stacks");
	return irq_stack && exception_stacks ? 0 : -ENOENT;
}

/* Whether a stack has so many bytes below `sp`; true if `sp` is not in it. */
static bool is_left(unsigned long sp, unsigned long bottom, size_t size, size_t bytes)
{
	return sp - bottom >= size || sp - bottom >= bytes;
}

/*
 * Amid a switch it is the next thread's already, of which as much is left as when that
 * gave way; and there are others that are nobody's. They are not looked at.
 */
int shim_other_stack(size_t bytes)
{
	struct cea_exception_stacks *stacks = *raw_cpu_ptr(exception_stacks);
	unsigned long sp = current_stack_pointer;
	unsigned long irq;

	/* The pointer is to the last word. */
	irq = (unsigned long)*raw_cpu_ptr(irq_stack) + sizeof(long) - IRQ_STACK_SIZE;
	return sp - (unsigned long)current->stack >= THREAD_SIZE &&
	       is_left(sp, irq, IRQ_STACK_SIZE, bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, NMI), CEA_ESTACK_SIZE(NMI), bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, DB), CEA_ESTACK_SIZE(DB), bytes) &&
	       is_left(sp, CEA_ESTACK_BOT(stacks, MCE), CEA_ESTACK_SIZE(MCE), bytes);
}

int tl_arch_init(void)
{
	poke = (void *)tl_symbol("text_poke");
	poke_running = (void *)tl_symbol("text_poke_bp");
	sync_cores = (void *)tl_symbol("text_poke_sync");
	text_lock = (void *)tl_symbol("text_mutex");
	if (!poke || !poke_running || !sync_cores || !text_lock)
		return -ENOENT;
	return find_stacks() ?: find_ways() ?: find_rewritten() ?: tl_exec_mem_init();
}

/* The unwinder asks what the stack is like at the very instruction. */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count)
{
	struct pt_regs entry = *regs;

	entry.ip -= INT3_INSN_SIZE;
	return tl_unwind(&entry, 0, frames, count);
}

unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count)
{
	return tl_unwind_entry(regs, frames, count);
}

/* Each mitigation has its own; what is not mitigated is a return by itself. */
const char *const tl_return_thunks[] = {
	"__x86_return_thunk",
	"retbleed_return_thunk",
	"srso_return_thunk",
	"srso_alias_return_thunk",
	"its_return_thunk",
	NULL,
};

/*
 * Devices are mapped uncached, or as write-combining; but the kernel also maps
 * the first megabyte as if it were RAM throughout.
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

/* How many from the first on are at rising addresses in one page. */
static size_t in_a_page(const struct shim_patch *patches, size_t count)
{
	size_t n = 1;

	while (n < count && patches[n].address > patches[n - 1].address &&
	       patches[n].address >> PAGE_SHIFT == patches->address >> PAGE_SHIFT)
		n++;
	return n;
}

/*
 * To write costs much, and not by the byte: so what lies between is written, too,
 * as it is. The first byte of each word is the trap's, or what it displaced; other
 * CPUs see it whole.
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
	poke((void *)first, text, patches[count - 1].address - first + 1);
}

/* Whoever writes text holds its lock. */
void tl_patch(struct shim_patch *patches, size_t count)
{
	mutex_lock(text_lock);
	while (count) {
		size_t piece = in_a_page(patches, count);

		patch_page(patches, piece);
		patches += piece;
		count -= piece;
	}
	sync_cores();
	mutex_unlock(text_lock);
}

/* The modules' addresses, which are as near as the compilers want the kernel's own. */
void shim_code_range(unsigned long range[2])
{
	range[0] = MODULES_VADDR;
	range[1] = MODULES_END;
}

/* Of four bytes. */
u32 tl_poison_trap(void)
{
	return 0x01010101U * INT3_INSN_OPCODE;
}

/*
 * Nothing to do: caches and translations go by where memory is, by whichever
 * address that is written; and who comes there by a trap has returned from one,
 * which makes a processor forget what it has fetched before.
 */
void shim_code_flush(unsigned long address, size_t length)
{
}

const char *const tl_syscall_abis[] = { "x86_64", "ia32", NULL };

const bool tl_sys_exit_in_children = true;

const bool tl_traps_are_nmis = true;
