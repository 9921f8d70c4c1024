/* Has a program step through itself by the trap flag if STEPS names a file: the address of main, and those of all
 * instructions from here on. It is to be included in the program. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST (1 << 20)

static unsigned long *first_step, *last_step;

/* Where an instruction of a system call returns to, there is no trap. */
static int is_behind_call(unsigned long pc)
{
	const unsigned char *text = (const unsigned char *)*last_step;
	return text[0] == 0x0f && text[1] == 0x05 && pc != *last_step + 2;
}

static void step(int signal, siginfo_t *info, void *context)
{
	unsigned long pc = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	if (last_step > first_step && is_behind_call(pc)) {
		last_step[1] = *last_step + 2;
		last_step++;
	}
	if (last_step + 2 >= first_step + MOST)
		_exit(99);
	*++last_step = pc;
}

int main(void);

static __attribute__((constructor)) void step_from_here(void)
{
	struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
	const char *name = getenv("STEPS");
	int file;
	if (!name)
		return;
	file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || ftruncate(file, MOST * sizeof *first_step))
		_exit(98);
	first_step = mmap(NULL, MOST * sizeof *first_step, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (first_step == MAP_FAILED || sigaction(SIGTRAP, &action, NULL))
		_exit(97);
	last_step = first_step;
	*first_step = (unsigned long)main;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}
