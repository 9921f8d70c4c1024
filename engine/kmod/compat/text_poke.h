/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * On x86, the function that replaces an instruction while others execute it, and the one that
 * serialises every CPU. Both were given other names in 6.16.
 */
#ifndef TRAPLINE_COMPAT_TEXT_POKE
#define TRAPLINE_COMPAT_TEXT_POKE

#include <asm/text-patching.h>

#include "found.h"

#ifdef TL_HAS_SMP_TEXT_POKE
#define COMPAT_POKE_RUNNING smp_text_poke_single
#define COMPAT_POKE_SYNC smp_text_poke_sync_each_cpu
#else
#define COMPAT_POKE_RUNNING text_poke_bp
#define COMPAT_POKE_SYNC text_poke_sync
#endif

#endif
