/* Two libraries of the same size, whose functions are not where the other's are. Where the second has a
   function, the first makes a system call that blocks signals. Another such call has its first instruction at the
   same place in both, and others behind it. */

#define NOINLINE __attribute__((noinline))

#ifdef __x86_64__
#ifdef one
#define FOURTH "movl $8, %r10d\n"
#else
#define FOURTH "movq %rcx, %r10\n" "pushq %rbx\n" "popq %rbx\n"
#endif
__asm__(".text\n"
	".p2align 5\n"
	".globl mask\n"
	".type mask, @function\n"
	"mask:\n"
	"movl $14, %eax\n"
	FOURTH
	"syscall\n"
	"ret\n"
	".size mask, . - mask\n"
	".p2align 5\n");
#endif

#ifdef one
#ifdef __x86_64__
__asm__(".text\n"
	".p2align 4\n"
	".globl block\n"
	".type block, @function\n"
	"block:\n"
	"movl $14, %eax\n"
	"syscall\n"
	"ret\n"
	".size block, . - block\n"
	".p2align 4\n");
#endif

NOINLINE int only_one(int value) { __asm__ volatile(""); return value * 3 + 1; }

int answer(int value)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += only_one(value + i);
	return sum;
}
#else
#ifdef __x86_64__
__asm__(".text\n"
	".p2align 4\n"
	".globl only_two\n"
	".type only_two, @function\n"
	"only_two:\n"
	"movl %edi, %eax\n"
	"xorl $5, %eax\n"
	"ret\n"
	".size only_two, . - only_two\n"
	".p2align 4\n");
int only_two(int value);
#else
NOINLINE int only_two(int value) { __asm__ volatile(""); return value ^ 5; }
#endif

NOINLINE int answer(int value)
{
	int sum = 7;
	for (int i = 0; i < 10; i++)
		sum -= only_two(value - i);
	return sum;
}
#endif
