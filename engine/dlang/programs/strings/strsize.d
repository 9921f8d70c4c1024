#pragma D option quiet
#pragma D option strsize=8

BEGIN
{
	s = "0123456789";
	printf("%s %d\n", s, sizeof (s));
	printf("%s\n", strjoin("abcde", "fghij"));
	exit(0);
}
