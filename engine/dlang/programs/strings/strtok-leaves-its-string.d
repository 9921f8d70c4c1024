#pragma D option quiet

string s;

BEGIN
{
	s = "a,b,c";
	this->first = strtok(s, ",");
	printf("%s %s\n", this->first, s);
	exit(0);
}
