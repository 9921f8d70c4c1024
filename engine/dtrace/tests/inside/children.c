/* A child runs on without its parent's probes, and so does what it executes. */

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

int main(int count, char **arguments)
{
	int sum = 0, status;

	for (int i = 0; i < 10; i++)
		sum = work(sum);
	if (count > 1)
		return sum;
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 1000; i++)
			sum = work(sum);
		execl(arguments[0], arguments[0], "again", NULL);
		return 1;
	}
	waitpid(child, &status, 0);
	printf("%d %d\n", sum, WEXITSTATUS(status));
	return 0;
}
