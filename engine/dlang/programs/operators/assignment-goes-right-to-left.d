#pragma D option quiet

BEGIN
{
	a = b = c = 4;
	printf("%d %d %d\n", a, b, c);
	exit(0);
}
