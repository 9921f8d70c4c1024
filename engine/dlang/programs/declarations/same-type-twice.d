#pragma D option quiet

int v;
int v;

BEGIN
{
	v = 2;
	printf("%d\n", v);
	exit(0);
}
