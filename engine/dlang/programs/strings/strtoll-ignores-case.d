#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strtoll("Ff", 16), strtoll("fF", 16));
	exit(0);
}
