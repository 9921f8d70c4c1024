/* A thread makes a process that shares the memory, and calls a function before it ends: not at once. */

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

static void *run(void *unused)
{
	struct timespec rest = {.tv_sec = 4};
	int status;
	pid_t child = vfork();

	if (child == 0) {
		nanosleep(&rest, NULL);
		_exit(work(6));
	}
	waitpid(child, &status, 0);
	printf("%s %d\n", WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
