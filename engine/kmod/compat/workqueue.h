/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A workqueue's work runs on the CPU that queued it; since 6.17 that has a flag, and 7.x warns if
 * neither that nor the opposite is given. The kernel's own that is bound to no CPU got another name
 * then, and 7.x warns of the old one.
 */
#ifndef TRAPLINE_COMPAT_WORKQUEUE
#define TRAPLINE_COMPAT_WORKQUEUE

#include <linux/workqueue.h>

#include "found.h"

#ifdef TL_HAS_WQ_PERCPU
#define COMPAT_WQ_PERCPU WQ_PERCPU
#define compat_unbound_wq system_dfl_wq
#else
#define COMPAT_WQ_PERCPU 0
#define compat_unbound_wq system_unbound_wq
#endif

#endif
