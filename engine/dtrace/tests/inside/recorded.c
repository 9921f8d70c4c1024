/* Calls functions with numbers in order, while signals come whose handler calls another. */

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

static volatile int handled;

__attribute__((noinline)) long work(long number, long twice)
{
	__asm__ volatile("" ::: "memory");
	return number + twice;
}

__attribute__((noinline)) void tiny(int number) { __asm__ volatile("" ::"r"(number)); }

static void handle(int signal) { tiny(handled++); }

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle};
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	long sum = 0;
	long long begun = now();

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long number = 0; number < 50000; number++)
		sum += work(number, 2 * number) - 3 * number;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld %d %lld %lld\n", sum, handled, begun, now());
	return 0;
}
