/* 32-bit ARM. r7 and r11 are the frame's, of Thumb and of A32. */

#define REGISTERS(X) \
	X(r0, "-4@%0") X(r1, "-2@%0") X(r2, "-4@%0") X(r3, "-4@%0") \
	X(r4, "-4@%0") X(r5, "-2@%0") X(r6, "-4@%0") X(r8, "-4@%0") \
	X(r9, "-4@%0") X(r10, "-4@%0") X(r12, "-4@%0") X(r14, "-4@%0")

#define ONLY_HERE(value) ((void)(value))
