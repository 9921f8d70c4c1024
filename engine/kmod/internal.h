/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the C files share, tl_*; Rust knows none of it. Errors are 0 or a negative error number. */
#ifndef TRAPLINE_INTERNAL_H
#define TRAPLINE_INTERNAL_H

#include <linux/types.h>

#include "shim.h"

struct k_sigaction;
struct kernel_siginfo;
struct linux_binprm;
struct pt_regs;
struct task_struct;

/* symbols.c: the address of one of the kernel's own functions; 0 if none. The other says so, too. */
unsigned long tl_find_symbol(const char *name);
unsigned long tl_symbol(const char *name);
int tl_symbols_init(void);

/* modules.c: whether text of a module is there, but this one's, that stays until the module goes. */
bool tl_is_module_text(unsigned long address);

/* modules.c: the same as tl_is_rewritten() where there is text of a module. */
bool tl_is_module_rewritten(unsigned long address);

/* modules.c: shim_each_function() of one that is there. */
int tl_each_function_of(unsigned long module, shim_visit_fn visit, void *context);

/* modules.c: trapline_module_*() wait from the first until the second has told whether they can be called. */
int tl_modules_init(void);
void tl_modules_begin(bool is_there);
void tl_modules_exit(void);

/* arch/: the names of the ABIs of system calls, null behind the last: the kernel's own, and that which it is compatible with. */
extern const char *const tl_syscall_abis[];

/* arch/: whether the kernel tells of a call's return in the child that it has made. */
extern const bool tl_sys_exit_in_children;

int tl_events_init(void);

/*
 * children.c: from now on, and no more, trapline_*() is told of SHIM_SYSCALL_RETURNED
 * by each child that a system call makes, or of SHIM_PROCESS_STARTED.
 */
int tl_children_init(void);
int tl_children_begin(enum shim_event event);
void tl_children_end(enum shim_event event);

/* processes.c: who tracepoints call. */
void tl_on_fork(void *data, struct task_struct *parent, struct task_struct *child);
void tl_on_exec(void *data, struct task_struct *task, pid_t before, struct linux_binprm *program);
void tl_on_free(void *data, struct task_struct *task);
void tl_on_exit(void *data, struct task_struct *task);
void tl_on_signal_sent(void *data, int number, struct kernel_siginfo *info, struct task_struct *to,
		   int group, int result);
void tl_on_signal_delivered(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action);

/* arch/: whether the kernel counts a trap in its text as an NMI. */
extern const bool tl_traps_are_nmis;

/* deadman.c: a CPU comes. */
void tl_deadman_cpu(unsigned int cpu);
int tl_deadman_init(void);
void tl_deadman_exit(void);

int tl_nofault_init(void);
int tl_stack_init(void);
int tl_kprobes_init(void);

/* arch/: how many bytes a kprobe may write over. */
extern const size_t tl_kprobe_bytes;

/* stack.c: the kernel's unwinder, from where the registers are. */
unsigned int tl_unwind(struct pt_regs *regs, unsigned int skip,
			     unsigned long *frames, unsigned int count);

/* arch/: finds what this architecture needs of the kernel's own functions. */
int tl_arch_init(void);
void tl_arch_exit(void);

/* ftrace.c: whether the function tracer tells of any. */
bool tl_ftrace_is_active(void);
int tl_ftrace_init(void);
void tl_ftrace_exit(void);

/* arch/: whether its calls are where functions are entered, and show the registers. */
extern const bool tl_ftrace_has_entry_calls;

/* arch/: whether these bytes are the trap of the kernel's own kprobes. */
bool tl_is_kprobe_trap(const void *bytes);

/* symbols.c: whether a jump label is there. Where labels are of several lengths the kernel reads each. */
bool tl_is_jump_label(unsigned long address);

/* arch/: whether something else than the function tracer rewrites the kernel proper's instruction there. */
bool tl_is_rewritten(unsigned long address);

/* arch/: the same from a trap at a function's entry, which has made no frame yet. */
unsigned int tl_unwind_entry(struct pt_regs *regs, unsigned long *frames,
				   unsigned int count);

/* arch/: and from a trap at an instruction that leaves a function. */
unsigned int tl_unwind_return(struct pt_regs *regs, unsigned long *frames,
				    unsigned int count);

/* arch/: names of what who jumps there returns by, null behind the last; not every kernel has all. */
extern const char *const tl_return_thunks[];

/* patch.c: the most that arch/ is asked for at once. */
#define TL_PATCHES 256

/* arch/: writes so many, at one stop of the machine where it stops the machine. */
void tl_patch(struct shim_patch *patches, size_t count);

/* arch/: does what shim_direct_dispatch() wants, if it is not so yet. */
void tl_direct_dispatch(bool straight);

/* arch/: whether the page of the kernel's that begins there is RAM; callable from a trap. */
bool tl_is_ram(unsigned long page);

/* arch/: the hook that catches the trap. */
int tl_hook_init(void);
void tl_hook_exit(void);

/* exec_mem.c: for architectures whose other memory is too far away from the kernel's text. */
int tl_exec_mem_init(void);

/* arch/: for those, a word of which every part is a trap that is nobody's, and ends in an oops. */
u32 tl_poison_trap(void);

/* memory.c: so many more pieces of memory are in use, or fewer. */
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
