#pragma D option quiet

BEGIN
{
	printf("%s\n", "a" "b"
	    "c");
	exit(0);
}
