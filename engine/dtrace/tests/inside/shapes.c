/* Functions of many shapes: too short for a jump, with loops back into their first bytes, with tables of
   branches, in assembly with a common part, that jump away or return in several ways. */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE void empty(void) { __asm__ volatile(""); }

NOINLINE int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

NOINLINE int constant(void) { __asm__ volatile(""); return 7; }

NOINLINE size_t length(const char *text)
{
	const char *end = text;
	while (*end)
		end++;
	return end - text;
}

NOINLINE int choose(int which, int value)
{
	switch (which) {
	case 0: return value + 1;
	case 1: return value * 3;
	case 2: value ^= 5; break;
	case 3: return constant();
	case 4: value -= 11; break;
	case 5: return -value;
	case 6: empty(); break;
	case 7: return value << 2;
	case 8: return fibonacci(value & 7);
	default: return 0;
	}
	return value / 2;
}

NOINLINE int dispatch(const unsigned char *code, int value)
{
	static const void *const labels[] = {&&add, &&multiply, &&negate, &&stop};
	goto *labels[*code++];
add:
	value += 3;
	goto *labels[*code++];
multiply:
	value *= 5;
	goto *labels[*code++];
negate:
	value = -value;
	goto *labels[*code++];
stop:
	return value;
}

NOINLINE int last(int value) { __asm__ volatile(""); return value + 1; }

NOINLINE int tail(int value) { return last(value * 2); }

NOINLINE double mean(double a, double b) { return (a + b) / 2; }

static jmp_buf back;

NOINLINE void leap(int value)
{
	if (value)
		longjmp(back, value);
}

NOINLINE int land(int value)
{
	int found = setjmp(back);
	if (!found)
		leap(value);
	return found;
}

/* Steps that run into one another, each of which a table leads to, and directly behind the return the
   next function: five bytes up to the return can be overwritten only where a step is in their middle. */
#ifdef __x86_64__
int ladder(int step);
int behind(void);
__asm__(".text\n"
	".p2align 4\n"
	".globl ladder, behind\n"
	".type ladder, @function\n"
	".type behind, @function\n"
	"ladder:\n"
	"xorl %ecx, %ecx\n"
	"leaq 9f(%rip), %rdx\n"
	"movslq %edi, %rdi\n"
	"movslq (%rdx,%rdi,4), %rax\n"
	"addq %rdx, %rax\n"
	"jmp *%rax\n"
	"1: incl %ecx\n"
	"2: incl %ecx\n"
	"3: incl %ecx\n"
	"4: movl %ecx, %eax\n"
	"ret\n"
	".size ladder, . - ladder\n"
	"behind:\n"
	"movl $9, %eax\n"
	"ret\n"
	".size behind, . - behind\n"
	".section .rodata\n"
	".p2align 2\n"
	"9: .long 1b - 9b, 2b - 9b, 3b - 9b, 4b - 9b\n"
	".text\n");
#else
NOINLINE int behind(void) { __asm__ volatile(""); return 9; }

NOINLINE int ladder(int step)
{
	int sum = 0;
	switch (step) {
	case 0: sum++; /* fall through */
	case 1: sum++; /* fall through */
	case 2: sum++; /* fall through */
	default: return sum;
	}
}
#endif

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

typedef int vector __attribute__((vector_size(16)));

NOINLINE vector combine(vector a, vector b) { return a * 3 + b; }

int main(void)
{
	static const unsigned char code[] = {0, 1, 0, 2, 1, 3};
	int numbers[50];
	long sum = 0;

	for (int i = 0; i < 50; i++) {
		empty();
		sum += constant() + length("a text") + choose(i % 10, i) + dispatch(code, i) + tail(i);
		sum += mean(i, sum) > 0;
		sum += land(i & 3);
		sum += ladder(i & 3) * behind();
		vector v = combine((vector){i, 1, 2, 3}, (vector){4, 5, i, 7});
		sum += v[0] + v[1] + v[2] + v[3];
		numbers[i] = (i * 37) % 50;
	}
	qsort(numbers, 50, sizeof *numbers, compare);
	printf("%ld %d %d\n", sum + fibonacci(10), numbers[0], numbers[49]);
	return 3;
}
