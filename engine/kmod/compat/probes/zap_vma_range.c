// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/mm.h>

void probe(struct vm_area_struct *area);
void probe(struct vm_area_struct *area)
{
	zap_vma_range(area, 0, PAGE_SIZE);
}
