/* Functions of many shapes; run() calls them all and writes what they return. */
#include <stdarg.h>
#include <stddef.h>

typedef unsigned long word;

word fib(word n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

size_t length(const char *s)
{
	size_t n = 0;

	while (*s++)
		n++;
	return n;
}

int cases(int n)
{
	switch (n) {
	case 0: return 7;
	case 1: return 11;
	case 2: return n * 31;
	case 3: return -4;
	case 4: return n << 3;
	case 5: return 99;
	case 6: return n ^ 0x55;
	default: return cases(n % 7);
	}
}

word sum(int count, ...)
{
	va_list all;
	word total = 0;

	va_start(all, count);
	while (count--)
		total += va_arg(all, word);
	va_end(all);
	return total;
}

double mean(const double *values, int count)
{
	double total = 0;
	int i;

	for (i = 0; i < count; i++)
		total += values[i];
	return total / count;
}

static int twice(int n) { return 2 * n; }
static int negated(int n) { return -n; }
int (*volatile table[])(int) = { twice, negated, cases };

int through(int (*f)(int), int n) { return f(n) + 1; }
int tail(int n) { return table[n % 3](n); }
int spilled(int n)
{
	int (*chosen[3])(int) = { table[0], table[1], table[2] };
	volatile int which = n % 3;

	return chosen[which](n) + chosen[0](n) * 3;
}

void sort(int *values, int count, int (*less)(int, int))
{
	int i, j;

	for (i = 1; i < count; i++)
		for (j = i; j && less(values[j], values[j - 1]); j--) {
			int kept = values[j];

			values[j] = values[j - 1];
			values[j - 1] = kept;
		}
}

int is_less(int a, int b) { return a < b; }
void nothing(void) { }
void *here(void) { return __builtin_return_address(0); }

/* Loops back to its second instruction, as -Os code does. */
word hashed(const char *s);
__asm__(".text\n.globl hashed\n.type hashed, @function\nhashed:\n"
	"	xor %eax, %eax\n"
	"1:	movzbl (%rdi), %ecx\n"
	"	imul $31, %rax, %rax\n"
	"	add %rcx, %rax\n"
	"	inc %rdi\n"
	"	test %ecx, %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	".size hashed, . - hashed\n");

/* Counts by loop, and jumps by jrcxz. */
word counted(word n);
__asm__(".text\n.globl counted\n.type counted, @function\ncounted:\n"
	"	mov %rdi, %rcx\n"
	"	xor %eax, %eax\n"
	"	jrcxz 2f\n"
	"1:	add %rcx, %rax\n"
	"	loop 1b\n"
	"2:	ret\n"
	".size counted, . - counted\n");

int run(word *out)
{
	static const double values[] = { 1.5, 2.25, -7, 11 };
	int numbers[] = { 5, 3, 9, -2, 0, 7 };
	word *first = out;
	int i;

	*out++ = fib(15);
	*out++ = length("eighteen letters..");
	for (i = 0; i < 20; i++)
		*out++ = cases(i);
	*out++ = sum(7, 1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 1UL << 40);
	*out++ = (word)(mean(values, 4) * 1000);
	for (i = 0; i < 6; i++) {
		*out++ = through(table[i % 3], i);
		*out++ = tail(i);
		*out++ = spilled(i);
	}
	sort(numbers, 6, is_less);
	for (i = 0; i < 6; i++)
		*out++ = numbers[i];
	nothing();
	*out++ = here() == here();
	*out++ = (word)here() - (word)run < 4096;
	*out++ = hashed("a hash of these letters");
	*out++ = counted(0) + counted(100);
	return out - first;
}
