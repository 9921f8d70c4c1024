/* A program whose report shows its lines. */

#include <stdio.h>

__attribute__((noinline)) int twice(int n)
{
	return n + n;
}

int main(void)
{
	printf("%d\n", twice(21));
	return 0;
}
