#pragma D option quiet

BEGIN
{
	printf("%s\n", strstr("aaab", "aab"));
	exit(0);
}
