// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/vmalloc.h>

typeof(&__vmalloc_node_range_noprof) probe;
