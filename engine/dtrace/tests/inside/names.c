/* Functions whose names are longer than those of probes. */
#define JOIN(a, b) JOINED(a, b)
#define JOINED(a, b) a##b
#define TEN of_a_name_
#define FIFTY JOIN(TEN, JOIN(TEN, JOIN(TEN, JOIN(TEN, TEN))))
#define HUNDRED JOIN(FIFTY, FIFTY)
#define LONG(end) JOIN(JOIN(long_, JOIN(HUNDRED, HUNDRED)), end)

__attribute__((noinline)) int LONG(one)(int value)
{
	__asm__ volatile("");
	return value * 7 + 1;
}

__attribute__((noinline)) int LONG(two)(int value)
{
	__asm__ volatile("");
	return value * 5 + 3;
}

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 3; round++)
		sum = LONG(one)(sum);
	for (int round = 0; round < 2; round++)
		sum = LONG(two)(sum);
	return sum & 1;
}
