/* Traps of the program's own. Each of those that are named ends the program, unless it handles them all: then it says
   how often. Behind `unread`, the agent cannot read the text at a trap, as if it could only be executed. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ucontext.h>

#include "unread.h"

static volatile int handled;

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

static void handle(int signal, siginfo_t *info, void *context)
{
	handled++;
#ifdef __aarch64__
	((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
	tiny();
}

static void trap(const char *name)
{
	if (!strcmp(name, "unread"))
		unread();
	if (!strcmp(name, "undefined"))
		__builtin_trap();
#ifdef __aarch64__
	if (!strcmp(name, "short"))
		__asm__ volatile("brk #0");
	if (!strcmp(name, "other"))
		__asm__ volatile("brk #0xf000");
#else
	if (!strcmp(name, "short"))
		__asm__ volatile("int3");
	if (!strcmp(name, "other"))
		__asm__ volatile(".byte 0xf1");
#endif
}

int main(int count, char **arguments)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

	alarm(20);
	tiny();
	if (count > 2)
		sigaction(SIGTRAP, &action, NULL);
	for (int i = 1; i < count; i++)
		trap(arguments[i]);
	printf("%d\n", handled);
}
