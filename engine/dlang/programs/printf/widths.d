#pragma D option quiet

BEGIN
{
	printf("[%5d]\n", 42);
	printf("[%-5d]\n", 42);
	printf("[%05d]\n", 42);
	printf("[%5d]\n", -42);
	printf("[%05d]\n", -42);
	printf("[%2d]\n", 12345);
	printf("[%5s]\n", "ab");
	printf("[%-5s]\n", "ab");
	exit(0);
}
