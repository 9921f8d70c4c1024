/* The calls that block signals, made by system calls whose number is computed, or not; and other calls by those. */

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int handled;

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

static void handle(int signal)
{
	handled += signal;
	tiny();
}

/* As glibc since 2.41 makes calls at which a thread can be cancelled, if there are several: a store is last. */
long stored(long number, long a, long b, long c, long d, long e);
__asm__(".globl stored\n"
	".type stored, @function\n"
	"stored:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov %r11, -8(%rsp)\n"
	"	syscall\n"
	"	ret\n"
	".size stored, . - stored\n");

/* With its number in the instruction that a jump takes the place of. */
long constant(long how, unsigned long *set, unsigned long *old, long size);
__asm__(".globl constant\n"
	".type constant, @function\n"
	"constant:\n"
	"	nop\n"
	"	mov $14, %eax\n"
	"	mov %rcx, %r10\n"
	"	syscall\n"
	"	ret\n"
	".size constant, . - constant\n");

int main(void)
{
	unsigned long all = ~0ul, old = 0, but_alarm = ~(1ul << (SIGALRM - 1));
	struct timespec second = {.tv_sec = 5};
	struct sigaction action = {.sa_handler = handle};

	sigaction(SIGALRM, &action, NULL);
	printf("pid: %d\n", syscall(SYS_getpid) == getpid());
	printf("blocked: %ld\n", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8));
	tiny();
	alarm(1);
	printf("suspended: %ld", syscall(SYS_rt_sigsuspend, &but_alarm, 8));
	printf(" %s\n", strerror(errno));
	printf("handled: %d\n", handled);
	alarm(1);
	printf("polled: %ld", syscall(SYS_ppoll, NULL, 0, &second, &but_alarm, 8));
	printf(" %s\n", strerror(errno));
	printf("handled: %d\n", handled);
	alarm(1);
	printf("stored: %ld\n", stored(SYS_rt_sigsuspend, (long)&but_alarm, 8, 0, 0, 0));
	printf("handled: %d\n", handled);
	printf("constant: %ld\n", constant(SIG_BLOCK, &all, NULL, 8));
	tiny();
	/* The kernel takes the low half of what is an int. */
	const unsigned long high = 1ul << 32;
	printf("wide: %ld", syscall(SYS_rt_sigprocmask | high, SIG_BLOCK | high, &all, NULL, 8));
	tiny();
	struct { void *handler; unsigned long flags, restorer, mask; } own = {SIG_IGN, 1 << 10, 0, ~0ul}, was;
	printf(" %ld", syscall(SYS_rt_sigaction, SIGTRAP | high, &own, NULL, 8));
	tiny();
	printf(" %ld", syscall(SYS_rt_sigaction, SIGTRAP, NULL, &was, 16));
	printf(" %ld", syscall(SYS_rt_sigaction, SIGTRAP, NULL, &was, 8));
	printf(" %d %lx %lx\n", was.handler == SIG_IGN, was.flags, was.mask);
	printf("unknown: %ld\n", stored(10000, 0, 0, 0, 0, 0));
	printf("unknown: %ld", syscall(10000));
	printf(" %s\n", strerror(errno));
	printf("restored: %ld\n", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8));
	tiny();
	return 0;
}
