// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/mm.h>

void probe(struct vm_special_mapping *mapping);
void probe(struct vm_special_mapping *mapping)
{
	mapping->close = NULL;
}
