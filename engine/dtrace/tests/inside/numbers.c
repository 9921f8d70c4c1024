/* The calls that block signals, made by system calls whose number is computed; and other calls by those. */

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
	printf("unknown: %ld", syscall(10000));
	printf(" %s\n", strerror(errno));
	printf("restored: %ld\n", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8));
	tiny();
	return 0;
}
