#pragma D option quiet

BEGIN
{
	printf("%d\n", strstr("ab", "abc") == NULL);
	exit(0);
}
