/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Special mappings. Since 6.12 one can have a function that is called when its area is closed,
 * so the kernel reads the mapping then, which is the last time that it does. Before, it did not
 * from the end of the area's last page fault on.
 */
#ifndef TRAPLINE_COMPAT_MAPPING
#define TRAPLINE_COMPAT_MAPPING

#include <linux/mm.h>

#include "found.h"

/* Whether `closed` will be called. */
static inline bool compat_on_close(struct vm_special_mapping *mapping,
				   void (*closed)(const struct vm_special_mapping *mapping,
						  struct vm_area_struct *area))
{
#ifdef TL_HAS_SPECIAL_MAPPING_CLOSE
	mapping->close = closed;
	return true;
#else
	return false;
#endif
}

#endif
