/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The self-test of an architecture: executes a given instruction in kernel mode on given
 * registers and memory, so that its effect alone can be compared with its effect while it
 * is probed. Built only into the module with mutants: whoever can open the device can
 * execute arbitrary code in the kernel.
 *
 * Each instruction has a page of its own, which the module lists as a function
 * `trapline_native`, so that it can be probed like any other. There are several, since
 * arming one probe costs as much as arming all of them.
 */
#ifndef TRAPLINE_SELFTEST_H
#define TRAPLINE_SELFTEST_H

#include <linux/types.h>

#define TRAPLINE_NATIVE_NAME "trapline_native"

/*
 * selftest.c, or no_selftest.c in a module without the self-test: the address of a site,
 * in ascending order; 0 past the last.
 */
unsigned long tl_selftest_site(unsigned int number);

/* selftest.c: allocates and frees the pages. Before trapline_start(), which lists the sites. */
int tl_selftest_prepare(void);
void tl_selftest_release(void);

/* selftest.c: the device, whose opener registers the hook. Only while the trap hook is registered. */
int tl_selftest_init(void);
void tl_selftest_exit(void);

/* Provided by the self-test of each architecture in arch/. */
struct trapline_native {
	/* Bytes of the state of a run, without memory. */
	size_t state;
	/* The initial instruction of a site: one that can be probed, or the site would be refused. */
	const void *first;
	size_t first_length;
	/* Looks up kernel functions. */
	int (*prepare)(void);
	/* Registers the hook for the traps that begin and end a run. Called under the control lock. */
	int (*hook)(void);
	void (*unhook)(void);
	/* Loads the state, executes from its pc, and stores the resulting state in place. */
	void (*run)(void *state);
};

extern const struct trapline_native trapline_native;

#endif
