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
