#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strchr("abc", 'x') == NULL, strrchr("abc", 'x') == NULL);
	exit(0);
}
