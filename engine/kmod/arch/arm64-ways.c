// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* See arm64-ways.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "../internal.h"
#include "../shim.h"
#include "arm64-ways.h"

static u32 call(const u32 *from, const void *to)
{
	const u32 bl = 0x94000000;

	return bl | (((const u32 *)to - from) & 0x03ffffff);
}

/* A caller's first words are searched. */
static u32 *find_call(const char *name, const void *to)
{
	u32 *code = (void *)tl_find_symbol(name);
	size_t i;

	for (i = 0; code && i < 256; i++)
		if (code[i] == call(&code[i], to))
			return &code[i];
	return NULL;
}

int tl_find_way(struct tl_way *way)
{
	way->handle = (void *)tl_symbol(way->handler);
	if (!way->handle)
		return -ENOENT;
	way->call = find_call(way->callers[0], way->handle) ?:
		    find_call(way->callers[1], way->handle);
	return way->call ? 0 : -ENOENT;
}

struct tl_bridge *tl_build_bridges(const struct tl_way *ways, size_t count)
{
	struct tl_bridge code[TL_WAYS];
	unsigned long page = shim_code_alloc();
	size_t i;

	if (!page)
		return NULL;
	for (i = 0; i < count; i++)
		code[i] = (struct tl_bridge){ 0x58000050, 0xd61f0200, (u64)ways[i].ours };
	shim_code_write(page, code, count * sizeof(*code));
	shim_code_flush(page, count * sizeof(*code));
	return (void *)page;
}

int tl_lead_ways(const struct tl_way *ways, struct tl_bridge *bridges, size_t count, bool to_us)
{
	struct shim_patch new[TL_WAYS], old[TL_WAYS];
	size_t i, calls = 0;
	bool has_failed = false;

	for (i = 0; i < count; i++) {
		u32 *from = ways[i].call;
		const void *there = to_us ? (void *)&bridges[i] : ways[i].handle;
		const void *back = to_us ? ways[i].handle : (void *)&bridges[i];

		if (!from || (i && from == ways[i - 1].call))
			continue;
		new[calls] = (struct shim_patch){ (unsigned long)from, call(from, there) };
		old[calls++] = (struct shim_patch){ (unsigned long)from, call(from, back) };
	}
	tl_patch(new, calls);
	for (i = 0; i < calls; i++)
		has_failed |= new[i].failed;
	if (has_failed)
		tl_patch(old, calls);
	return has_failed ? -EIO : 0;
}

void tl_leave_bridges(const struct tl_way *ways, struct tl_bridge *bridges, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		u64 to = (u64)ways[i].handle;

		shim_code_write((unsigned long)&bridges[i].to, &to, sizeof(to));
	}
	shim_synchronize();
	pr_err("trapline: the kernel's trap entry still calls a page of the module's slots, which is not freed\n");
}
