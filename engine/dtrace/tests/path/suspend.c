/* Waits for signals with other masks than its own. */

#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled[NSIG];
static sigset_t inside;

static void handle(int number)
{
	handled[number]++;
	pthread_sigmask(SIG_SETMASK, NULL, &inside);
}

static const char *has(const sigset_t *set, int number)
{
	return sigismember(set, number) ? "blocked" : "free";
}

static void *send(void *to)
{
	const struct timespec soon = {0, 300000};

	for (int i = 0; handled[SIGUSR1] + handled[SIGUSR2] < 40; i++) {
		nanosleep(&soon, NULL);
		pthread_kill(*(pthread_t *)to, i % 2 ? SIGUSR1 : SIGUSR2);
	}
	return NULL;
}

/* Waits in one of four ways. */
static int pass(int way, const sigset_t *mask)
{
	const struct timespec long_ago = {5, 0};
	struct epoll_event event;
	static int poller = -1;

	switch (way) {
	case 0:
		return sigsuspend(mask);
	case 1:
		return pselect(0, NULL, NULL, NULL, &long_ago, mask);
	case 2:
		return ppoll(NULL, 0, &long_ago, mask);
	default:
		if (poller < 0)
			poller = epoll_create1(0);
		return epoll_pwait(poller, &event, 1, 5000, mask);
	}
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle};
	pthread_t self = pthread_self(), sender;
	sigset_t blocked, outside, now;
	int wrong = 0;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_SETMASK, &blocked, NULL);

	/* One that is pending already: it comes at once, and only there. */
	for (int way = 0; way < 4; way++) {
		sigfillset(&outside);
		sigdelset(&outside, SIGUSR1);
		raise(SIGUSR1);
		raise(SIGUSR2);
		printf("%d %d: ", way, pass(way, &outside));
		printf("%d %d, in the handler USR2 %s HUP %s TERM %s, ", handled[SIGUSR1], handled[SIGUSR2],
		       has(&inside, SIGUSR2), has(&inside, SIGHUP), has(&inside, SIGTERM));
		sigprocmask(SIG_SETMASK, NULL, &now);
		printf("behind it USR1 %s TERM %s\n", has(&now, SIGUSR1), has(&now, SIGTERM));
		sigdelset(&outside, SIGUSR2);
		sigsuspend(&outside);
	}

	/* Those that come while it waits. */
	memset((void *)handled, 0, sizeof handled);
	pthread_create(&sender, NULL, send, &self);
	sigemptyset(&outside);
	for (int way = 0; handled[SIGUSR1] + handled[SIGUSR2] < 40; way++) {
		if (pass(way % 4, &outside) != -1)
			wrong++;
		sigprocmask(SIG_SETMASK, NULL, &now);
		wrong += !sigismember(&now, SIGUSR1) + !sigismember(&now, SIGUSR2);
	}
	pthread_join(sender, NULL);
	printf("%d wrong\n", wrong);
	return 0;
}
