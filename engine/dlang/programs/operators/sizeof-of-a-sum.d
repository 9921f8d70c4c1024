#pragma D option quiet

char c;

BEGIN
{
	printf("%d %d\n", sizeof (c), sizeof (c + c));
	exit(0);
}
