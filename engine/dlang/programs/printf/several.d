#pragma D option quiet

BEGIN
{
	printf("%d-%s-%c-%x\n", 1, "two", '3', 4);
	printf("no newline,");
	printf(" then one\n");
	exit(0);
}
