// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Text patching. There may be a hundred thousand sites, so they are patched in batches:
 * interrupts are delayed by one batch at most, and other threads run in between.
 */
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "internal.h"
#include "shim.h"

void shim_patch(struct shim_patch *patches, size_t count)
{
	while (count) {
		size_t piece = min_t(size_t, count, TL_PATCHES);

		tl_patch(patches, piece);
		patches += piece;
		count -= piece;
		cond_resched();
	}
}

int shim_direct_dispatch(int straight)
{
	static bool is_straight;
	int error;

	if (is_straight == !!straight)
		return 0;
	error = tl_direct_dispatch(straight);
	if (error)
		pr_warn("trapline: cannot patch the call to the trap handler: %d\n", error);
	else
		is_straight = straight;
	return error;
}
