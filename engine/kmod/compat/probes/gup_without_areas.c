// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/mm.h>

long probe(struct mm_struct *mm, struct page **page);
long probe(struct mm_struct *mm, struct page **page)
{
	return get_user_pages_remote(mm, 0, 1, FOLL_FORCE, page, NULL);
}
