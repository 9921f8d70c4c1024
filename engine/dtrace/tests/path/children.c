/* Makes processes in three ways, and a thread, and executes a program at its end. */

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *const no[] = {"false", NULL};

static void *run(void *unused) { return unused; }

static int status(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0) {
		execv("/does/not/exist", no);
		_exit(7);
	}
	printf("%d\n", status(child));
	child = vfork();
	if (child == 0)
		_exit(8);
	printf("%d\n", status(child));
	posix_spawn(&child, "/bin/false", NULL, NULL, no, environ);
	printf("%d\n", status(child));
	execv("/does/not/exist", no);
	fflush(stdout);
	/* GS is the recorder's. */
	if (argc > 1 && !strcmp(argv[1], "leave"))
		__asm__ volatile("mov %0, %%gs" : : "r"(0));
	if (argc > 1 && !strcmp(argv[1], "execute"))
		execl("/bin/echo", "echo", "executed", NULL);
	return 0;
}
