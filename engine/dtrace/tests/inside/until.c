/* Some calls, then one of another function, then more of them. */

__attribute__((noinline, aligned(16))) int work(int value)
{
	__asm__ volatile("");
	return value * 7 + 1;
}

__attribute__((noinline, aligned(16))) int last(int value)
{
	__asm__ volatile("");
	return value * 5 + 3;
}

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 1000; round++)
		sum = work(sum);
	sum = last(sum);
	for (int round = 0; round < 1000; round++)
		sum = work(sum);
	return sum == 1;
}
