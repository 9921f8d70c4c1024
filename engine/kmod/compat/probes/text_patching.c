// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/memory.h>

#include <asm/text-patching.h>

void probe(void);
void probe(void)
{
}
