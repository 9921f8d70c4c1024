#pragma D option quiet

const int v;

BEGIN
{
	printf("%d\n", v);
	exit(0);
}
