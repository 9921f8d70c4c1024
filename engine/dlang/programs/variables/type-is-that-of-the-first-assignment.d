#pragma D option quiet

BEGIN
{
	x = (char)1;
	x = 300;
	printf("%d %d\n", x, sizeof (x));
	exit(0);
}
