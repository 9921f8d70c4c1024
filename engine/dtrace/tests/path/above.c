/* Executes code closely above the stack, where older kernels have the vDSO, if that is near the end of the
   address space. */

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	const unsigned long top = 0x7ffffffff000, near = 0x50000000, above = 0x200000, page = 4096;
	unsigned long start, end = 0, place;
	unsigned char *code;
	char line[300];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof line, maps))
		if (strstr(line, "[stack]"))
			sscanf(line, "%lx-%lx", &start, &end);
	place = end + above;
	if (place + page >= top || top - place > near)
		return 0;
	code = mmap((void *)place, page, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (code != (void *)place)
		return 0;
	code[0] = 0xc3;
	((void (*)(void))code)();
	puts("executed");
	return 0;
}
