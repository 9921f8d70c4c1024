/* Signals that come anywhere. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile long handled;

static void handle(int signal) { __atomic_fetch_add(&handled, signal, __ATOMIC_RELAXED); }

static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void *run(void *unused)
{
	char text[200];
	long sum = 0;

	for (int i = 0; i < 400 || handled < 20 * SIGALRM; i++) {
		memset(text, i, sizeof text);
		sum = fib(12) + strlen(strcpy(text, "hello"));
	}
	return (void *)sum;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
	pthread_t threads[3];

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++) {
		void *sum;

		pthread_join(threads[i], &sum);
		printf("%ld\n", (long)sum);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("handled: %d\n", handled >= 20 * SIGALRM);
	return 0;
}
