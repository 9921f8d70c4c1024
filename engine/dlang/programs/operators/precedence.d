#pragma D option quiet

BEGIN
{
	printf("1 + 2 * 3 = %d\n", 1 + 2 * 3);
	printf("(1 + 2) * 3 = %d\n", (1 + 2) * 3);
	printf("2 << 1 + 1 = %d\n", 2 << 1 + 1);
	printf("1 | 6 & 3 ^ 5 = %d\n", 1 | 6 & 3 ^ 5);
	printf("1 == 2 != 3 = %d\n", 1 == 2 != 3);
	printf("- 2 + 5 = %d\n", - 2 + 5);
	printf("!0 + 1 = %d\n", !0 + 1);
	printf("0 ? 1 : 0 ? 2 : 3 = %d\n", 0 ? 1 : 0 ? 2 : 3);
	exit(0);
}
