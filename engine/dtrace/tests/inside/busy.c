/* More threads than processors, or with an argument one, which check what they get. Runs until SIGTERM, and
 * fails if anything was wrong. */

#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t is_over;
static volatile int is_wrong;

static void end(int signal) { is_over = signal; }

__attribute__((noinline)) static int work(int value)
{
#ifdef __x86_64__
	/* Executed out of line. */
	__asm__ volatile("pxor %%xmm0, %%xmm0" ::: "xmm0");
#endif
	return value + 1;
}

static void *run(void *argument)
{
	while (!is_over) {
		int sum = 0;

		for (int i = 0; i < 1000; i++)
			sum = work(sum);
		if (sum != 1000)
			is_wrong = 1;
	}
	return argument;
}

int main(int count, char **arguments)
{
	pthread_t threads[8];
	int number = count > 1 ? 1 : 8;

	signal(SIGTERM, end);
	for (int i = 0; i < number; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < number; i++)
		pthread_join(threads[i], 0);
	return is_wrong;
}
