/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Initializing an hrtimer and setting its function are one call since 6.13; the separate one was
 * removed in 6.15.
 */
#ifndef TRAPLINE_COMPAT_HRTIMER
#define TRAPLINE_COMPAT_HRTIMER

#include <linux/hrtimer.h>

#include "found.h"

#ifdef TL_HAS_HRTIMER_SETUP
#define compat_hrtimer_setup hrtimer_setup
#else
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
