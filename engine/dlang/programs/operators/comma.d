#pragma D option quiet

BEGIN
{
	printf("(1, 2, 3) = %d\n", (1, 2, 3));
	printf("(x = 4, x + 1) = %d\n", (x = 4, x + 1));
	exit(0);
}
