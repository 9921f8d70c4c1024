#pragma D option quiet
#pragma D option strsize=1

BEGIN
{
	s = "abc";
	printf("[%s] %d %d\n", s, sizeof (string), strlen(s));
	printf("[%s] [%s] [%s]\n", strjoin("", "xy"), basename("/a/bc"), probename);
	exit(0);
}
