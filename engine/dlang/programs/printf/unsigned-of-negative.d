#pragma D option quiet

BEGIN
{
	printf("%u %u\n", (char)-1, -1);
	exit(0);
}
