#pragma D option quiet

int v[2 * 3 + sizeof (short)];

BEGIN
{
	printf("%d\n", sizeof (v) / sizeof (v[0]));
	exit(0);
}
