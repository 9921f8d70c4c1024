/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * trapline-bench: kprobes, kretprobes and bare traps, measured for comparison
 * with the engine. What depends on the architecture is in arch/.
 *
 * Calls are measured with interrupts disabled (measures.c); arming and
 * disarming sleep, in the context of the writer of /proc/trapline-bench. The
 * file does not serialize its writers.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/types.h>

/* Calls of the probed function per measurement. */
#define BENCH_CALLS 10000

#define BENCH_SITES 1000

/* The function that is probed, and one that consists of a trap. */
unsigned long trapline_bench_probed(unsigned long argument);
void trapline_bench_trapped(void);

/* Offset of the probed function's body, after ftrace's instructions. */
extern const unsigned long bench_body;

/* Registers and unregisters a handler that skips that trap, where the kernel lets a module do so. */
extern const bool bench_has_trap;
int bench_trap_init(void);
void bench_trap_exit(void);

/* The address of an unexported symbol, or NULL. May sleep. */
void *bench_symbol(const char *name);

/* Functions to arm kprobes on. They are never called. */
extern void *const bench_sites[BENCH_SITES];

/*
 * Each returns the nanoseconds taken, or a negative errno. If the guest's clock
 * counts instructions, a nanosecond stands for an instruction.
 */
s64 bench_calls(unsigned long unused);
s64 bench_kprobe(unsigned long unused);
s64 bench_settled_kprobe(unsigned long unused);
s64 bench_body_kprobe(unsigned long unused);
s64 bench_kretprobe(unsigned long unused);
s64 bench_trap(unsigned long unused);
s64 bench_arm(unsigned long sites);
s64 bench_disarm(unsigned long unused);

/*
 * Registers a uprobe or uretprobe at this offset of the file of trapline-frames, until
 * bench_no_uprobe(). All sleep, take no time that is returned, and return 0 or a negative errno.
 */
s64 bench_uprobe(unsigned long offset);
s64 bench_marker_uprobe(unsigned long offset);
s64 bench_uretprobe(unsigned long offset);
s64 bench_no_uprobe(unsigned long unused);

#endif
