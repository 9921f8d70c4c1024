/* Fills buffers several times, in each of four threads. */

#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void *run(void *unused) { return (void *)fib(26); }

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		printf("%ld\n", (long)result);
	}
	return 0;
}
