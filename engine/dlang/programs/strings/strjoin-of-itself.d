#pragma D option quiet

string s;

BEGIN
{
	s = "ab";
	s = strjoin(s, s);
	s = strjoin(s, s);
	printf("%s\n", s);
	exit(0);
}
