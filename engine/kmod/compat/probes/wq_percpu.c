// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/workqueue.h>

int probe(void);
int probe(void)
{
	return WQ_PERCPU;
}
