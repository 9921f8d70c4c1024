#pragma D option quiet

BEGIN
{
	printf("[%c]\n", 'a');
	printf("[%c]\n", 65);
	printf("[%3c]\n", 'x');
	printf("[%-3c]\n", 'x');
	printf("[%C]\n", 'a');
	printf("[%C]\n", '\n');
	exit(0);
}
