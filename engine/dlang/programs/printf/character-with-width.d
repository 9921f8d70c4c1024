#pragma D option quiet

BEGIN
{
	printf("[%3c] [%-3c]\n", 'a', 'b');
	exit(0);
}
