// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/module.h>

bool probe(const struct module *module, unsigned long address);
bool probe(const struct module *module, unsigned long address)
{
	return within_module_mem_type(address, module, MOD_TEXT);
}
