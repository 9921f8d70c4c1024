/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Ways: calls in the kernel's entry path that can be made to lead to functions of ours, since a
 * module cannot be given an exception otherwise.
 */
#ifndef TRAPLINE_ARM64_WAYS
#define TRAPLINE_ARM64_WAYS

#include <linux/types.h>

/* The most that tl_lead_ways() takes. */
#define TL_WAYS 3

struct tl_way {
	/* The compiler may have inlined the first caller into the second. */
	const char *callers[2];
	const char *handler;
	void *ours;
	/* Where the call is, and what it calls without us. */
	u32 *call;
	void *handle;
};

/* The trampoline to what is ours, which may be out of range of a BL. */
struct tl_bridge {
	u32 ldr_x16, br_x16;
	u64 to;
};

/* -ENOENT if there is none. */
int tl_find_way(struct tl_way *way);

/* A bridge for each way, in a page to be freed by shim_code_free(); NULL without memory. */
struct tl_bridge *tl_build_bridges(const struct tl_way *ways, size_t count);

/*
 * Has all of the ways that were found lead to the bridges, or to the kernel's handlers again. If
 * one cannot be changed, the others are changed back.
 */
int tl_lead_ways(const struct tl_way *ways, struct tl_bridge *bridges, size_t count, bool to_us);

/* Has the bridges lead to the kernel's handlers, since the ways cannot be made to. */
void tl_leave_bridges(const struct tl_way *ways, struct tl_bridge *bridges, size_t count);

#endif
