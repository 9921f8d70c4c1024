#pragma D option quiet

union u { char c[5]; short s; };
union w { char c; int i; };

BEGIN
{
	printf("%d %d\n", sizeof (union u), sizeof (union w));
	exit(0);
}
