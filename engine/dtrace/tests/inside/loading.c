/* Opens and closes a library all the time, until SIGTERM. */

#include <dlfcn.h>
#include <signal.h>

static volatile sig_atomic_t is_over;

static void end(int signal) { is_over = signal; }

int main(int count, char **arguments)
{
	signal(SIGTERM, end);
	while (!is_over) {
		void *library = dlopen(arguments[count - 1], RTLD_NOW);

		if (!library)
			return 1;
		for (volatile int i = 0; i < 300000; i++)
			;
		dlclose(library);
	}
	return 0;
}
