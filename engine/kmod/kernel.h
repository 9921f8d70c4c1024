/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Kernel configurations that the build refuses: for each option what would go wrong, and what
 * supporting it would take. doc/kernels.md has the same list, and a test compares them. Options
 * that matter to one file, or on one architecture, are refused there, by static_assert().
 */
#ifndef TRAPLINE_KERNEL_H
#define TRAPLINE_KERNEL_H

#ifdef CONFIG_SHADOW_CALL_STACK
#error CONFIG_SHADOW_CALL_STACK: the trap path is untested with a shadow call stack. Support needs a guest that has one; the Rust half already leaves x18 alone.
#endif

#ifdef CONFIG_ARM64_BTI_KERNEL
#error CONFIG_ARM64_BTI_KERNEL: C calls the Rust half through pointers, and both call kernel functions by address, which may have no BTI landing pad. Support needs -Zbranch-protection=bti, and the removal of those calls.
#endif

#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#error CONFIG_CFI_CLANG or CONFIG_CFI: C calls the Rust half through pointers, and its functions have no kCFI type hash. Support needs -Zsanitizer=kcfi and matching types.
#endif

#ifdef CONFIG_PREEMPT_RT
#error CONFIG_PREEMPT_RT: memory for a child is allocated in a tracepoint, with preemption disabled, and the allocator takes sleeping locks. Support needs preallocated memory.
#endif

#if defined(CONFIG_KASAN_GENERIC) || defined(CONFIG_KASAN_SW_TAGS)
#error CONFIG_KASAN_GENERIC or CONFIG_KASAN_SW_TAGS: code that runs before the recursion guard is taken calls KASAN at each access, whose functions can be probed. Support needs those functions on the blacklist.
#endif

#ifdef CONFIG_KMSAN
#error CONFIG_KMSAN: code that runs before the recursion guard is taken calls KMSAN at each access, whose functions can be probed. Support needs those functions on the blacklist.
#endif

#ifdef CONFIG_KCSAN
#error CONFIG_KCSAN: code that runs before the recursion guard is taken calls KCSAN at each access, whose functions can be probed. Support needs those functions on the blacklist.
#endif

#ifdef CONFIG_KCOV_INSTRUMENT_ALL
#error CONFIG_KCOV_INSTRUMENT_ALL: code that runs before the recursion guard is taken calls KCOV in each block, whose functions can be probed. Support needs those functions on the blacklist.
#endif

#endif
