/* For programs that fork. */

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the child ends within 3 seconds, with status 7, as it should. */
static int ends(pid_t child)
{
	int status;

	for (int i = 0; i < 300; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) && WEXITSTATUS(status) == 7;
		usleep(10000);
	}
	kill(child, SIGKILL);
	return 0;
}
