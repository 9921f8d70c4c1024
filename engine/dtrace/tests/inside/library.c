/* Two libraries of the same size, whose functions are not where the other's are. */

#define NOINLINE __attribute__((noinline))

#ifdef one
NOINLINE int only_one(int value) { __asm__ volatile(""); return value * 3 + 1; }

int answer(int value)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += only_one(value + i);
	return sum;
}
#else
int answer(int value);

NOINLINE int only_two(int value)
{
	__asm__ volatile("nop; nop; nop");
	return value ^ 5;
}

NOINLINE int answer(int value)
{
	int sum = 7;
	for (int i = 0; i < 10; i++)
		sum -= only_two(value - i);
	return sum;
}
#endif
