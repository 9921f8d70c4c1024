// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Loading and unloading: what comes up goes down in the opposite order. */
#include <linux/module.h>
#include <linux/stringify.h>

#include "kernel.h"
#include "native.h"
#include "shim.h"

#ifdef TRAPLINE_MUTANTS
static char *mutant;
module_param(mutant, charp, 0444);
MODULE_PARM_DESC(mutant, "the seeded defect to run with");

static int mutate(void)
{
	int error = mutant ? trapline_mutate(mutant) : 0;

	if (error)
		pr_err("trapline: no mutant is called '%s'\n", mutant);
	return error;
}
#else
static int mutate(void)
{
	return 0;
}
#endif

static int __init trapline_init(void)
{
	int error;

	error = mutate();
	if (error)
		return error;
	error = trapline_symbols_init();
	if (error)
		return error;
	error = trapline_load_init();
	if (error)
		return error;
	error = trapline_memory_init();
	if (error)
		return error;
	error = trapline_stack_init();
	if (error)
		return error;
	error = trapline_neighbours_init();
	if (error)
		return error;
	error = trapline_calls_init();
	if (error)
		return error;
	error = trapline_events_init();
	if (error)
		return error;
	error = trapline_arch_init();
	if (error)
		goto arch;
	error = trapline_native_prepare();
	if (error)
		goto arch;
	error = trapline_modules_init();
	if (error)
		goto release;
	error = trapline_start();
	trapline_modules_begin(!error);
	if (error)
		goto forget;
	error = trapline_deadman_init();
	if (error)
		goto end;
	error = trapline_timer_init();
	if (error)
		goto undead;
	error = trapline_hook_init();
	if (error)
		goto untime;
	error = trapline_proc_init();
	if (error)
		goto unhook;
	error = trapline_native_init();
	if (error)
		goto unproc;
	/* Last: from here on others come in, and cannot be made to go again. */
	error = trapline_device_init();
	if (error)
		goto exit;
	return 0;

exit:
	trapline_native_exit();
unproc:
	trapline_proc_exit();
unhook:
	trapline_hook_exit();
untime:
	trapline_timer_exit();
undead:
	trapline_deadman_exit();
end:
	trapline_modules_exit();
	trapline_end();
	goto release;
forget:
	trapline_modules_exit();
release:
	trapline_native_release();
arch:
	trapline_calls_exit();
	trapline_arch_exit();
	trapline_memory_exit();
	return error;
}

/* No consumer is open: each holds a reference to the module. */
static void __exit trapline_exit(void)
{
	trapline_device_exit();
	trapline_native_exit();
	trapline_proc_exit();
	/* A trap that could not be taken out has kept it so. */
	shim_lead_here(0);
	trapline_hook_exit();
	trapline_timer_exit();
	trapline_deadman_exit();
	trapline_modules_exit();
	trapline_end();
	trapline_native_release();
	trapline_calls_exit();
	trapline_arch_exit();
	trapline_memory_exit();
}

module_init(trapline_init);
module_exit(trapline_exit);

MODULE_AUTHOR("The Trapline maintainers");
MODULE_DESCRIPTION("Trapline: DTrace's probe engine");
MODULE_VERSION(__stringify(TRAPLINE_VERSION));
MODULE_LICENSE("Dual MIT/GPL");
