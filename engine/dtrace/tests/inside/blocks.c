/* A thread calls a function while it blocks all signals: for moments, or, with an argument, when it has waited with
   none blocked. */

#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int waits;
static volatile int ended;

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

static void handle(int signal) {}

static void *run(void *unused)
{
	struct timespec moment = {.tv_nsec = 200000};
	sigset_t all, none, old;

	sigfillset(&all);
	sigemptyset(&none);
	for (int i = 0; i < 30; i++) {
		pthread_sigmask(SIG_SETMASK, &all, &old);
		if (waits)
			ppoll(NULL, 0, NULL, &none);
		for (int k = 0; k < 100; k++) {
			tiny();
			nanosleep(&moment, NULL);
		}
		pthread_sigmask(SIG_SETMASK, waits ? &all : &old, NULL);
		usleep(30000);
	}
	ended = 1;
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t thread;

	waits = count > 1;
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, run, NULL);
	while (waits && !ended) {
		pthread_kill(thread, SIGUSR1);
		usleep(20000);
	}
	pthread_join(thread, NULL);
	return 0;
}
