#pragma D option quiet

BEGIN
{
	printf("%d\n", strlen("\7a"));
	exit(0);
}
