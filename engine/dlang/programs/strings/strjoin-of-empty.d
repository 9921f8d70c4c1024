#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", strjoin("", "a"), strjoin("a", ""), strjoin("", ""));
	exit(0);
}
