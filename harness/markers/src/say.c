/* Lines of output, each a probe's name in D and its arguments. */

#include "say.h"

#include <inttypes.h>
#include <stdio.h>

static void say_name(const char *probe)
{
	for (; *probe; probe++) {
		if (probe[0] == '_' && probe[1] == '_') {
			putchar('-');
			probe++;
		} else {
			putchar(*probe);
		}
	}
}

void say(const char *probe, unsigned count, const int64_t *values)
{
	say_name(probe);
	while (count--)
		printf(" %" PRId64, *values++);
	putchar('\n');
}

void say_text(const char *probe, const char *text)
{
	say_name(probe);
	printf(" %s\n", text);
}
