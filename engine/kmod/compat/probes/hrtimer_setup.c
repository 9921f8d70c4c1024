// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/hrtimer.h>

void probe(struct hrtimer *timer, enum hrtimer_restart (*rings)(struct hrtimer *));
void probe(struct hrtimer *timer, enum hrtimer_restart (*rings)(struct hrtimer *))
{
	hrtimer_setup(timer, rings, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
