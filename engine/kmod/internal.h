/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The C half of the module: the kernel's interfaces as the engine needs them. It
 * makes no policy; what to probe, arm and record is decided in Rust. shim.h and
 * trapline.h are the contract with that half. This header declares what the C files share
 * among themselves, tl_*; Rust does not know of it. A function that returns an int returns
 * 0 or a negative error number.
 *
 * main.c initialises everything and tears it down; device.c and proc.c are the user interfaces;
 * each other file wraps one subsystem of the kernel. arch/ has one file per
 * architecture, which provides everything that is marked "arch/" here and in shim.h, such
 * as the trap hook and the direct dispatch past it, text patching, and unwinding from a
 * trap. In arch/ are also *-syscalls.h, which include the headers of the system-call
 * numbers, and *-selftest.c, which are built only into a module with mutants.
 *
 * Rules:
 *
 * - The hook, and what it calls before the CPU's guard is taken, must not call
 *   anything that can be probed or traced. The C half is built without ftrace's
 *   calls, and the engine does not probe trapline.ko.
 * - In probe context the C half does not sleep, allocate or take a lock. (The Rust half
 *   has spinlocks with a timeout.) The exception is the tracepoint probe that queues task
 *   work for a child (children.c): it allocates with GFP_ATOMIC, and takes a raw spinlock
 *   that is held for a few instructions, interrupts disabled.
 * - Lock order: the kernel's notifier lock for modules, then the control lock, then
 *   kprobe_mutex, then the CPU hotplug lock or text_mutex. Nothing that runs under the
 *   control lock waits for the module notifier.
 * - Functions that are not exported are called as unexported.h has it; on x86 never through a
 *   pointer. If one is missing, the module does not load.
 * - What a consumer has armed cannot outlive the module: an open file holds a
 *   reference to it. Callbacks are quiesced before their *_exit() returns.
 */
#ifndef TRAPLINE_INTERNAL_H
#define TRAPLINE_INTERNAL_H

#include <linux/types.h>

#include "shim.h"

struct k_sigaction;
struct kernel_siginfo;
struct linux_binprm;
struct page;
struct pt_regs;
struct task_struct;
struct wait_queue_head;
struct vm_area_struct;

/*
 * main.c: keeps the module loaded for good, in addition to shim_pin(), as ftrace may still
 * call into it. Called under the control lock, while a file is open.
 */
void tl_pin(void);

/*
 * symbols.c: the address of a kernel symbol; 0 if there is none, which tl_symbol() also
 * logs as an error.
 */
unsigned long tl_find_symbol(const char *name);
unsigned long tl_symbol(const char *name);
int tl_symbols_init(void);

/* modules.c: whether an address is in the core text of a module other than this one. */
bool tl_is_module_text(unsigned long address);

/* modules.c: tl_is_rewritten() for module text. */
bool tl_is_module_rewritten(unsigned long address);

/* modules.c: shim_each_function() for a module that is loaded. */
int tl_each_function_of(unsigned long module, shim_visit_fn visit, void *context);

/*
 * modules.c: from tl_modules_init() until tl_modules_begin() the notifier blocks; that
 * says whether the engine exists, so that trapline_module_*() may be called.
 */
int tl_modules_init(void);
void tl_modules_begin(bool is_there);
void tl_modules_exit(void);

/* arch/: the names of the system-call ABIs, native and compat; NULL-terminated. */
extern const char *const tl_syscall_abis[];

/* arch/: whether sys_exit fires in a new child too. */
extern const bool tl_sys_exit_in_children;

int tl_events_init(void);

/*
 * children.c: starts and stops the reports of SHIM_SYSCALL_RETURNED or
 * SHIM_PROCESS_STARTED by new children.
 */
int tl_children_init(void);
int tl_children_begin(enum shim_event event);
void tl_children_end(enum shim_event event);

/* processes.c: tracepoint probes. */
void tl_on_fork(void *data, struct task_struct *parent, struct task_struct *child);
void tl_on_exec(void *data, struct task_struct *task, pid_t before, struct linux_binprm *program);
void tl_on_free(void *data, struct task_struct *task);
void tl_on_exit(void *data, struct task_struct *task);
void tl_on_signal_sent(void *data, int number, struct kernel_siginfo *info, struct task_struct *to,
		   int group, int result);
void tl_on_signal_delivered(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action);

/* arch/: whether preempt_count() counts a trap in kernel text as an NMI. */
extern const bool tl_traps_are_nmis;

/* arch/: whether RCU watches a CPU that is in a trap, also if it was idle. */
extern const bool tl_traps_are_watched;

/* deadman.c: starts the heartbeat of a CPU that comes online. */
void tl_deadman_cpu(unsigned int cpu);
int tl_deadman_init(void);
void tl_deadman_exit(void);

int tl_nofault_init(void);
int tl_destructive_init(void);
void tl_destructive_exit(void);
int tl_stack_init(void);
int tl_kprobes_init(void);

/* arch/: the most bytes of text that a kprobe may overwrite. */
extern const size_t tl_kprobe_bytes;

/*
 * stack.c: the kernel's unwinder, from these registers on; the first `skip` frames are
 * left out. Callable in probe context, like the two below.
 */
unsigned int tl_unwind(struct pt_regs *regs, unsigned int skip,
			     unsigned long *frames, unsigned int count);

/* arch/: refuses a machine on which the module cannot run, before it calls any symbol's address. */
int tl_arch_refuse(void);

/* arch/: looks up the kernel functions that this architecture needs. */
int tl_arch_init(void);
void tl_arch_exit(void);

/* ftrace.c: whether our ftrace_ops is registered. */
bool tl_ftrace_is_active(void);
int tl_ftrace_init(void);
void tl_ftrace_exit(void);

/* arch/: whether ftrace's calls are at function entries, and pass the registers. */
extern const bool tl_ftrace_has_entry_calls;

/* arch/: whether these bytes are a kprobe's trap. */
bool tl_is_kprobe_trap(const void *bytes);

/*
 * symbols.c: whether a jump label is at an address. Slow where labels have several
 * lengths: the kernel then reads the text of each.
 */
bool tl_is_jump_label(unsigned long address);

/* arch/: whether the kernel, other than ftrace, rewrites an instruction of its own text. */
bool tl_is_rewritten(unsigned long address);

/* arch/: unwinds from a trap at a function's entry, where there is no frame yet. */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count);

/* arch/: unwinds from a trap at an instruction that leaves a function. */
unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count);

/* arch/: the names of return thunks, NULL-terminated; no kernel need have all of them. */
extern const char *const tl_return_thunks[];

/* patch.c: the most patches that tl_patch() is given at once. */
#define TL_PATCHES 256

/*
 * arch/: applies `count` patches. Where that stops the other CPUs, it stops them once for
 * all patches, unless one fails.
 */
void tl_patch(struct shim_patch *patches, size_t count);

/* arch/: shim_direct_dispatch(), called only on a change. On an error nothing has changed. */
int tl_direct_dispatch(bool straight);

/* arch/: the length of the landing pad at a function's address; 0 if it has none. */
size_t tl_landing_pad(unsigned long address);

/* arch/: whether the page at a kernel address is mapped RAM. Callable in probe context. */
bool tl_is_ram(unsigned long page);

struct shim_access;

typedef int tl_user_handler(struct pt_regs *regs, unsigned long site, struct shim_access *access);

/*
 * Runs a handler of a trap in user mode with the keys that the thread signs pointers with, and
 * returns what it does; only arch/arm64.c has such keys. Called with interrupts disabled.
 */
#ifdef CONFIG_ARM64
int tl_with_user_keys(tl_user_handler *handle, struct pt_regs *regs, unsigned long site,
		      struct shim_access *access);
#else
static inline int tl_with_user_keys(tl_user_handler *handle, struct pt_regs *regs,
				    unsigned long site, struct shim_access *access)
{
	return handle(regs, site, access);
}
#endif

/* arch/: by how many bytes the saved instruction pointer is ahead of a trap. */
extern const size_t tl_trap_advance;

/* Where a thread of user mode continues, and the bits of the program status that go with it. */
struct tl_place {
	unsigned long pc;
	u32 status;
};

/* arch/: has it continue there. */
void tl_continue(struct pt_regs *regs, const struct tl_place *to);

/* arch/: how far from its slot an instruction of a process can be; ULONG_MAX if anywhere. */
unsigned long tl_slot_reach(bool is_compat);

/* arch/: the filling of a page of slots in a process, a word that no debugger or engine uses. */
u32 tl_slot_filling(bool is_compat);

/* arch/: whether a process executes a program whose words are shorter than the kernel's. */
bool tl_is_compat(struct task_struct *task);

/* arch/: whether traps in such programs are handled. */
bool tl_traps_compat(void);

/*
 * arch/: writes `length` bytes to the page of a process's text, at `to`, which is mapped at
 * `address` there, and makes the instruction caches coherent.
 */
void tl_write_text(struct vm_area_struct *area, struct page *page, unsigned long address,
		   void *to, const void *from, size_t length);

/* arch/: lets a trap in user mode sleep, and no longer. */
void tl_unmask_trap(void);
void tl_mask_trap(void);

/* arch/: whether the thread is being single-stepped. */
bool tl_is_stepped(const struct pt_regs *regs);

/*
 * arch/: ends the step that is in progress with the instruction before the pc. True if the
 * CPU does not report that itself.
 */
bool tl_end_step(struct pt_regs *regs);

/*
 * user.c: from arch/, for a trap in user mode, with interrupts disabled. 0 if it was ours.
 * May sleep in between.
 */
int tl_user_trap(struct pt_regs *regs);

/* user.c: where threads that are held wait, and readers of the device. */
extern struct wait_queue_head tl_held;
int tl_user_init(void);

/* user.c: lets the current thread wait for its ticket. May sleep. */
void tl_wait_for(u32 ticket);

/*
 * execs.c: lets the current process wait until the consumers that have it held have armed probes in it.
 * It has not run yet. May sleep.
 */
void tl_begin_process(void);
int tl_execs_init(void);

/* space.c, slots.c */
int tl_space_init(void);
void tl_space_exit(void);
int tl_slots_init(void);
void tl_slots_exit(void);

/* arch/: registers the hook that catches the trap. */
int tl_hook_init(void);
void tl_hook_exit(void);

/*
 * exec_mem.c: pages of slots, for architectures on which vmalloc space is too far from
 * the text of the kernel.
 */
int tl_exec_mem_init(void);

/*
 * arch/: the filling of such a page: a word that is a trap from any offset at which an
 * instruction may start, which no hook handles, so that it ends in an oops.
 */
u32 tl_poison_trap(void);

/* memory.c: adjusts the number of allocations in use, which must be 0 at unload. */
void tl_memory_count(int pieces);
void tl_memory_exit(void);
int tl_lock_init(void);
int tl_timer_init(void);
void tl_timer_exit(void);
int tl_device_init(void);
void tl_device_exit(void);
int tl_proc_init(void);
void tl_proc_exit(void);

#endif
