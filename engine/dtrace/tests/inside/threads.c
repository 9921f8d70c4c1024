/* Eight threads that call the same functions, and block all signals around some of the calls, as C
   libraries do. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

static void *run(void *unused)
{
	sigset_t all, before;
	long sum = 0;

	for (int i = 0; i < 5000; i++) {
		sum = work(sum);
		if (i % 50)
			continue;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		tiny();
		char *text = malloc(64);
		snprintf(text, 64, "%d", i);
		sum += strlen(text) > 100;
		free(text);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[8];
	long sum = 0;

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 8; i++) {
		void *result;
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("%ld\n", sum);
	return 0;
}
