// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/percpu.h>
#include <linux/sched.h>

unsigned long probe(void);
unsigned long probe(void)
{
	return (unsigned long)&pcpu_hot.current_task + offsetof(struct pcpu_hot, hardirq_stack_ptr);
}
