/* Lines of output. */

#include <stdint.h>

/* Prints a probe's name, with `-` for `__`, and what it passed. */
void say(const char *probe, unsigned count, const int64_t *values);

/* Prints a name and a text. */
void say_text(const char *probe, const char *text);

#define SAY(probe, ...) \
	do { \
		const int64_t values_[] = { __VA_ARGS__ }; \
		say(probe, sizeof(values_) / sizeof(values_[0]), values_); \
	} while (0)
