#pragma D option quiet

BEGIN
{
	printf("[%hd]\n", (short)-3);
	printf("[%hu]\n", (unsigned short)3);
	printf("[%ld]\n", (long)5);
	printf("[%lu]\n", (unsigned long)5);
	printf("[%lld]\n", 5ll);
	printf("[%llu]\n", 5ull);
	printf("[%lx]\n", (long)255);
	printf("[%llx]\n", timestamp - timestamp);
	printf("[%hx]\n", (short)255);
	printf("[%lo]\n", (unsigned long)8);
	printf("[%llo]\n", 8ull);
	exit(0);
}
