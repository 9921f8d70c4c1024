#pragma D option quiet

int n;

BEGIN
{
	printf("%d %d %d\n", ++n, ++n, ++n);
	exit(0);
}
