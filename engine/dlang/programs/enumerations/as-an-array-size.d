#pragma D option quiet

enum e { N = 3 };
int v[N];

BEGIN
{
	printf("%d\n", sizeof (v));
	exit(0);
}
