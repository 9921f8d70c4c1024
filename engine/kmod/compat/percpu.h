/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * x86: the per-CPU variables of the current task and of the interrupt stack's top. From 6.2 until
 * 6.14 both are members of one variable, pcpu_hot, to share a cache line; before and after, each
 * is its own, and hardirq_stack_ptr is not exported.
 */
#ifndef TRAPLINE_COMPAT_PERCPU
#define TRAPLINE_COMPAT_PERCPU

#include <linux/percpu.h>
#include <linux/sched.h>

#include "found.h"

#ifdef TL_HAS_PCPU_HOT
#define COMPAT_CURRENT_TASK pcpu_hot.current_task
#define COMPAT_IRQ_STACK ((void *__percpu *)&pcpu_hot.hardirq_stack_ptr)
#else
#define COMPAT_CURRENT_TASK current_task
#define COMPAT_IRQ_STACK ((void *__percpu *)tl_symbol("hardirq_stack_ptr"))
#endif

#endif
