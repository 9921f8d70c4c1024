/* What a function finds of the flags, of its caller's registers and below its stack pointer. */

#include <stdio.h>

/* Each of its instructions is a site; flags are live throughout, and the red zone is in use. */
__asm__(".text\n"
	".p2align 4\n"
	".type look, @function\n"
	"look:\n"
	"	mov %rax, -8(%rsp)\n"
	"	mov %rdi, -128(%rsp)\n"
	"	lea 1(%rax), %rdx\n"
	"	setc %cl\n"
	"	seto %ch\n"
	"	pushf\n"
	"	pop %rsi\n"
	"	mov -8(%rsp), %rax\n"
	"	mov %rsi, (%rdi)\n"
	"	mov %cx, 8(%rdi)\n"
	"	mov %rdx, 16(%rdi)\n"
	"	mov -128(%rsp), %rdi\n"
	"	ret\n"
	".size look, .-look\n");

int main(void)
{
	/* carry, parity, adjust, zero, sign, direction, overflow */
	static const unsigned long bits[] = {0x1, 0x4, 0x10, 0x40, 0x80, 0x400, 0x800};

	for (unsigned set = 0; set < 128; set++) {
		unsigned long flags = 0x202, found[3] = {0, 0, 0}, value = ~0UL - set * 0x0101010101010101;
		unsigned long result = value, where = (unsigned long)found;

		for (int bit = 0; bit < 7; bit++)
			flags |= set >> bit & 1 ? bits[bit] : 0;
		__asm__ volatile("sub $256, %%rsp; push %2; popf; call look; cld; add $256, %%rsp"
				 : "+a"(result), "+D"(where)
				 : "r"(flags)
				 : "rcx", "rdx", "rsi", "cc", "memory");
		printf("%lx %lx %lx %d %d\n", found[0], found[1], found[2] - value, result == value,
		       where == (unsigned long)found);
	}
	return 0;
}
