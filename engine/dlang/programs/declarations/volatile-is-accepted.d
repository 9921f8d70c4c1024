#pragma D option quiet

volatile int v;

BEGIN
{
	v = 3;
	printf("%d\n", v);
	exit(0);
}
