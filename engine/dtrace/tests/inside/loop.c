/* Runs for ever. */

#include <unistd.h>

__attribute__((noinline)) int work(int value) { __asm__ volatile(""); return value + 1; }

int main(void)
{
	volatile int sum = 0;

	for (;;) {
		for (int i = 0; i < 100; i++)
			sum = work(sum);
		usleep(100);
	}
}
