#pragma D option quiet

BEGIN
{
	printf("%s %d\n", 1 ? "yes" : "no", 0 ? 1 : 2);
	exit(0);
}
