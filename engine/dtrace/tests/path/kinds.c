/* All ways by which control can go somewhere. */

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int handled;
static sigjmp_buf back;

static int twice(int x) { return 2 * x; }
static int less(int x) { return x - 1; }
static int (*volatile table[])(int) = {twice, less, twice};

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void handle(int signal) { handled += signal; }

static void escape(int signal)
{
	handled += signal;
	siglongjmp(back, 1);
}

static void on(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

/* Branches that count, a return that releases its argument, and calls through the stack pointer. */
static long count(long n)
{
	long sum = 0;

	__asm__ volatile("1: add %1, %0\n\tloop 1b\n\t"
			 "mov $3, %%ecx\n2:\tdec %%rcx\n\tjrcxz 3f\n\tjmp 2b\n3:\t"
			 "sub $128, %%rsp\n\tpush $7\n\tcall 4f\n\tjmp 5f\n4:\tmov 8(%%rsp), %%rax\n\tret $8\n"
			 "5:\tadd %%rax, %0\n\tlea 6f(%%rip), %%rax\n\tpush %%rax\n\tcall *(%%rsp)\n\tjmp 7f\n"
			 "6:\tret\n7:\tadd $136, %%rsp"
			 : "+r"(sum), "+c"(n)
			 :
			 : "rax", "memory");
	return sum;
}

/* Code that is written, executed, and written again. */
static int changing(void)
{
	unsigned char *code = mmap((void *)0x10000000, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int sum = 0;

	for (int i = 1; i < 5; i++) {
		/* mov eax, i; ret */
		memcpy(code, (unsigned char[]){0xb8, i, 0, 0, 0, 0xc3}, 6);
		sum = sum * 10 + ((int (*)(void))code)();
		sum = sum * 10 + ((int (*)(void))code)();
	}
	return sum;
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	char text[100];
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += table[i % 3](i);
	printf("%d %d %ld\n", sum, fib(10), count(5));
	memset(text, 'x', 99);
	text[99] = 0;
	printf("%zu\n", strlen(text));

	on(SIGUSR1, handle, 0);
	sigaltstack(&other, NULL);
	on(SIGUSR2, handle, SA_ONSTACK | SA_RESETHAND);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	/* Two at once, of which none blocks the other. */
	on(SIGUSR2, handle, SA_ONSTACK);
	on(SIGHUP, handle, SA_ONSTACK);
	sigset_t both, none;
	sigemptyset(&none);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR2);
	sigaddset(&both, SIGHUP);
	sigprocmask(SIG_BLOCK, &both, NULL);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGHUP);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (argc > 1) {
		signal(SIGTRAP, SIG_IGN);
		raise(SIGTRAP);
	}
	on(SIGUSR2, handle, SA_ONSTACK | SA_RESETHAND);
	raise(SIGUSR2);
	printf("%d\n", handled);
	on(SIGTRAP, handle, 0);
	/* ptrace(2) cannot step the handler of its own signal. */
	if (argc > 1)
		__asm__ volatile("int3");
	on(SIGSEGV, escape, SA_ONSTACK);
	on(SIGILL, escape, 0);
	if (!sigsetjmp(back, 1))
		((void (*volatile)(void))0)();
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
	if (!sigsetjmp(back, 1))
		__asm__ volatile("jmp *8");
	if (!sigsetjmp(back, 1))
		__builtin_trap();
	printf("%d\n", handled);
	printf("%d\n", changing());
	fflush(stdout);
	/* Nor does it stop behind the call that makes a process. */
	if (argc < 2)
		return 5;
	if (!fork()) {
		printf("child %d\n", fib(8));
		fflush(stdout);
		_exit(3);
	}
	wait(&sum);
	printf("%d\n", WEXITSTATUS(sum));
	return 5;
}
