/* The signal of traps, which the program has a handler for, and other signals that block it. */

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int handled;

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

static void handle(int signal)
{
	handled += signal;
	tiny();
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle}, before;
	sigset_t all, old, wanted;

	sigfillset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTRAP, &action, &before);
	printf("default before: %d\n", before.sa_handler == SIG_DFL);
	sigaction(SIGTRAP, NULL, &before);
	printf("own now: %d\n", before.sa_handler == handle);
	raise(SIGTRAP);
	printf("handled: %d\n", handled);

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	tiny();
	wanted = all;
	sigdelset(&wanted, SIGALRM);
	alarm(1);
	sigsuspend(&wanted);
	printf("handled: %d\n", handled);
	sigprocmask(SIG_SETMASK, &old, NULL);
	tiny();
	return 0;
}
