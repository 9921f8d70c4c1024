/* Probes by the macros of the header: several sites, semaphores, children, and a loop. */

#include "say.h"
#include "trapline.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int64_t seed = 0x1122334455667788;

void markers_arguments(void)
{
	int64_t l = seed;
	static char text[] = "what is passed by address";

	TRAPLINE_SIZES(-l, l, -l, l, -l, l, -l, l);
	SAY("sizes", (int8_t)-l, (uint8_t)l, (int16_t)-l, (uint16_t)l, (int32_t)-l, (uint32_t)l, -l, l);
	TRAPLINE_WORDS((long)-l, (unsigned long)(l & 0xffff), &text);
	SAY("words", (long)-l, l & 0xffff, (int64_t)(uintptr_t)&text);
	TRAPLINE_TEXT(text);
	say_text("text", text);
	l &= 0xff;
	TRAPLINE_MANY(l, l + 1, l + 2, l + 3, l + 4, l + 5, l + 6, l + 7, l + 8, l + 9, 10, 11);
	SAY("many", l, l + 1, l + 2, l + 3, l + 4, l + 5, l + 6, l + 7, l + 8, l + 9, 10, 11);
	TRAPLINE_NONE();
	say("none", 0, 0);
}

static inline __attribute__((always_inline)) void in_line(int caller)
{
	TRAPLINE_IN_LINE(caller);
}

static NOINLINE void first_site(void)
{
	TRAPLINE_TWO_SITES(1);
	in_line(1);
}

static NOINLINE void second_site(void)
{
	in_line(2);
	TRAPLINE_TWO_SITES(2);
}

void markers_sites(unsigned long count)
{
	unsigned long round;

	for (round = 0; round < count; round++) {
		first_site();
		second_site();
		in_line(3);
	}
	SAY("two__sites", 2 * (int64_t)count);
	SAY("in__line", 3 * (int64_t)count);
}

/* Fires a probe in each round in which it is enabled. */
void markers_enabled(unsigned long rounds)
{
	unsigned long round, fired = 0;

	for (round = 0; round < rounds; round++) {
		if (TRAPLINE_COSTLY_ENABLED()) {
			TRAPLINE_COSTLY(round);
			fired++;
		}
	}
	SAY("costly", (int64_t)fired);
}

/* Makes the semaphore's page read-only, or writable again. */
static int seal(int is_sealed)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)&trapline_costly_semaphore & ~(size - 1);

	return mprotect((void *)page, size, PROT_READ | (is_sealed ? 0 : PROT_WRITE));
}

/* Prints the semaphore whenever it changes. With `seals` it is read-only while it is raised. */
int markers_watch(unsigned long milliseconds, int seals)
{
	const struct timespec one = { 0, 1000000 };
	int last = -1;

	while (milliseconds--) {
		int now = trapline_costly_semaphore;

		if (now != last) {
			char line[32];
			int length;

			if (seals && !now && seal(0))
				return -1;
			/* It may write to the same page. */
			length = snprintf(line, sizeof line, "costly %d\n", now);
			if (seals && now && seal(1))
				return -1;
			if (write(STDOUT_FILENO, line, (size_t)length) != length)
				return -1;
			last = now;
		}
		if (now)
			TRAPLINE_COSTLY(now);
		nanosleep(&one, 0);
	}
	return 0;
}

/* Fires in children, each of which prints whether it is enabled there. */
int markers_forks(unsigned long count)
{
	unsigned long number;

	for (number = 0; number < count; number++) {
		int status = 0;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0) {
			TRAPLINE_CHILD(number);
			SAY("child", (int64_t)number, TRAPLINE_CHILD_ENABLED());
			fflush(stdout);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			return -1;
	}
	TRAPLINE_CHILD(count);
	SAY("child", (int64_t)count, TRAPLINE_CHILD_ENABLED());
	return 0;
}

void markers_fire(unsigned long count)
{
	unsigned long number;

	for (number = 0; number < count; number++) {
		__asm__ volatile("" ::: "memory");
		TRAPLINE_FIRE(number);
	}
}

/* The same loop without a probe. */
void markers_idle(unsigned long count)
{
	unsigned long number;

	for (number = 0; number < count; number++)
		__asm__ volatile("" :: "r"(number) : "memory");
}
