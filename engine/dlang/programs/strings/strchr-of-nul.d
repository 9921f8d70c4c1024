#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strchr("abc", 0) == NULL, strrchr("abc", 0) == NULL);
	exit(0);
}
