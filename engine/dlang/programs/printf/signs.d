#pragma D option quiet

BEGIN
{
	printf("[%+d]\n", 42);
	printf("[%+d]\n", -42);
	printf("[% d]\n", 42);
	printf("[% d]\n", -42);
	printf("[%+5d]\n", 42);
	exit(0);
}
