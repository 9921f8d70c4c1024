/* x86-64. */

#define REGISTERS(X) \
	X(rax, "-8@%0") \
	X(rbx, "-4@%k0") \
	X(rcx, "-8@%0") \
	X(rdx, "-4@%k0") \
	X(rsi, "-8@%0") \
	X(rdi, "-2@%w0") \
	X(rbp, "-8@%0") \
	X(r8, "-4@%k0") \
	X(r9, "-8@%0") \
	X(r10, "-2@%w0") \
	X(r11, "-8@%0") \
	X(r12, "-4@%k0") \
	X(r13, "-8@%0") \
	X(r14, "-4@%k0") \
	X(r15, "-2@%w0")

/* The second lowest byte of a register. */
#define HIGH(name, note, kind, of) \
	do { \
		__asm__ __volatile__(_TRAPLINE_NOTE("trapline", "form__" name, "0", note) \
		    : : "Q"(of)); \
		SAY("form__" name, (kind)((of) >> 8)); \
	} while (0)

#define ONLY_HERE(value) \
	do { \
		HIGH("high__byte", "1@%h0", uint8_t, value); \
		HIGH("high__byte__signed", "-1@%h0", int8_t, value + 0x1000); \
	} while (0)
