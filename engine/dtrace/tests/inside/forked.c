/* Forks while more threads are in a function than can be traced in it at once, and tells
 * how many children end, which may make no system calls in it. */

#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ends.h"

/* As long as a jump. */
__attribute__((noinline)) int work(int value)
{
	volatile int sum = value;

	return sum + 1;
}

static void *run(void *unused)
{
	for (int sum = 0;;)
		sum = work(sum);
}

int main(void)
{
	pthread_t thread;
	int threads = 2 * sysconf(_SC_NPROCESSORS_ONLN) + 8;

	for (int i = 0; i < threads; i++)
		pthread_create(&thread, NULL, run, NULL);
	int ended = 0;
	for (int i = 0; i < 3; i++) {
		usleep(100000);
		pid_t child = fork();
		if (child == 0) {
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
			syscall(SYS_exit, work(6));
		}
		ended += ends(child);
	}
	printf("%d children ended\n", ended);
	fflush(stdout);
	_exit(0);
}
