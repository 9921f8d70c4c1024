/* arm64. x18 is the platform's, and x29 the frame's. */

#define REGISTERS(X) \
	X(x0, "-8@%0") X(x1, "-4@%w0") X(x2, "-8@%0") X(x3, "-4@%w0") \
	X(x4, "-8@%0") X(x5, "-4@%w0") X(x6, "-8@%0") X(x7, "-4@%w0") \
	X(x8, "-8@%0") X(x9, "-4@%w0") X(x10, "-8@%0") X(x11, "-4@%w0") \
	X(x12, "-8@%0") X(x13, "-4@%w0") X(x14, "-8@%0") X(x15, "-4@%w0") \
	X(x16, "-8@%0") X(x17, "-4@%w0") X(x19, "-8@%0") X(x20, "-4@%w0") \
	X(x21, "-8@%0") X(x22, "-4@%w0") X(x23, "-8@%0") X(x24, "-4@%w0") \
	X(x25, "-8@%0") X(x26, "-4@%w0") X(x27, "-8@%0") X(x28, "-4@%w0")

/* The register that reads as zero. */
#define ONLY_HERE(value) \
	do { \
		__asm__ __volatile__(_TRAPLINE_NOTE("trapline", "form__zero", "0", "-8@%x0") \
		    : : "Z"(0L)); \
		SAY("form__zero", 0); \
		(void)(value); \
	} while (0)
