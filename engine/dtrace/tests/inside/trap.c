/* Traps of the program's own. Each of those that are named ends the program, unless it handles them all: then it says
   how often. Behind `unread`, the agent cannot read the text at a trap, as if it could only be executed. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <ucontext.h>

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

/* The agent reads text by rt_sigprocmask(2) with an action that there is none of. */
static void unread(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SIG_SETMASK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		perror("seccomp");
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
