/* Opens and closes two libraries in turns, which take the same place in memory. Where they have a function that
   blocks signals, it is called. */

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

int main(int count, char **arguments)
{
	char name[4096];
	void *places[2] = {0};

	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof name, "%s/lib%s.so", arguments[count - 1], i % 2 ? "two" : "one");
		void *library = dlopen(name, RTLD_NOW);
		if (!library)
			return 1;
		int (*answer)(int) = (int (*)(int))dlsym(library, "answer");
		unsigned long all = ~0ul, old;
		long (*mask)(long, void *, void *, long) = (long (*)(long, void *, void *, long))dlsym(library, "mask");
		if (mask)
			printf("blocked: %ld\n", mask(SIG_SETMASK, &all, &old, 8));
		printf("%d\n", answer(i));
		if (mask)
			printf("restored: %ld\n", mask(SIG_SETMASK, &old, NULL, 8));
		places[i % 2] = mask ? (void *)mask : (void *)((unsigned long)answer & ~0xffful);
		dlclose(library);
	}
	printf("in the same place: %d\n", places[0] == places[1]);
	return 0;
}
