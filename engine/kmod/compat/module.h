/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A module's core text, as opposed to init text, which is freed after the module's init. It was
 * the beginning of one piece of memory, core_layout, with text_size; since 6.4 a module has
 * memory of several types.
 */
#ifndef TRAPLINE_COMPAT_MODULE
#define TRAPLINE_COMPAT_MODULE

#include <linux/module.h>

#include "found.h"

static inline bool compat_is_core_text(const struct module *module, unsigned long address)
{
#ifdef TL_HAS_MODULE_MEMORY
	return within_module_mem_type(address, module, MOD_TEXT);
#else
	const struct module_layout *core = &module->core_layout;

	return address - (unsigned long)core->base < core->text_size;
#endif
}

#endif
