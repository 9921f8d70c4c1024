#pragma D option quiet

BEGIN
{
	printf("%d "
	    "%s\n", 1, "one");
	exit(0);
}
