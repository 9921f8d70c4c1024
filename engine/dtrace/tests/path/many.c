/* More threads than can be recorded: at a time, and one after the other. */

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 600, ROUNDS = 3000 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[MANY];

__attribute__((noinline)) static long work(long number) { return number + 1; }

static void *wait(void *number)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return (void *)work((long)number);
}

static void *pass(void *number) { return (void *)work((long)number); }

/* Has the process that records this one stop for a while, so that nothing is taken of threads that end. */
static void stop_recording(void)
{
	pid_t parent = getppid();

	kill(parent, SIGSTOP);
	if (fork() == 0) {
		sleep(2);
		kill(parent, SIGCONT);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	void *result;
	long count = 0, sum = 0;
	int error = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	pthread_mutex_lock(&gate);
	while (count < MANY && !error) {
		error = pthread_create(&threads[count], &attributes, wait, (void *)count);
		count += !error;
	}
	pthread_mutex_unlock(&gate);
	printf("%ld at a time, %s\n", count, error ? strerror(error) : "no error");
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("%d\n", sum == count * (count + 1) / 2);
	fflush(stdout);
	if (argc > 1)
		stop_recording();
	for (long i = 0; i < ROUNDS; i++) {
		error = pthread_create(&threads[0], &attributes, pass, (void *)i);
		if (error) {
			printf("%ld: %s\n", i, strerror(error));
			return 1;
		}
		pthread_join(threads[0], &result);
	}
	printf("%d one after the other\n", ROUNDS);
	return 0;
}
