/* Forks while more threads are in a function than can be traced in it at once, and tells
 * how many children end. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

static void *run(void *unused)
{
	for (int sum = 0;;)
		sum = work(sum);
}

/* Whether it ends within 3 seconds, as it should. */
static int ends(pid_t child)
{
	int status;

	for (int i = 0; i < 300; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) && WEXITSTATUS(status) == 7;
		usleep(10000);
	}
	kill(child, SIGKILL);
	return 0;
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
		if (child == 0)
			_exit(work(6));
		ended += ends(child);
	}
	printf("%d children ended\n", ended);
	fflush(stdout);
	_exit(0);
}
