#pragma D option quiet

BEGIN
{
	printf("[%*d]\n", 5, 42);
	printf("[%-*d]\n", 5, 42);
	printf("[%.*d]\n", 3, 7);
	printf("[%*.*d]\n", 5, 3, 7);
	printf("[%*s]\n", 4, "ab");
	printf("[%*d]\n", -5, 42);
	exit(0);
}
