// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The control: compiles against every kernel, or no other answer means anything. */
#include <linux/mm.h>
#include <linux/module.h>

const char *probe(const struct module *module);
const char *probe(const struct module *module)
{
	return PAGE_SIZE ? module->name : NULL;
}
