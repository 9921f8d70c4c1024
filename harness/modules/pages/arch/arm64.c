// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Walks the tables from TTBR1_EL1. Blocks have these attribute bits where pages have them. */
#include <linux/mm.h>
#include <linux/pgtable.h>

#include <asm/sysreg.h>

#include "../pages.h"

/* The base address, between ASID and CnP. */
#define TABLE GENMASK_ULL(47, 1)

static u64 descriptor(unsigned long address)
{
	pgd_t *top = phys_to_virt(read_sysreg(ttbr1_el1) & TABLE);
	pgd_t *pgd = pgd_offset_pgd(top, address);
	p4d_t *p4d = p4d_offset(pgd, address);
	pud_t *pud;
	pmd_t *pmd;

	if (pgd_none(*pgd) || p4d_none(*p4d))
		return 0;
	pud = pud_offset(p4d, address);
	if (pud_none(*pud) || pud_leaf(*pud))
		return pud_val(*pud);
	pmd = pmd_offset(pud, address);
	if (pmd_none(*pmd) || pmd_leaf(*pmd))
		return pmd_val(*pmd);
	return pte_val(*pte_offset_kernel(pmd, address));
}

struct rights pages_rights(unsigned long address)
{
	struct rights rights = {};
	u64 entry = descriptor(address);

	if (!(entry & PTE_VALID))
		return rights;
	rights.mapped = true;
	rights.write = !(entry & PTE_RDONLY);
	rights.execute = !(entry & PTE_PXN);
	return rights;
}
