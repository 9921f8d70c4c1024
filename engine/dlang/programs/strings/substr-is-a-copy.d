#pragma D option quiet

string s;

BEGIN
{
	s = "hello";
	this->part = substr(s, 1);
	s = "other";
	printf("%s %s\n", this->part, s);
	exit(0);
}
