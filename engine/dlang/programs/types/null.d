#pragma D option quiet

BEGIN
{
	printf("NULL = %d\n", NULL);
	printf("NULL == 0 = %d\n", NULL == 0);
	printf("(char *)NULL == NULL = %d\n", (char *)NULL == NULL);
	exit(0);
}
