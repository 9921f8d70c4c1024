#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x & y = %d\n", x & y);
	printf("x | y = %d\n", x | y);
	printf("x ^ y = %d\n", x ^ y);
	printf("~x = %d\n", ~x);
	printf("~0u = %u\n", ~0u);
	exit(0);
}
