/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The function behind __vmalloc_node_range(), which since 6.10 is a macro that accounts the
 * memory to the line that allocates it (CONFIG_MEM_ALLOC_PROFILING).
 */
#ifndef TRAPLINE_COMPAT_VMALLOC
#define TRAPLINE_COMPAT_VMALLOC

#include <linux/vmalloc.h>

#include "found.h"

#ifdef TL_HAS_VMALLOC_NOPROF
#define COMPAT_VMALLOC_NODE_RANGE __vmalloc_node_range_noprof
#else
#define COMPAT_VMALLOC_NODE_RANGE __vmalloc_node_range
#endif

#endif
