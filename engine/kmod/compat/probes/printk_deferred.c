// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/printk.h>

void probe(void);
void probe(void)
{
	__printk_deferred_enter();
	__printk_deferred_exit();
}
