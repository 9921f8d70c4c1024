#pragma D option quiet

string s;

BEGIN
{
	printf("[%s] %d\n", s, s == "");
	printf("%d\n", s == NULL);
	exit(0);
}
