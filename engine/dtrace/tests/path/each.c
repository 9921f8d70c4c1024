/* Signals that are sent one after the other, each when the one before has been handled, as the thread that they
   are sent to branches. */

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { SIGNALS = 400, SECONDS = 10 };

static sem_t handled;
static volatile sig_atomic_t is_done;

static void handle(int number) { sem_post(&handled); }

__attribute__((noinline)) static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void *send(void *to)
{
	int sent = 0;

	for (; sent < SIGNALS; sent++) {
		struct timespec last;

		clock_gettime(CLOCK_REALTIME, &last);
		last.tv_sec += SECONDS;
		pthread_kill(*(pthread_t *)to, SIGUSR1);
		if (sem_timedwait(&handled, &last))
			break;
	}
	printf("%d of %d were handled\n", sent, SIGNALS);
	is_done = 1;
	return NULL;
}

int main(void)
{
	pthread_t self = pthread_self(), sender;

	sem_init(&handled, 0, 0);
	signal(SIGUSR1, handle);
	pthread_create(&sender, NULL, send, &self);
	while (!is_done)
		fib(12);
	pthread_join(sender, NULL);
	return 0;
}
