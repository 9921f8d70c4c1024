/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the Rust half of the module provides to the C half, trapline_*. The Rust side is
 * engine/kernel/src/entry.rs and, for /proc/dtrace, rows.rs, in the same order: a change
 * here is a change there. The other direction is shim.h.
 *
 * Functions that report an event (from trapline_trap() to trapline_process_gone(), but for
 * trapline_watch()) never sleep. The others may sleep, and most of them take the control
 * lock.
 *
 * A function that returns an int returns 0 or a negative error number, unless
 * its comment says otherwise.
 */
#ifndef TRAPLINE_TRAPLINE_H
#define TRAPLINE_TRAPLINE_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "shim.h"

struct pt_regs;

/* The trap instruction that the hook of arch/ is to catch. */
u32 trapline_trap_word(void);

/*
 * Creates and destroys the engine. The first may sleep. All functions below may be
 * called only in between.
 */
int trapline_start(void);
void trapline_end(void);

/*
 * From the hook, with interrupts disabled. 0 if the trap was ours, and the CPU resumes
 * with `regs`; 1 if it was not, or if its instruction could not be executed.
 */
int trapline_trap(struct pt_regs *regs);

/*
 * Memory that an instruction of a process accesses. If `ticket` is not 0, the thread is
 * held before it enters user mode again.
 */
struct shim_access {
	u64 address;
	u32 length;
	u32 is_store;
	u32 ticket;
	u32 reserved;
};

/* What came of a trap in user mode. */
enum shim_user_trap {
	/* The thread resumes with `regs`. */
	SHIM_HANDLED,
	/* It was not ours. */
	SHIM_STRAY,
	/* `access` says which memory was not there; the thread is at the instruction. */
	SHIM_MISSING,
};

/*
 * From the hook, for a trap in user mode, with interrupts disabled; and, with the trap's
 * address, to execute its instruction once memory that was missing is there. Returns an
 * enum shim_user_trap.
 */
int trapline_user_trap(struct pt_regs *regs, struct shim_access *access);
int trapline_user_resume(struct pt_regs *regs, unsigned long pc, struct shim_access *access);

/*
 * Whether the current thread, which is held, may continue; and it does without that. Both
 * are callable by a thread that is about to sleep, and take no lock.
 */
int trapline_is_released(u32 ticket);
void trapline_give_up(u32 ticket);

/*
 * The current process has executed a program or been forked: returns the ticket that its thread
 * waits for, or 0; and the thread continues. Neither takes a lock.
 */
u32 trapline_process_begins(void);
void trapline_process_began(void);

/* What a consumer reads from the device: Opened in engine/abi/src/ioctl.rs. */
struct shim_opened {
	u32 pid;
	u32 ticket;
	u32 begins;
	u32 reserved;
};

/* Non-zero if there is something to read, which is stored. Callable like the two above. */
int trapline_opened(int consumer, struct shim_opened *to);

/* Processes in which probes are armed are gone. May sleep, and takes the control lock. */
void trapline_processes_gone(void);

/* From ftrace, with interrupts disabled. `call` is the address of the call. */
void trapline_called(unsigned long call, const struct pt_regs *regs);

/*
 * From a timer's interrupt: the interrupted program counter, in the kernel or in user
 * space; the other one is 0.
 */
void trapline_tick(u32 number, unsigned long kernel_pc, unsigned long user_pc);

/*
 * From the CPU's heartbeat worker, which is due again within `limit` jiffies; 0 is no
 * limit. Returns 0 if no consumer is tracing.
 */
int trapline_beat(unsigned int cpu, u32 limit);

/*
 * From the watch worker. Disarms consumers that the deadman has killed, or that have made
 * no request during more than `rounds` calls; 0 is no limit. Returns 0 if no consumer is
 * tracing. May sleep.
 */
int trapline_watch(u32 rounds);

/*
 * From the kernel's tracepoints, with preemption disabled, in the thread's own context.
 * (Of the events further below, a signal may also be sent from an interrupt.)
 */
void trapline_syscall_entered(unsigned int abi, s64 number, const struct pt_regs *regs);
void trapline_syscall_returned(unsigned int abi, s64 number, s64 value);

/*
 * A child's system-call return and start will not be reported, as there was no memory
 * for its task work.
 */
void trapline_syscall_lost(void);

/* Any other event, with its arguments: see Event in engine/tracer/src/platform/events.rs. */
void trapline_happened(enum shim_event event, const u64 values[5]);

/*
 * From a tracepoint, in any context, with preemption disabled. If the tracepoint's
 * prototype has fewer than six arguments, the rest are undefined.
 */
void trapline_tracepoint(u32 number, const u64 arguments[6]);

/*
 * Like trapline_happened(), for an event of a process that several of its threads may
 * report: the engine takes the first report. `process` is an address that identifies the
 * process; `is_alone` is non-zero if the current thread is its last.
 */
void trapline_happened_once(enum shim_event event, const u64 values[5], unsigned long process,
			    int is_alone);

/* This process reports nothing more, and its address may be reused. */
void trapline_process_gone(unsigned long process);

/*
 * From the device. trapline_open() returns a consumer's number, or an error. `body` is
 * the ioctl's argument struct, aligned for u64, and receives the result.
 */
int trapline_open(void);
void trapline_close(int consumer);
int trapline_ioctl(int consumer, unsigned int number, void *body,
		   size_t length);

/*
 * From the module notifier. trapline_module_coming() ignores a module that the engine
 * already knows. When trapline_module_going() returns, the module's text is restored.
 */
void trapline_module_coming(unsigned long module, const char *name, size_t length);
void trapline_module_going(unsigned long module);

#ifdef TRAPLINE_MUTANTS
int trapline_mutate(const char *name);
/* Whether a child keeps its parent's traps, which is a seeded defect. */
int trapline_keeps_traps(void);
#endif

/* The result of reading a table at an index. */
enum trapline_row {
	TRAPLINE_ROW_END, /* The index is past the last row. */
	TRAPLINE_ROW, /* The row has been filled in. */
	TRAPLINE_ROW_GAP, /* No row here, but there may be rows after it. */
};

/* Rows of /proc/dtrace/, and the functions that fill them in. They return an enum trapline_row. */
struct trapline_fbt_row {
	u64 hits;
	u64 address;
	u32 id;
	u32 ecbs;
	u32 armed;
	char instruction[40];
	char plan[96];
	char module[64];
	char function[192];
	char name[64];
	u32 reserved;
};

struct trapline_refused_row {
	unsigned long address;
	/* The process's ID; 0 for the kernel. */
	unsigned long process;
	char module[64];
	char function[192];
	char name[64];
	char word[32];
	char sentence[192];
};

struct trapline_syscall_row {
	u32 id;
	u32 number;
	u32 ecbs;
	u32 armed;
	char module[64];
	char function[64];
	char name[64];
};

struct trapline_fasttrap_row {
	u64 hits;
	u64 address;
	u32 process;
	u32 offset;
	u32 ecbs;
	u32 armed;
	char instruction[40];
	char plan[32];
	char module[64];
	char function[192];
};

struct trapline_stats_row {
	u64 value;
	char name[32];
};

int trapline_fbt_row(size_t index, struct trapline_fbt_row *row);
int trapline_refused_row(size_t index, struct trapline_refused_row *row);
int trapline_toxic_row(size_t index, struct trapline_refused_row *row);
int trapline_syscall_row(size_t index, struct trapline_syscall_row *row);
int trapline_fasttrap_row(size_t index, struct trapline_fasttrap_row *row);
int trapline_stats_row(size_t index, struct trapline_stats_row *row);

static_assert(sizeof(struct shim_access) == 24);
static_assert(sizeof(struct shim_opened) == 16);
static_assert(sizeof(struct trapline_fbt_row) == 488);
static_assert(sizeof(struct trapline_refused_row) == 2 * sizeof(long) + 544);
static_assert(sizeof(struct trapline_syscall_row) == 208);
static_assert(sizeof(struct trapline_fasttrap_row) == 360);
static_assert(sizeof(struct trapline_stats_row) == 40);

#endif
