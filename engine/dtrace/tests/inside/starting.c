/* Threads that make threads all the time, until SIGTERM. */

#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t is_over;

static void end(int signal) { is_over = signal; }

static void *nothing(void *argument) { return argument; }

static void *run(void *argument)
{
	pthread_t thread;

	while (!is_over)
		if (pthread_create(&thread, 0, nothing, 0) == 0)
			pthread_join(thread, 0);
	return argument;
}

int main(void)
{
	pthread_t threads[4];

	signal(SIGTERM, end);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
