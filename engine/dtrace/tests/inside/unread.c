/* Threads whose text the agent cannot read at a trap. Runs until SIGTERM. */

#include <pthread.h>
#include <unistd.h>

#include "unread.h"

static volatile sig_atomic_t is_over;

static void end(int signal) { is_over = signal; }

__attribute__((noinline)) static int work(int value) { __asm__ volatile(""); return value + 1; }

static void *run(void *argument)
{
	for (int sum = 0; !is_over;)
		sum = work(sum);
	return argument;
}

int main(void)
{
	pthread_t threads[4];

	unread();
	signal(SIGTERM, end);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
}
