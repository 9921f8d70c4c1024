// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Module load and unload. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stringify.h>

#include "kernel.h"
#include "selftest.h"
#include "internal.h"
#include "shim.h"
#include "trapline.h"

#ifdef TRAPLINE_MUTANTS
static char *mutant;
module_param(mutant, charp, 0444);
MODULE_PARM_DESC(mutant, "the seeded defect to run with");

static int mutate(void)
{
	int error = mutant ? trapline_mutate(mutant) : 0;

	if (error)
		pr_err("trapline: unknown mutant '%s'\n", mutant);
	return error;
}
#else
static int mutate(void)
{
	return 0;
}
#endif

void tl_pin(void)
{
	static bool is_pinned;

	if (is_pinned)
		return;
	__module_get(THIS_MODULE);
	is_pinned = true;
}

void shim_pin(int is_pinned)
{
	static bool was_pinned;

	if (was_pinned == !!is_pinned)
		return;
	was_pinned = is_pinned;
	if (is_pinned)
		__module_get(THIS_MODULE);
	else
		module_put(THIS_MODULE);
}

static bool is_started;

static int start(void)
{
	int error = trapline_start();

	is_started = !error;
	tl_modules_begin(is_started);
	return error;
}

/* Runs after tl_modules_exit(): the module notifier calls into the engine. */
static void end(void)
{
	if (is_started)
		trapline_end();
}

static void unhook(void)
{
	/* It is on only in a module that was pinned and is unloaded by force. */
	shim_direct_dispatch(0);
	tl_hook_exit();
}

/*
 * The steps are initialised in this order and undone in reverse. A step's own exit is
 * not run if its init fails. A step without an init is undone whenever a later step
 * fails, so it cleans up after a later init that has failed half-way.
 */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} steps[] = {
	{ tl_arch_refuse, NULL },
	{ mutate, NULL },
	{ NULL, tl_memory_exit },
	{ NULL, tl_arch_exit },
	{ NULL, tl_ftrace_exit },
	{ tl_symbols_init, NULL },
	{ tl_nofault_init, NULL },
	{ tl_destructive_init, tl_destructive_exit },
	{ tl_lock_init, NULL },
	{ tl_stack_init, NULL },
	{ tl_kprobes_init, NULL },
	{ tl_ftrace_init, NULL },
	{ tl_events_init, NULL },
	{ tl_arch_init, NULL },
	{ tl_space_init, tl_slots_exit },
	{ tl_user_init, NULL },
	{ tl_execs_init, NULL },
	{ tl_selftest_prepare, tl_selftest_release },
	{ NULL, end },
	{ tl_modules_init, tl_modules_exit },
	{ start, NULL },
	{ NULL, tl_space_exit },
	{ tl_deadman_init, tl_deadman_exit },
	{ tl_timer_init, tl_timer_exit },
	{ tl_hook_init, unhook },
	{ tl_proc_init, tl_proc_exit },
	{ tl_selftest_init, tl_selftest_exit },
	/* Last: from here on the device can be opened, and open files cannot be revoked. */
	{ tl_device_init, tl_device_exit },
};

static void undo(size_t done)
{
	while (done--)
		if (steps[done].exit)
			steps[done].exit();
}

static int __init tl_init(void)
{
	int error = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (steps[i].init)
			error = steps[i].init();
		if (error) {
			undo(i);
			return error;
		}
	}
	return 0;
}

/* No consumer exists: an open file holds a reference to the module. */
static void __exit tl_exit(void)
{
	undo(ARRAY_SIZE(steps));
}

module_init(tl_init);
module_exit(tl_exit);

MODULE_AUTHOR("The Trapline maintainers");
MODULE_DESCRIPTION("Trapline: DTrace's probe engine");
MODULE_VERSION(__stringify(TRAPLINE_VERSION));
MODULE_LICENSE("Dual MIT/GPL");
