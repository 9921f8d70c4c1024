// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Walks ARMv6's own page tables, from TTBR0: a first-level word per megabyte,
 * which is a section or points to a table of words per page. XN and APX are
 * as in the format that Linux uses, without subpages. For a page that the
 * kernel may access, APX means read-only.
 */
#include <linux/bits.h>
#include <linux/io.h>

#include "../pages.h"

#define TYPE 3
#define IS_TABLE 1
#define IS_SECTION 2
#define SECTION_XN BIT(4)
#define SECTION_APX BIT(15)
#define PAGE_XN BIT(0)
#define PAGE_APX BIT(9)

struct rights pages_rights(unsigned long address)
{
	struct rights rights = {};
	u32 *table, entry;

	asm("mrc p15, 0, %0, c2, c0, 0" : "=r"(entry));
	table = phys_to_virt(entry & ~GENMASK(13, 0));
	entry = table[address >> 20];
	if ((entry & TYPE) == IS_SECTION) {
		rights.mapped = true;
		rights.write = !(entry & SECTION_APX);
		rights.execute = !(entry & SECTION_XN);
		return rights;
	}
	if ((entry & TYPE) != IS_TABLE)
		return rights;
	table = phys_to_virt(entry & ~GENMASK(9, 0));
	entry = table[(address >> 12) & GENMASK(7, 0)];
	if (!(entry & TYPE))
		return rights;
	rights.mapped = true;
	rights.write = !(entry & PAGE_APX);
	rights.execute = !(entry & PAGE_XN);
	return rights;
}
