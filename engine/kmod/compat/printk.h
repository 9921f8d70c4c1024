/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The functions that make this CPU defer what it prints, until the other is called. They were
 * __printk_safe_enter() and __printk_safe_exit(), of which printk_deferred_enter() was a macro;
 * a kernel after 6.6, at the latest 6.12, gave them that one's name. All of them only count.
 */
#ifndef TRAPLINE_COMPAT_PRINTK
#define TRAPLINE_COMPAT_PRINTK

#include <linux/printk.h>

#include "found.h"

#ifdef TL_HAS_PRINTK_DEFERRED
#define COMPAT_PRINTK_HOLD __printk_deferred_enter
#define COMPAT_PRINTK_RELEASE __printk_deferred_exit
#else
#define COMPAT_PRINTK_HOLD __printk_safe_enter
#define COMPAT_PRINTK_RELEASE __printk_safe_exit
#endif

#endif
