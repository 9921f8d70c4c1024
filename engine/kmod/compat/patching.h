/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The header for writing instructions, which has one name on all architectures since 6.13. */
#ifndef TRAPLINE_COMPAT_PATCHING
#define TRAPLINE_COMPAT_PATCHING

#include "found.h"

#ifdef TL_HAS_TEXT_PATCHING
#include <asm/text-patching.h>
#elif defined(CONFIG_ARM)
#include <asm/patch.h>
#else
#include <asm/patching.h>
#endif

#endif
