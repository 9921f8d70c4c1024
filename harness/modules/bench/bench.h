/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What is measured, and what of it an architecture knows. */
#ifndef BENCH_H
#define BENCH_H

#include <linux/types.h>

/* How often the probed function is called for one figure. */
#define BENCH_CALLS 10000

#define BENCH_SITES 1000

/* The function whose probes are compared, and one that is a trap and nothing else. */
unsigned long trapline_bench_probed(unsigned long argument);
void trapline_bench_trapped(void);

/* How far into the probed function its body begins, behind what the function tracer has of it. */
extern const unsigned long bench_body;

/* Puts up, and takes down, a handler of that trap that goes on behind it. */
int bench_trap_init(void);
void bench_trap_exit(void);

/* The address of a symbol that is not exported. */
void *bench_symbol(const char *name);

/* As many functions as there are sites, none of which anybody calls. */
extern void *const bench_sites[BENCH_SITES];

/*
 * Each gives the nanoseconds that it took, or an error. With a clock that counts
 * instructions these are instructions.
 */
s64 bench_calls(unsigned long unused);
s64 bench_kprobe(unsigned long unused);
s64 bench_settled_kprobe(unsigned long unused);
s64 bench_body_kprobe(unsigned long unused);
s64 bench_kretprobe(unsigned long unused);
s64 bench_trap(unsigned long unused);
s64 bench_arm(unsigned long sites);
s64 bench_disarm(unsigned long unused);

#endif
