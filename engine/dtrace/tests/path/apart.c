/* A process with the memory of its parent, which fills buffers. */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

__attribute__((noinline)) static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static long result;

static int run(void *unused)
{
	result = fib(26);
	return 9;
}

int main(void)
{
	enum { SIZE = 1 << 18 };
	int status = -1;
	pid_t child = clone(run, (char *)malloc(SIZE) + SIZE, CLONE_VM | SIGCHLD, NULL);

	waitpid(child, &status, 0);
	printf("%d %ld\n", WEXITSTATUS(status), result);
	return 0;
}
