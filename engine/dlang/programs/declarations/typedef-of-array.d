#pragma D option quiet

typedef int triple[3];
triple t;

BEGIN
{
	t[2] = 5;
	printf("%d %d\n", sizeof (t), t[2]);
	exit(0);
}
