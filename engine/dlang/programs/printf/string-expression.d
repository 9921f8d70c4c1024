#pragma D option quiet

BEGIN
{
	printf("%s\n", strjoin(substr("hello", 0, 4), "o!"));
	exit(0);
}
