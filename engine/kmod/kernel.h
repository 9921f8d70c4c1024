/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Kernel configurations that the build refuses: for each option what would go wrong, and what
 * supporting it would take. doc/kernels.md has the same list, and a test compares them.
 */
#ifndef TRAPLINE_KERNEL_H
#define TRAPLINE_KERNEL_H

#ifdef CONFIG_SHADOW_CALL_STACK
#error CONFIG_SHADOW_CALL_STACK: the way from a trap to the probe has never run on a shadow call stack. It takes a guest that has one; the Rust half leaves x18 alone already.
#endif

#ifdef CONFIG_ARM64_BTI_KERNEL
#error CONFIG_ARM64_BTI_KERNEL: C calls the Rust half by pointer, and both call kernel functions by address, where no BTI need be. It takes -Zbranch-protection=bti, and none of those calls.
#endif

#ifdef CONFIG_X86_KERNEL_IBT
#error CONFIG_X86_KERNEL_IBT: the module calls kernel functions by address, whose ENDBR the kernel has removed if it never does so itself. It takes -Zcf-protection=branch, and none of those calls.
#endif

#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#error CONFIG_CFI_CLANG or CONFIG_CFI: C calls the Rust half by pointer, and its functions have no kCFI type hash. It takes -Zsanitizer=kcfi with types that agree.
#endif

#ifdef CONFIG_CALL_PADDING
#error CONFIG_CALL_PADDING: the kernel writes into the padding before each function that is called, and the Rust half has none. It takes -Zpatchable-function-entry, and call sites that objtool has listed.
#endif

#ifdef CONFIG_PREEMPT_RT
#error CONFIG_PREEMPT_RT: memory for a child is allocated in a tracepoint, where preemption is off, and the allocator takes locks that sleep. It takes memory that is there before the event.
#endif

#if defined(CONFIG_KASAN_GENERIC) || defined(CONFIG_KASAN_SW_TAGS)
#error CONFIG_KASAN_GENERIC or CONFIG_KASAN_SW_TAGS: what runs before the probe is guarded calls KASAN at each access, whose functions can be probed. It takes those functions on the list of what must not be.
#endif

#ifdef CONFIG_KMSAN
#error CONFIG_KMSAN: what runs before the probe is guarded calls KMSAN at each access, whose functions can be probed. It takes those functions on the list of what must not be.
#endif

#ifdef CONFIG_KCSAN
#error CONFIG_KCSAN: what runs before the probe is guarded calls KCSAN at each access, whose functions can be probed. It takes those functions on the list of what must not be.
#endif

#ifdef CONFIG_KCOV_INSTRUMENT_ALL
#error CONFIG_KCOV_INSTRUMENT_ALL: what runs before the probe is guarded calls KCOV in each block, whose functions can be probed. It takes those functions on the list of what must not be.
#endif

#if defined(CONFIG_ARM) && defined(CONFIG_FRAME_POINTER)
#error CONFIG_FRAME_POINTER on CONFIG_ARM: it forbids tail calls, and without one the handler of traps returns into the module after that may have been unloaded. It takes CONFIG_UNWINDER_ARM instead.
#endif

#endif
