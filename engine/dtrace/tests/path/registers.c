/* Registers, flags and what is below the stack pointer, over each way to another block: when it is taken for
   the first time, often, and as buffers are full. */

#include <stdio.h>
#include <string.h>

enum { TIMES = 200000, BELOW = 0x5a5a5a5a, SUM = 11 + 2 * 12 + 3 * 13 + 4 * 14 };

static unsigned char before[256], after[256];
static long wrong[4];

#define EACH(move) \
	move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7) move(8) move(9) move(10) move(11) \
	move(12) move(13) move(14) move(15)
#define LOAD(n) "movups " #n "*16(%[before]), %%xmm" #n "\n\t"
#define STORE(n) "movups %%xmm" #n ", " #n "*16(%[after])\n\t"

/* Goes `way` to 9: with these flags. */
#define CHECK(number, way) \
	static void __attribute__((noinline)) check##number(long flags) \
	{ \
		long low, high, now, sum; \
		__asm__ volatile( \
			EACH(LOAD) \
			"sub $256, %%rsp\n\tpush %[flags]\n\tpopfq\n\t" \
			"movq %[pattern], -8(%%rsp)\n\tmovq %[pattern], -128(%%rsp)\n\t" \
			"mov $11, %%ecx\n\tmov $12, %%edx\n\tmov $13, %%esi\n\tmov $14, %%edi\n\t" \
			way "\n9:\tmov -8(%%rsp), %[low]\n\tmov -128(%%rsp), %[high]\n\t" \
			"pushfq\n\tpop %[now]\n\tadd $256, %%rsp\n\t" \
			"lea (%%rcx, %%rdx, 2), %[sum]\n\tadd %%rsi, %[sum]\n\tlea (%[sum], %%rsi, 2), %[sum]\n\t" \
			"lea (%[sum], %%rdi, 4), %[sum]\n\t" EACH(STORE) \
			: [low] "=&r"(low), [high] "=&r"(high), [now] "=&r"(now), [sum] "=&r"(sum) \
			: [flags] "r"(flags), [before] "r"(before), [after] "r"(after), [pattern] "i"(BELOW) \
			: "rax", "rcx", "rdx", "rsi", "rdi", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", \
			  "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"); \
		wrong[0] += low != BELOW || high != BELOW; \
		wrong[1] += (now & STATUS) != (flags & STATUS); \
		wrong[2] += sum != SUM; \
		wrong[3] += memcmp(before, after, sizeof before) != 0; \
	}

enum { STATUS = 0x8d5 };

CHECK(1, "jmp 9f\n\tud2")
CHECK(2, "lea 9f(%%rip), %%rax\n\tjmp *%%rax\n\tud2")
CHECK(3, "jc 9f\n\tjo 9f\n\tnop")
CHECK(4, "jmp 8f\n7:\tjmp 9f\n8:\tjp 7b")

static void (*const checks[])(long) = {check1, check2, check3, check4};

int main(void)
{
	static const long flags[] = {0x202, 0x202 | STATUS, 0x203, 0xa02, 0x242, 0x286};

	for (int i = 0; i < 256; i++)
		before[i] = 7 * i + 1;
	for (int i = 0; i < TIMES; i++)
		checks[i % 4](flags[i / 4 % 6]);
	printf("%ld below the stack, %ld flags, %ld registers, %ld vectors are wrong\n", wrong[0], wrong[1], wrong[2],
	       wrong[3]);
	return 0;
}
