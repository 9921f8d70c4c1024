// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Clocks and random numbers. The fast clocks are NMI-safe; the generator is not. */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/timekeeping.h>

#include "shim.h"

u64 shim_now(void)
{
	return ktime_get_mono_fast_ns();
}

u64 shim_wall_time(void)
{
	return ktime_get_real_fast_ns();
}

u64 shim_random(void)
{
	return get_random_u64();
}
