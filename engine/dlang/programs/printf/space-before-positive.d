#pragma D option quiet

BEGIN
{
	printf("[% d] [% d]\n", 42, -42);
	exit(0);
}
