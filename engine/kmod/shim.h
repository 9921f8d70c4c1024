/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The contract between the C and the Rust half of the module. Rust's side of
 * it is engine/kernel/src/ffi.rs (what C gives) and entry.rs (what Rust gives),
 * in the same order. There is no other header that both depend on.
 *
 * C gives shim_*: each translates one wish into the kernel's own terms and
 * decides nothing. Rust gives trapline_*: each may sleep, but
 * trapline_trap(), trapline_called(), trapline_tick() and trapline_syscall_*().
 * Errors are 0 or a negative error number unless it says otherwise.
 */
#ifndef TRAPLINE_SHIM_H
#define TRAPLINE_SHIM_H

#include <linux/build_bug.h>
#include <linux/types.h>

struct pt_regs;

/* memory.c: null when there is no memory or the alignment cannot be had. */
void *shim_alloc(size_t size, size_t align);
void shim_free(void *memory);

/* lock.c: the control lock, a mutex. */
void shim_lock(void);
void shim_unlock(void);

/* lock.c: returns when every trap that was being handled has been. */
void shim_synchronize(void);

/* lock.c: what is in between runs as in a trap; it cannot be nested. */
unsigned long shim_irqs_off(void);
void shim_irqs_restore(unsigned long state);

/* lock.c: callable from a trap. */
unsigned int shim_cpu(void);
unsigned int shim_cpus(void);

/* clock.c: callable from a trap. */
u64 shim_now(void);
u64 shim_wall_time(void);

/* clock.c: from the kernel's source of randomness, which a trap must not ask. */
u64 shim_random(void);

/* deadman.c: the kernel's ticks, which wrap around; callable from a trap, before the guard. */
u32 shim_ticks(void);

/*
 * deadman.c: from now on trapline_beat() is called on each CPU, and trapline_watch(),
 * once a second each, until they return 0; the first limit, in ticks. Under the
 * control lock.
 */
u32 shim_deadman_start(void);

/* arch/: how a firing finds the stack that it runs on: see `has_stack` of engine/kernel/src/arch/, which reads it. */
extern const struct trapline_stacks {
	unsigned long where[2];
	unsigned long size;
} trapline_stacks;

/*
 * arch/x86.c: 0 if this runs on the thread's stack, or on one of an interrupt or an
 * exception with fewer bytes left; callable from a trap, before the guard.
 */
int shim_other_stack(size_t bytes);

/* task.c: callable from a trap, as all of it is. platform.rs fills it as a Task. */
struct shim_task {
	u64 nonce;
	u64 address;
	u32 pid;
	u32 tid;
	u32 ppid;
	u32 uid;
	u32 gid;
	u32 in_interrupt;
	char name[16];
};

/* As platform.rs has them. */
enum shim_context {
	SHIM_THREAD,
	SHIM_TICK,
	SHIM_TRAP,
};

void shim_task(struct shim_task *to, enum shim_context context);

/* The thread, and nothing else of it. */
unsigned long shim_thread_key(void);
u64 shim_run_time(void);
u64 shim_user_register(u64 number);

/* nofault.c: reads what may not be there; callable from a trap. */
int shim_load(unsigned long address, void *to, size_t length);
int shim_load_user(unsigned long address, void *to, size_t length);

/* lock.c: reschedules if that is needed, in the middle of long work. */
void shim_cond_resched(void);

/* As platform.rs has them: of the last there are no registers, of the one before only some. */
enum shim_origin {
	SHIM_ENTRY,
	SHIM_RETURN,
	SHIM_CALLER,
	SHIM_INTERRUPTED,
};

/*
 * stack.c: writes the program counters on the kernel's stack, innermost first:
 * from a function's entry, from an instruction that leaves one, from the code
 * that one returns to, or from what an interrupt came upon. How many there were.
 * Callable from a trap.
 */
unsigned int shim_stack(struct pt_regs *regs, u64 *frames, unsigned int count,
			enum shim_origin origin);

/* timer.c: trapline_tick() is called each time so many nanoseconds are over. */
int shim_timer_start(u32 number, u64 nanoseconds, int everywhere);

/* timer.c: returns when the last tick is over. */
void shim_timer_stop(u32 number);

/*
 * modules.c: shows the modules that are there, but this one, until one is not 0.
 * The number is the module's until trapline_module_going() has returned, which
 * waits for the control lock, and for trapline_start().
 */
typedef int (*shim_module_fn)(void *context, unsigned long module,
			      const char *name, size_t length);
int shim_each_module(shim_module_fn visit, void *context);

/*
 * symbols.c: shows the functions of a module, or with 0 of the kernel proper,
 * until one is not 0. A size of 0 is not known.
 */
typedef int (*shim_visit_fn)(void *context, const char *name, size_t length,
			     unsigned long address, size_t size);
int shim_each_function(unsigned long module, shim_visit_fn visit, void *context);

/* symbols.c: why not to probe there, as platform.rs numbers it; 0 if one may. */
unsigned int shim_off_limits(unsigned long address);

/* symbols.c: not 0 if the kernel rewrites what is there as it runs. */
int shim_rewritten(unsigned long address);

/* symbols.c: how many bytes there belong to the kernel's function tracer. */
size_t shim_ftrace_slot(unsigned long address);

/* symbols.c: reads text; callable from a trap. */
int shim_peek(unsigned long address, void *bytes, size_t length);

/* kprobes.c: the same, as it would be without the kernel's own kprobes. */
int shim_peek_original(unsigned long address, void *bytes, size_t length);

/*
 * kprobes.c: from now on no kprobe is registered, removed or optimized, or they
 * may be again, where the kernel lists what guards them. May sleep.
 */
void shim_hold_kprobes(int held);

/* kprobes.c: not 0 if a kprobe may write over the instruction there, now or later. */
int shim_has_kprobe(unsigned long address);

/* symbols.c: not 0 if who jumps there returns. */
int shim_is_return_thunk(unsigned long address);

/* ftrace.c: not 0 if the kernel's function tracer has calls where functions are entered. */
int shim_has_calls(void);

/* ftrace.c: that of the function that begins there; 0 if it has none. */
unsigned long shim_call_of(unsigned long address);

/*
 * ftrace.c: from now on trapline_called() is told of these, and of no others but what
 * is on its way already; where that fails, as before. Under the control lock.
 */
int shim_trace_calls(const unsigned long *calls, size_t count);

struct shim_name {
	const char *text;
	size_t length;
};

/*
 * syscalls.c: shows the system calls that there are numbers for, those of an ABI
 * one after the other, until one is not 0. The first name is the ABI's, the second
 * the call's.
 */
typedef int (*shim_syscall_fn)(void *context, unsigned int abi, u32 number,
			       const struct shim_name names[2]);
int shim_each_syscall(shim_syscall_fn visit, void *context);

/* syscalls.c: an argument of the system call that this thread has entered so; 0 if it has no such. */
u64 shim_syscall_argument(const struct pt_regs *regs, unsigned int number);

/* As platform.rs numbers them. */
enum shim_event {
	SHIM_SYSCALL_RETURNED,
	SHIM_SYSCALL_ENTERED,
	SHIM_PROCESS_CREATED,
	SHIM_PROCESS_STARTED,
	SHIM_PROGRAM_BEGUN,
	SHIM_PROCESS_GONE,
	SHIM_PROCESS_EXITED,
	SHIM_SIGNAL_SENT,
	SHIM_SIGNAL_HANDLED,
};

/* As platform.rs has them: of each ABI a bit for each number, or for all that are alike in their lower bits. */
#define SHIM_WORDS_OF_ABI 16
struct shim_numbers {
	u32 bits[2 * SHIM_WORDS_OF_ABI];
};

/*
 * events.c: from now on trapline_*() is told of an event of system calls with
 * these numbers, or of another event if they are all. With none: when it returns,
 * the last is over. May sleep. Under the control lock.
 */
int shim_subscribe(enum shim_event event, const struct shim_numbers *numbers);

/* tracepoints.c: shows the tracepoints of the kernel proper until one is not 0. */
typedef int (*shim_tracepoint_fn)(void *context, unsigned long point,
				  const char *name, size_t length);
int shim_each_tracepoint(shim_tracepoint_fn visit, void *context);

/*
 * tracepoints.c: from now on trapline_tracepoint() is called there with that number;
 * or no more, once shim_tracepoints_synchronize() has returned. May sleep. Under the
 * control lock.
 */
int shim_tracepoint_register(unsigned long point, u32 number);
void shim_tracepoint_unregister(unsigned long point, u32 number);
void shim_tracepoints_synchronize(void);

/* The word is the bytes as they lie in memory, the lowest first: as many as the trap has. */
struct shim_patch {
	unsigned long address;
	u32 word;
	u32 failed;
};

/*
 * patch.c: writes text at all of them, on every CPU, and says of each whether it
 * failed. Needs no memory; may sleep. Under the control lock.
 */
void shim_patch(struct shim_patch *patches, size_t count);

/*
 * patch.c: from now on the kernel's handler of traps calls trapline_trap() and
 * nothing before it, or goes its own way to the hook of arch/. May sleep. Under
 * the control lock.
 */
void shim_direct_dispatch(int straight);

/* arch/: between which addresses pages for code are. */
void shim_code_range(unsigned long range[2]);

/*
 * arch/ or exec_mem.c: a page that can be executed there and never written, full of
 * traps; 0 when there is no memory.
 */
unsigned long shim_code_alloc(void);
void shim_code_free(unsigned long address);

/* arch/ or exec_mem.c: writes to such a page, by another way, while nobody is there. */
void shim_code_write(unsigned long address, const void *bytes, size_t length);

/* arch/: when it returns, every processor that comes there by a trap executes what was written. */
void shim_code_flush(unsigned long address, size_t length);

/* lock.c: returns when whoever was in such a page, or on his way there, has left it. */
void shim_synchronize_code(void);

/*
 * device.c: copies to the process that asks, and from it. The first does not
 * sleep: where a page is not there it fails, and the second, which may sleep,
 * brings it in.
 */
int shim_copy_to_user(u64 to, const void *from, size_t length);
int shim_bring_in(u64 address, size_t length);
int shim_copy_from_user(void *to, u64 from, size_t length);

/* The instruction that the hook of arch/ has to catch. */
u32 trapline_trap_word(void);

int trapline_start(void);
void trapline_end(void);

/* From the hook, interrupts off. 0 when it was ours and the CPU can go on. */
int trapline_trap(struct pt_regs *regs);

/* From a call of the function tracer's, interrupts off. */
void trapline_called(unsigned long call, const struct pt_regs *regs);

/* From a timer's interrupt: where it came upon the kernel or a process, and 0 for the other. */
void trapline_tick(u32 number, unsigned long kernel_pc, unsigned long user_pc);

/* From a thread of that CPU's, which is to run again within so many ticks: 0 is at any time. */
int trapline_beat(unsigned int cpu, u32 limit);

/* Consumers that have asked for nothing while this was called more often than that are to end: 0 is none. May sleep. */
int trapline_watch(u32 rounds);

/* From the kernel's tracepoints, in the thread's own context; a signal may be sent by what has interrupted it. */
void trapline_syscall_entered(unsigned int abi, s64 number, const struct pt_regs *regs);
void trapline_syscall_returned(unsigned int abi, s64 number, s64 value);

/* What a child does first will not be told of, for want of memory: neither a system call's return, nor its start. */
void trapline_syscall_lost(void);

/* Any other event, with what it tells: platform.rs has it, at each. */
void trapline_happened(enum shim_event event, const u64 told[4]);

/* From a tracepoint, in any context but with preemption off, with six arguments of which its prototype may have fewer. */
void trapline_tracepoint(u32 number, const u64 arguments[6]);

/*
 * The same of a process, of which each of its threads may tell: the engine takes the first. The
 * process is known by an address of its own, and whether no other thread of it is left.
 */
void trapline_happened_once(enum shim_event event, const u64 told[4], unsigned long process,
			    int is_alone);

/* Nothing more of this process will be told so, and its address may become another's. */
void trapline_process_gone(unsigned long process);

/* A consumer's number, or an error. */
int trapline_open(void);
void trapline_close(int consumer);
int trapline_ioctl(int consumer, unsigned int number, void *body,
		   size_t length);

/* From the modules' notifier: one has come, or is going. One that is known is not told of again. */
void trapline_module_coming(unsigned long module, const char *name, size_t length);
void trapline_module_going(unsigned long module);

#ifdef TRAPLINE_MUTANTS
int trapline_mutate(const char *name);
#endif

/* What there is of an index of a table: nothing there nor behind it, a row, or nothing there. */
enum trapline_row {
	TRAPLINE_ROW_END,
	TRAPLINE_ROW,
	TRAPLINE_ROW_GAP,
};

/* Rows of /proc/dtrace/. */
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
	u32 told;
	char module[64];
	char function[64];
	char name[64];
};

struct trapline_stats_row {
	u64 value;
	char name[32];
};

int trapline_fbt_row(size_t index, struct trapline_fbt_row *row);
int trapline_refused_row(size_t index, struct trapline_refused_row *row);
int trapline_toxic_row(size_t index, struct trapline_refused_row *row);
int trapline_syscall_row(size_t index, struct trapline_syscall_row *row);
int trapline_stats_row(size_t index, struct trapline_stats_row *row);

static_assert(sizeof(struct shim_task) == 56);
static_assert(sizeof(struct shim_patch) == sizeof(long) + 8);
static_assert(sizeof(struct shim_name) == 2 * sizeof(long));
static_assert(sizeof(struct shim_numbers) == 128);
static_assert(sizeof(struct trapline_fbt_row) == 488);
static_assert(sizeof(struct trapline_refused_row) == sizeof(long) + 544);
static_assert(sizeof(struct trapline_syscall_row) == 208);
static_assert(sizeof(struct trapline_stats_row) == 40);

#endif
