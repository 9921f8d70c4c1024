#pragma D option quiet
#pragma D option strsize=6

BEGIN
{
	printf("[%s] %d\n", strjoin("abcd", "efgh"), strlen(strjoin("abcd", "efgh")));
	exit(0);
}
