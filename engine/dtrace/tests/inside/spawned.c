/* Makes processes without handlers of signals, as posix_spawn(3) of glibc 2.38 does, and with them where that is refused.
   Each calls a function, and so does a thread. */

#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

/* The number is a constant; returns a negated error number. */
static long constant(struct clone_args *arguments, size_t size)
{
#ifdef __x86_64__
	long result;
	__asm__ volatile("mov $435, %%eax\n\tsyscall" : "=&a"(result) : "D"(arguments), "S"(size) : "rcx", "r11", "memory");
	return result;
#else
	register long first __asm__("x0") = (long)arguments;
	register long second __asm__("x1") = size;
	__asm__ volatile("mov x8, #435\n\tsvc #0" : "+r"(first) : "r"(second) : "x8", "memory");
	return first;
#endif
}

static long computed(struct clone_args *arguments, size_t size)
{
	long result = syscall(SYS_clone3, arguments, size);

	return result < 0 ? -errno : result;
}

static void spawn(long (*clone3)(struct clone_args *, size_t))
{
	struct clone_args arguments = {.flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD};
	int status;
	long child = clone3(&arguments, sizeof(arguments));

	if (child == -EINVAL) {
		arguments.flags = 0;
		child = clone3(&arguments, sizeof(arguments));
	}
	if (child == 0)
		_exit(work(6));
	waitpid(child, &status, 0);
	/* Nothing to read, and less than there must be. */
	printf("%s %d %ld %ld\n", WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
	       clone3(NULL, sizeof(arguments)), clone3(&arguments, 8));
}

static void *run(void *unused) { return (void *)(intptr_t)work(7); }

int main(void)
{
	pthread_t thread;
	void *result = NULL;

	spawn(constant);
	spawn(computed);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, &result);
	printf("thread %d\n", (int)(intptr_t)result);
	return 0;
}
