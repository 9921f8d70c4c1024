/* Opens and closes two libraries in turns, which take the same place in memory. */

#include <dlfcn.h>
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
		printf("%d\n", answer(i));
		places[i % 2] = (void *)((unsigned long)answer & ~0xffful);
		dlclose(library);
	}
	printf("in the same place: %d\n", places[0] == places[1]);
	return 0;
}
