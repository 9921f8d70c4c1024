/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A workqueue's work runs on the CPU that queued it; since 6.17 that has a flag, and 7.x warns if
 * neither that nor the opposite is given.
 */
#ifndef TRAPLINE_COMPAT_WORKQUEUE
#define TRAPLINE_COMPAT_WORKQUEUE

#include <linux/workqueue.h>

#include "found.h"

#ifdef TL_HAS_WQ_PERCPU
#define COMPAT_WQ_PERCPU WQ_PERCPU
#else
#define COMPAT_WQ_PERCPU 0
#endif

#endif
