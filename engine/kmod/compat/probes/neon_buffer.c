// SPDX-License-Identifier: MIT OR GPL-2.0-only
#ifdef CONFIG_ARM64
#include <asm/neon.h>

void probe(struct user_fpsimd_state *state);
void probe(struct user_fpsimd_state *state)
{
	kernel_neon_begin(state);
}
#else
#error "only arm64 has it"
#endif
