/*
 * Made by dtrace -h; changes will be lost.
 */

#ifndef _TRAPLINE_H
#define _TRAPLINE_H

#if defined(__ELF__) && defined(__GNUC__) && !defined(TRAPLINE_NO_PROBES)

#ifndef _TRAPLINE_NOTE

/*
 * A site is a nop with a note beside the code: SystemTap's note, version 3,
 * which tells tracers its address and where its arguments are.
 *
 * The note is dropped with its code: "?" has it in the group of an inline
 * function, and "o" links it to the section that its site is in.
 */
#if __SIZEOF_POINTER__ == 8
#define _TRAPLINE_WORD "8"
#define _TRAPLINE_ADDRESS "\t.8byte "
#else
#define _TRAPLINE_WORD "4"
#define _TRAPLINE_ADDRESS "\t.4byte "
#endif

#define _TRAPLINE_NOTE(provider, name, semaphore, arguments) \
	".Ltrapline_site%=:\n" \
	"\tnop\n" \
	"\t.pushsection .note.stapsdt,\"o?\",\"note\",.Ltrapline_site%=\n" \
	"\t.balign 4\n" \
	"\t.4byte 992f-991f, 994f-993f, 3\n" \
	"991:\t.asciz \"stapsdt\"\n" \
	"992:\t.balign 4\n" \
	"993:\n" \
	_TRAPLINE_ADDRESS ".Ltrapline_site%=\n" \
	_TRAPLINE_ADDRESS "_.stapsdt.base\n" \
	_TRAPLINE_ADDRESS semaphore "\n" \
	"\t.asciz \"" provider "\"\n" \
	"\t.asciz \"" name "\"\n" \
	"\t.asciz \"" arguments "\"\n" \
	"994:\t.balign 4\n" \
	"\t.popsection\n" \
	"\t.ifndef _.stapsdt.base\n" \
	"\t.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	"\t.weak _.stapsdt.base\n" \
	"\t.hidden _.stapsdt.base\n" \
	"_.stapsdt.base:\n" \
	"\t.space 1\n" \
	"\t.size _.stapsdt.base, 1\n" \
	"\t.popsection\n" \
	"\t.endif\n"

/*
 * An argument stays where it is: a constant, in a register, or in memory.
 *
 * - On i386 only some registers have parts of one byte.
 * - On arm64 memory could be at an anchor of the compiler's, which has no name,
 *   and Clang stores in memory whatever may be there: both have registers
 *   enough.
 * - GCC for 32-bit ARM puts constants into memory for "nor", where they have
 *   no name: "g" leaves integers alone, and an address becomes a variable.
 * - Clang warns of registers of arm64 that are wider than their operand.
 */
#if defined(__i386__)
#define _TRAPLINE_FLOAT(type, value) "noq"((type)(value))
#elif defined(__aarch64__) || defined(__x86_64__) && defined(__clang__)
#define _TRAPLINE_FLOAT(type, value) "nr"((type)(value))
#else
#define _TRAPLINE_FLOAT(type, value) "nor"((type)(value))
#endif
#if defined(__arm__) && !defined(__clang__)
#define _TRAPLINE_INTEGER(type, value) "g"((type)(value))
#define _TRAPLINE_POINTER(type, value) "nor"(__extension__ ({ \
		type trapline_pointer = (type)(value); \
		__asm__("" : "+r"(trapline_pointer)); \
		trapline_pointer; \
	}))
#elif defined(__aarch64__) && defined(__clang__)
#define _TRAPLINE_INTEGER(type, value) "nr"((__INT64_TYPE__)(type)(value))
#define _TRAPLINE_POINTER(type, value) _TRAPLINE_FLOAT(type, value)
#else
#define _TRAPLINE_INTEGER(type, value) _TRAPLINE_FLOAT(type, value)
#define _TRAPLINE_POINTER(type, value) _TRAPLINE_FLOAT(type, value)
#endif

/*
 * The number of tracers that have a probe enabled. One for each program or
 * shared object; the program itself never writes to it.
 */
#define _TRAPLINE_SEMAPHORE(name) \
	__attribute__((__weak__, __visibility__("hidden"), \
	    __section__(".probes"), __used__)) volatile unsigned short name

#define _TRAPLINE_ENABLED(semaphore) (__builtin_expect((semaphore) != 0, 0))

#endif

#ifdef __cplusplus
extern "C" {
#endif

_TRAPLINE_SEMAPHORE(trapline_sizes_semaphore);
_TRAPLINE_SEMAPHORE(trapline_words_semaphore);
_TRAPLINE_SEMAPHORE(trapline_text_semaphore);
_TRAPLINE_SEMAPHORE(trapline_many_semaphore);
_TRAPLINE_SEMAPHORE(trapline_none_semaphore);
_TRAPLINE_SEMAPHORE(trapline_two__sites_semaphore);
_TRAPLINE_SEMAPHORE(trapline_in__line_semaphore);
_TRAPLINE_SEMAPHORE(trapline_costly_semaphore);
_TRAPLINE_SEMAPHORE(trapline_child_semaphore);
_TRAPLINE_SEMAPHORE(trapline_fire_semaphore);

#ifdef __cplusplus
}
#endif

/* trapline:sizes(char, uint8_t, short, uint16_t, int, uint32_t, int64_t, uint64_t) */
#define TRAPLINE_SIZES(arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "sizes", "trapline_sizes_semaphore", "-1@%0" " " "1@%1" " " "-2@%2" " " "2@%3" " " "-4@%4" " " "4@%5" " " "-8@%6" " " "8@%7") \
	    : : _TRAPLINE_INTEGER(__INT8_TYPE__, arg0), \
	        _TRAPLINE_INTEGER(__UINT8_TYPE__, arg1), \
	        _TRAPLINE_INTEGER(__INT16_TYPE__, arg2), \
	        _TRAPLINE_INTEGER(__UINT16_TYPE__, arg3), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg4), \
	        _TRAPLINE_INTEGER(__UINT32_TYPE__, arg5), \
	        _TRAPLINE_INTEGER(__INT64_TYPE__, arg6), \
	        _TRAPLINE_INTEGER(__UINT64_TYPE__, arg7)); })
#define TRAPLINE_SIZES_ENABLED() _TRAPLINE_ENABLED(trapline_sizes_semaphore)

/* trapline:words(long, unsigned long, void *) */
#define TRAPLINE_WORDS(arg0, arg1, arg2) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "words", "trapline_words_semaphore", "-" _TRAPLINE_WORD "@%0" " " _TRAPLINE_WORD "@%1" " " _TRAPLINE_WORD "@%2") \
	    : : _TRAPLINE_INTEGER(__INTPTR_TYPE__, arg0), \
	        _TRAPLINE_INTEGER(__UINTPTR_TYPE__, arg1), \
	        _TRAPLINE_POINTER(const volatile void *, arg2)); })
#define TRAPLINE_WORDS_ENABLED() _TRAPLINE_ENABLED(trapline_words_semaphore)

/* trapline:text(char *) */
#define TRAPLINE_TEXT(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "text", "trapline_text_semaphore", _TRAPLINE_WORD "@%0") \
	    : : _TRAPLINE_POINTER(const volatile void *, arg0)); })
#define TRAPLINE_TEXT_ENABLED() _TRAPLINE_ENABLED(trapline_text_semaphore)

/* trapline:many(int, int, int, int, int, int, int, int, int, int, int, int) */
#define TRAPLINE_MANY(arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "many", "trapline_many_semaphore", "-4@%0" " " "-4@%1" " " "-4@%2" " " "-4@%3" " " "-4@%4" " " "-4@%5" " " "-4@%6" " " "-4@%7" " " "-4@%8" " " "-4@%9" " " "-4@%10" " " "-4@%11") \
	    : : _TRAPLINE_INTEGER(__INT32_TYPE__, arg0), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg1), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg2), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg3), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg4), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg5), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg6), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg7), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg8), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg9), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg10), \
	        _TRAPLINE_INTEGER(__INT32_TYPE__, arg11)); })
#define TRAPLINE_MANY_ENABLED() _TRAPLINE_ENABLED(trapline_many_semaphore)

/* trapline:none() */
#define TRAPLINE_NONE() \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "none", "trapline_none_semaphore", "") \
	    : : ); })
#define TRAPLINE_NONE_ENABLED() _TRAPLINE_ENABLED(trapline_none_semaphore)

/* trapline:two__sites(int) */
#define TRAPLINE_TWO_SITES(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "two__sites", "trapline_two__sites_semaphore", "-4@%0") \
	    : : _TRAPLINE_INTEGER(__INT32_TYPE__, arg0)); })
#define TRAPLINE_TWO_SITES_ENABLED() _TRAPLINE_ENABLED(trapline_two__sites_semaphore)

/* trapline:in__line(int) */
#define TRAPLINE_IN_LINE(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "in__line", "trapline_in__line_semaphore", "-4@%0") \
	    : : _TRAPLINE_INTEGER(__INT32_TYPE__, arg0)); })
#define TRAPLINE_IN_LINE_ENABLED() _TRAPLINE_ENABLED(trapline_in__line_semaphore)

/* trapline:costly(int) */
#define TRAPLINE_COSTLY(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "costly", "trapline_costly_semaphore", "-4@%0") \
	    : : _TRAPLINE_INTEGER(__INT32_TYPE__, arg0)); })
#define TRAPLINE_COSTLY_ENABLED() _TRAPLINE_ENABLED(trapline_costly_semaphore)

/* trapline:child(int) */
#define TRAPLINE_CHILD(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "child", "trapline_child_semaphore", "-4@%0") \
	    : : _TRAPLINE_INTEGER(__INT32_TYPE__, arg0)); })
#define TRAPLINE_CHILD_ENABLED() _TRAPLINE_ENABLED(trapline_child_semaphore)

/* trapline:fire(long) */
#define TRAPLINE_FIRE(arg0) \
	__extension__ ({ __asm__ __volatile__( \
	    _TRAPLINE_NOTE("trapline", "fire", "trapline_fire_semaphore", "-" _TRAPLINE_WORD "@%0") \
	    : : _TRAPLINE_INTEGER(__INTPTR_TYPE__, arg0)); })
#define TRAPLINE_FIRE_ENABLED() _TRAPLINE_ENABLED(trapline_fire_semaphore)

#else

#define TRAPLINE_SIZES(arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7) ((void)0)
#define TRAPLINE_SIZES_ENABLED() (0)
#define TRAPLINE_WORDS(arg0, arg1, arg2) ((void)0)
#define TRAPLINE_WORDS_ENABLED() (0)
#define TRAPLINE_TEXT(arg0) ((void)0)
#define TRAPLINE_TEXT_ENABLED() (0)
#define TRAPLINE_MANY(arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11) ((void)0)
#define TRAPLINE_MANY_ENABLED() (0)
#define TRAPLINE_NONE() ((void)0)
#define TRAPLINE_NONE_ENABLED() (0)
#define TRAPLINE_TWO_SITES(arg0) ((void)0)
#define TRAPLINE_TWO_SITES_ENABLED() (0)
#define TRAPLINE_IN_LINE(arg0) ((void)0)
#define TRAPLINE_IN_LINE_ENABLED() (0)
#define TRAPLINE_COSTLY(arg0) ((void)0)
#define TRAPLINE_COSTLY_ENABLED() (0)
#define TRAPLINE_CHILD(arg0) ((void)0)
#define TRAPLINE_CHILD_ENABLED() (0)
#define TRAPLINE_FIRE(arg0) ((void)0)
#define TRAPLINE_FIRE_ENABLED() (0)

#endif

#endif
