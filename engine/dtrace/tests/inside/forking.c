/* Forks in a handler of signals, whatever it interrupts, and tells how many children come back from it and end. Beside it are
   as many threads as the argument says. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "ends.h"

#define CHILDREN 20

static volatile sig_atomic_t forks, is_child;
static pid_t children[CHILDREN];

__attribute__((noinline)) int work(int value)
{
	volatile int sum = value;

	return sum * 3 + 1;
}

static void on_alarm(int signal)
{
	if (is_child || forks == CHILDREN)
		return;
	pid_t child = fork();
	if (child != 0) {
		children[forks++] = child;
		return;
	}
	is_child = 1;
	/* Not on a stack that what was interrupted is on. */
	work(7);
}

static void *run(void *argument)
{
	for (int value = 0;;)
		value = work(value);
	return argument;
}

int main(int count, char **arguments)
{
	pthread_t thread;
	sigset_t alarms;
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 20000}, {0, 20000}};
	int value = 0, ended = 0;

	/* The other threads leave the signal to this one. */
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	for (int i = 0; i < atoi(arguments[1]); i++)
		pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (!is_child && forks < CHILDREN)
		value = work(value);
	for (int i = 0; is_child && i < 1000; i++)
		value = work(value);
	if (is_child)
		_exit(7);
	for (int i = 0; i < CHILDREN; i++)
		ended += ends(children[i]);
	printf("%d children ended\n", ended);
	fflush(stdout);
	_exit(0);
}
