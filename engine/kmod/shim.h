/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the C half of the module provides to the Rust half, shim_*. The Rust side is
 * engine/kernel/src/ffi.rs, in the same order: a change here is a change there. The other
 * direction is trapline.h.
 *
 * Each function performs one operation with the kernel's interfaces and makes no policy.
 * One that may be called in probe context (from a trap, an ftrace call, a timer's
 * interrupt or a tracepoint, with interrupts or preemption disabled) is marked so; it
 * must not sleep, allocate or take a lock. One that is callable before the CPU's guard is
 * taken must not call anything that can be probed, or its trap would recurse. All others
 * are called on the control path, in process context, where they may sleep; usually with
 * the control lock held.
 *
 * A function that returns an int returns 0 or a negative error number, unless
 * its comment says otherwise.
 */
#ifndef TRAPLINE_SHIM_H
#define TRAPLINE_SHIM_H

#include <linux/build_bug.h>
#include <linux/types.h>

struct pt_regs;

/*
 * memory.c: returns NULL if there is no memory, or kmalloc() does not guarantee the
 * alignment. May sleep.
 */
void *shim_alloc(size_t size, size_t align);
void shim_free(void *memory);

/*
 * lock.c: the control lock, a mutex: not recursive, never taken in probe context. A kernel
 * thread that waits patiently is not reported as hung, however long it does.
 */
void shim_lock(void);
void shim_lock_patiently(void);
void shim_unlock(void);

/*
 * lock.c: waits for a grace period: every trap, ftrace call and other region with
 * interrupts or preemption disabled that was in progress has ended. May sleep.
 */
void shim_synchronize(void);

/* lock.c: the region in between runs as if in a trap. Must not be nested. */
unsigned long shim_irqs_off(void);
void shim_irqs_restore(unsigned long state);

/*
 * lock.c: the current CPU, and the number of possible CPU numbers. Callable in probe
 * context, before the guard.
 */
unsigned int shim_cpu(void);
unsigned int shim_cpus(void);

/*
 * lock.c: what this CPU's copy of a per-CPU variable is behind the variable's address.
 * Negative if it is before it, also where a long has 32 bits. Callable in probe context.
 */
s64 shim_cpu_offset(void);

/* clock.c: nanoseconds, of the monotonic clock and since 1970. Callable in probe context. */
u64 shim_now(void);
u64 shim_wall_time(void);

/* clock.c: a number of the kernel's generator. Takes its locks: not callable in probe context. */
u64 shim_random(void);

/* deadman.c: jiffies, which wrap around. Callable in probe context, before the guard. */
u32 shim_ticks(void);

/*
 * deadman.c: starts the heartbeat. trapline_beat() on each CPU and trapline_watch() are
 * called once a second, each until it returns 0. Returns the limit that the first
 * beat will pass, in jiffies. May be called again. Called under the control lock.
 */
u32 shim_deadman_start(void);

/*
 * arch/: where a firing finds the current stack, and a thread's stack size. The
 * meaning of `where` depends on the architecture: see has_stack() in
 * engine/kernel/src/arch/, which reads it.
 */
extern const struct trapline_stacks {
	unsigned long where[2];
	unsigned long size;
} trapline_stacks;

/*
 * arch/x86.c: returns 0 if the current stack is the thread's, or that of an interrupt
 * or exception with fewer than `bytes` left. Callable in probe context, before the guard.
 */
int shim_other_stack(size_t bytes);

/*
 * task.c: the current thread. Everything of this file is callable in probe context.
 * The layout is that of Task in engine/tracer/src/platform/task.rs.
 */
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

/* Context in engine/tracer/src/platform/task.rs. */
enum shim_context {
	SHIM_THREAD,
	SHIM_TICK,
	SHIM_TRAP,
};

void shim_task(struct shim_task *to, enum shim_context context);

/* Whether the current process is the one of this ID or a descendant of it. */
int shim_descends_from(u32 pid);

/*
 * A non-zero number that no other existing thread has; nanoseconds of CPU time that the
 * thread has used; and a register of its last user-mode state, numbered as in pt_regs,
 * 0 if there is none.
 */
unsigned long shim_thread_key(void);
u64 shim_run_time(void);
u64 shim_user_register(u64 number);

/* task.c: the registers with which it entered the kernel from user mode; NULL for a kernel thread. */
const struct pt_regs *shim_user_regs(void);

/*
 * nofault.c: reads kernel memory or the process's memory at any address. Neither faults
 * a page in, nor accesses a device's registers. -EFAULT if not all bytes could be read.
 * Callable in probe context.
 */
int shim_load(unsigned long address, void *to, size_t length);
int shim_load_user(unsigned long address, void *to, size_t length);

/* destructive.c: non-zero if destructive programs may be loaded. */
int shim_allows_destructive(void);

/*
 * destructive.c: sends a signal to the current process, or the one that stops it, as soon
 * as the CPU takes interrupts. -EPERM for init, -ESRCH for a kernel thread or a thread that
 * exits. Callable in probe context, under the guard, like the rest of this group.
 */
int shim_raise(u32 signal);
int shim_stop(void);

/*
 * nofault.c: writes memory of the process, without faulting a page in. -EFAULT if not all
 * bytes could be written.
 */
int shim_copyout(unsigned long address, const void *from, size_t length);

/* destructive.c: spins. */
void shim_spin(u64 nanoseconds);

/* destructive.c: panics; returns -EPERM if that has been disallowed. */
int shim_panic(u32 probe);

/* destructive.c: enters the kernel's debugger; -EOPNOTSUPP if none is attached. */
int shim_breakpoint(void);

/* lock.c: cond_resched(), for long loops on the control path. */
void shim_cond_resched(void);

/*
 * Where a stack trace starts; as numbered in engine/kernel/src/platform.rs.
 * SHIM_INTERRUPTED has no registers; those of SHIM_CALLER are partly computed.
 */
enum shim_origin {
	SHIM_ENTRY,
	SHIM_RETURN,
	SHIM_CALLER,
	SHIM_INTERRUPTED,
};

/*
 * stack.c: stores the program counters on the kernel stack in `frames`, innermost
 * first, and returns their number. The trace starts at a function's entry, at an
 * instruction that leaves a function, in the caller that a function returns to, or
 * in the code that an interrupt has interrupted. Callable in probe context.
 */
unsigned int shim_stack(struct pt_regs *regs, u64 *frames, unsigned int count,
			enum shim_origin origin);

/*
 * timer.c: starts a periodic timer, on one CPU or on every online CPU, which calls
 * trapline_tick(). May sleep.
 */
int shim_timer_start(u32 number, u64 nanoseconds, int everywhere);

/* timer.c: stops it. No tick is in progress when it returns. May sleep. */
void shim_timer_stop(u32 number);

/*
 * modules.c: calls `visit` for each loaded module but this one, until it returns
 * non-zero, and returns that. `module` identifies the module until
 * trapline_module_going() has returned, which waits for the control lock and for
 * trapline_start().
 */
typedef int (*shim_module_fn)(void *context, unsigned long module,
			      const char *name, size_t length);
int shim_each_module(shim_module_fn visit, void *context);

/*
 * symbols.c: calls `visit` for each function of a module, or of the kernel proper if
 * `module` is 0, until it returns non-zero, and returns that. A size of 0 is unknown.
 */
typedef int (*shim_visit_fn)(void *context, const char *name, size_t length,
			     unsigned long address, size_t size);
int shim_each_function(unsigned long module, shim_visit_fn visit, void *context);

/*
 * symbols.c: why no probe may be placed at an address, as numbered by OffLimits in
 * engine/tracer/src/platform/symbols.rs; 0 if one may.
 */
unsigned int shim_off_limits(unsigned long address);

/*
 * symbols.c: non-zero if the kernel rewrites the instruction at run time (a jump label,
 * a static call, ftrace's).
 */
int shim_rewritten(unsigned long address);

/*
 * symbols.c: the number of bytes at a function's address that no trap may be in: a landing pad
 * of indirect branches, and ftrace's slot behind it.
 */
size_t shim_head(unsigned long address);

/* symbols.c: reads kernel text. Callable in probe context, before the guard. */
int shim_peek(unsigned long address, void *bytes, size_t length);

/* kprobes.c: likewise, but with the original instructions of kprobes. Control path only. */
int shim_peek_original(unsigned long address, void *bytes, size_t length);

/*
 * kprobes.c: takes or releases kprobe_mutex, so that meanwhile no kprobe is registered,
 * removed or optimized. Does nothing if kallsyms does not list the mutex. May sleep.
 */
void shim_hold_kprobes(int held);

/* kprobes.c: non-zero if a kprobe may overwrite the instruction at an address, now or later. */
int shim_has_kprobe(unsigned long address);

/* symbols.c: non-zero if a jump to an address is a return. */
int shim_is_return_thunk(unsigned long address);

/* ftrace.c: non-zero if ftrace's calls are at function entries, and pass the registers. */
int shim_has_calls(void);

/* ftrace.c: the address of the ftrace call of the function at an address; 0 if it has none. */
unsigned long shim_call_of(unsigned long address);

/*
 * ftrace.c: sets the calls that trapline_called() receives; others may still arrive
 * if they are in flight. On failure the previous set remains. May sleep. Called under
 * the control lock.
 */
int shim_trace_calls(const unsigned long *calls, size_t count);

/* A string without a terminating NUL. */
struct shim_name {
	const char *text;
	size_t length;
};

/*
 * syscalls.c: calls `visit` for each numbered system call, ABI by ABI, until it
 * returns non-zero, and returns that. names[0] is the ABI's name, names[1] the call's.
 */
typedef int (*shim_syscall_fn)(void *context, unsigned int abi, u32 number,
			       const struct shim_name names[2]);
int shim_each_syscall(shim_syscall_fn visit, void *context);

/*
 * syscalls.c: argument `number` of the system call that the current thread has entered
 * with these registers; 0 if there is no such argument. Callable in probe context.
 */
u64 shim_syscall_argument(const struct pt_regs *regs, unsigned int number);

/* Event in engine/tracer/src/platform/events.rs, which also says what each one's arguments are. */
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

/*
 * Numbers in engine/tracer/src/platform/events.rs: a bitmap of system-call numbers for
 * each ABI. Numbers that are equal modulo its size share a bit.
 */
#define SHIM_WORDS_OF_ABI 16
struct shim_numbers {
	u32 bits[2 * SHIM_WORDS_OF_ABI];
};

/*
 * events.c: subscribes to an event: of system calls with these numbers, or of another
 * event if all bits are set. Without any bit it unsubscribes; no report is in progress
 * when it returns. May sleep. Called under the control lock.
 */
int shim_subscribe(enum shim_event event, const struct shim_numbers *numbers);

/*
 * tracepoints.c: calls `visit` for each tracepoint of the kernel proper, until it
 * returns non-zero, and returns that.
 */
typedef int (*shim_tracepoint_fn)(void *context, unsigned long point,
				  const char *name, size_t length);
int shim_each_tracepoint(shim_tracepoint_fn visit, void *context);

/*
 * tracepoints.c: registers trapline_tracepoint() with a tracepoint, to be called with
 * `number`. After unregistering, the last call has ended when
 * shim_tracepoints_synchronize() returns. May sleep. Called under the control lock.
 */
int shim_tracepoint_register(unsigned long point, u32 number);
void shim_tracepoint_unregister(unsigned long point, u32 number);
void shim_tracepoints_synchronize(void);

/*
 * `word` holds the bytes in the order of their addresses, the lowest first; only as
 * many as the trap instruction has are written. Patch in
 * engine/tracer/src/platform/text.rs.
 */
struct shim_patch {
	unsigned long address;
	u32 word;
	u32 failed;
};

/*
 * patch.c: patches text at each address and sets `failed` for each. When it returns,
 * every CPU executes the new text. Allocates no memory, so that disarming cannot fail
 * for lack of it. May sleep. Called under the control lock.
 */
void shim_patch(struct shim_patch *patches, size_t count);

/*
 * patch.c: makes the kernel's trap entry call trapline_trap() before anything that can
 * be traced (`straight`), or reach the hook of arch/ by the kernel's own path again. Can
 * fail in either direction, and then nothing has changed. May sleep. Called under the
 * control lock.
 */
int shim_direct_dispatch(int straight);

/*
 * main.c: keeps the module loaded, as the kernel may still call into it, or lets it be
 * unloaded again. Called under the control lock; pinning only while a file is open.
 */
void shim_pin(int is_pinned);

/* arch/: the range of addresses that shim_code_alloc() allocates from. */
void shim_code_range(unsigned long range[2]);

/*
 * arch/ or exec_mem.c: allocates a page of slots, which is executable and read-only at
 * the returned address, and filled with trap instructions that are not ours. 0 if there
 * is no memory. May sleep.
 */
unsigned long shim_code_alloc(void);
void shim_code_free(unsigned long address);

/*
 * arch/ or exec_mem.c: writes to such a page through its writable alias. No CPU executes
 * the bytes meanwhile.
 */
void shim_code_write(unsigned long address, const void *bytes, size_t length);

/* arch/: when it returns, every CPU that gets there from a trap executes what was written. */
void shim_code_flush(unsigned long address, size_t length);

/*
 * lock.c: waits until every thread that was in such a page, or in a trap that would send
 * it there, has left it. May sleep.
 */
void shim_synchronize_code(void);

/* Space in engine/tracer/src/platform/process.rs. */
struct shim_space {
	unsigned long handle;
	unsigned long key;
	unsigned long is_compat;
};

/*
 * space.c: opens the address space of a process, which the caller must be allowed to
 * trace; the same handle again if it is open. May sleep. Called under the control lock,
 * as all of this group.
 */
int shim_space_open(u32 pid, struct shim_space *to);

/* space.c: closes it. None of our traps is in its text, and it has no slots. May sleep. */
void shim_space_close(unsigned long handle);

/* space.c: non-zero once its last thread has left. */
int shim_space_is_gone(unsigned long handle);

/* space.c: the key of the current thread's address space. Callable in probe context, before the guard. */
unsigned long shim_current_space(void);

/*
 * space.c: the key of the address space of a process, which the caller must be allowed to
 * trace as above. It is no other's until shim_space_drop(). May sleep.
 */
int shim_space_hold(u32 pid, unsigned long *key);
void shim_space_drop(unsigned long key);

/* space.c: reads its memory, faulting pages in. May sleep. */
int shim_space_read(unsigned long handle, unsigned long address, void *to, size_t length);

/* Patched in engine/tracer/src/platform/process.rs. */
enum shim_outcome {
	SHIM_WRITTEN,
	SHIM_DIFFERENT,
	SHIM_UNWRITABLE,
};

/* UserPatch in engine/tracer/src/platform/process.rs. */
struct shim_user_patch {
	unsigned long address;
	u32 expected;
	u32 word;
	u32 length;
	u32 outcome;
};

/*
 * space.c: writes words to its text, ordered by address; either all are traps, or none
 * is. Writing a word back needs no memory of ours. May sleep.
 */
void shim_space_patch(unsigned long handle, struct shim_user_patch *patches, size_t count,
		      bool are_traps);

/*
 * counters.c: adds 1 to a 16-bit counter of its private memory, or subtracts 1 again if that is
 * the same memory; children start without what is added then. Returns 0, -ENOMEM, or another
 * error if no such counter is there. May sleep.
 */
int shim_space_count(unsigned long handle, unsigned long address, bool is_up);

/* InSlot in engine/tracer/src/platform/process.rs. */
struct shim_in_slot {
	unsigned long slot;
	unsigned long size;
	unsigned long site;
	unsigned long next;
	u32 site_status;
	u32 next_status;
};

/*
 * slots.c: maps a page for slots below `near`, and returns its address; 0 if there is no
 * memory. Writes the code of a slot in such a page, unless there is no memory to know it
 * by. Unmaps all of them. May sleep.
 */
unsigned long shim_slots_map(unsigned long handle, unsigned long near);
int shim_slots_write(unsigned long handle, const struct shim_in_slot *slot, const void *code);
void shim_slots_unmap(unsigned long handle);

/* ProbeMemory in engine/tracer/src/platform/process.rs, in bytes. */
struct shim_probe_memory {
	unsigned long process;
	unsigned long all;
};

/* memory.c: the bounds on the memory of probes in processes. */
void shim_probe_memory(struct shim_probe_memory *to);

/*
 * user.c: stores to the current process's memory, without faulting pages in. Callable in
 * probe context.
 */
int shim_store_user(unsigned long address, const void *from, size_t length);

/*
 * user.c: has threads that are held call trapline_is_released() again, and readers of the
 * device trapline_opened().
 */
void shim_wake_held(void);

/*
 * execs.c: has each process that executes a program, or is forked by one with probes, call
 * trapline_process_begins(); and not any more, when none is in it. Returns 0, -EOPNOTSUPP in
 * another PID namespace than the initial one, or -ENOMEM. May sleep.
 */
int shim_hold_execs(void);
void shim_let_execs_go(void);

/*
 * device.c: copies to and from the calling process. shim_copy_to_user() does not sleep:
 * it fails if a page is missing, which shim_bring_in() then faults in. The other two may
 * sleep.
 */
int shim_copy_to_user(u64 to, const void *from, size_t length);
int shim_bring_in(u64 address, size_t length);
int shim_copy_from_user(void *to, u64 from, size_t length);

static_assert(sizeof(struct shim_task) == 56);
static_assert(sizeof(struct shim_patch) == sizeof(long) + 8);
static_assert(sizeof(struct shim_name) == 2 * sizeof(long));
static_assert(sizeof(struct shim_numbers) == 128);

#endif
