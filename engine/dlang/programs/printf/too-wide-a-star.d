#pragma D option quiet

BEGIN
{
	printf("[%*d]\n", 12, -5);
	printf("[%-*s]\n", 4, "x");
	exit(0);
}
