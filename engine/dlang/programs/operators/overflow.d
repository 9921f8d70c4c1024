#pragma D option quiet

BEGIN
{
	m = 2147483647;
	printf("m + 1 = %d\n", m + 1);
	printf("-(m + 1) - 1 = %d\n", -(m + 1) - 1);
	printf("m * 2 = %d\n", m * 2);
	printf("2147483647 + 1 = %d\n", 2147483647 + 1);
	exit(0);
}
