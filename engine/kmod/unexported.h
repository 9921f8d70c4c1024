/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Functions of the kernel that are not exported. UNEXPORTED(f) defines what tl_resolve(f) fills
 * in once, and tl_unexported(f)(...) calls f, with the type that this kernel's headers declare.
 *
 * The call is a direct one where the architecture has such (static_call). By a pointer it would
 * need a landing pad, which a kernel with Indirect Branch Tracking removes from each function that
 * it only calls directly itself; the processor then faults.
 */
#ifndef TRAPLINE_UNEXPORTED_H
#define TRAPLINE_UNEXPORTED_H

#include <linux/static_call.h>
#include <linux/stringify.h>

#include "internal.h"

/* Another level, for names that are macros in themselves (compat/). */
#define TL_KEY(function) TL_KEY_OF(function)
#define TL_KEY_OF(function) tl_##function

#define UNEXPORTED(function) DEFINE_STATIC_CALL_NULL(TL_KEY(function), function)

#define tl_unexported(function) static_call(TL_KEY(function))

/* Whether this kernel has the function; if not, an error is logged. May sleep. */
#define tl_resolve(function) ({							\
	typeof(&function) address = (void *)tl_symbol(__stringify(function));	\
										\
	if (address)								\
		static_call_update(TL_KEY(function), address);			\
	address != NULL;							\
})

#endif
