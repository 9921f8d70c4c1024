#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", strstr("abc", ""), strstr("", ""));
	exit(0);
}
