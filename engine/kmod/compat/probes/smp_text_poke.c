// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/memory.h>

#ifdef CONFIG_X86
#include <asm/text-patching.h>

void probe(void *address, const void *bytes, size_t length);
void probe(void *address, const void *bytes, size_t length)
{
	smp_text_poke_single(address, bytes, length, NULL);
	smp_text_poke_sync_each_cpu();
}
#else
#error only x86 has it
#endif
