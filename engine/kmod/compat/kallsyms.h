/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The callback of kallsyms_on_each_symbol(). It was passed the symbol's module, NULL for the
 * kernel proper, after whose symbols came those of modules; since 6.4 modules have a function of
 * their own, and the callback one parameter less. COMPAT_KALLSYMS_CALLBACK defines a callback
 * that is passed symbols of the kernel proper only.
 */
#ifndef TRAPLINE_COMPAT_KALLSYMS
#define TRAPLINE_COMPAT_KALLSYMS

#include <linux/kallsyms.h>

#include "found.h"

#ifdef TL_HAS_KALLSYMS_OF_VMLINUX
#define COMPAT_KALLSYMS_CALLBACK(callback, visit)				\
static int callback(void *data, const char *name, unsigned long address)	\
{										\
	return visit(data, name, address);					\
}
#else
#define COMPAT_KALLSYMS_CALLBACK(callback, visit)				\
static int callback(void *data, const char *name, struct module *module,	\
		    unsigned long address)					\
{										\
	return module ? 0 : visit(data, name, address);				\
}
#endif

#endif
