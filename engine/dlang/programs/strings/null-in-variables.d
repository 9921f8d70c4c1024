#pragma D option quiet

BEGIN
{
	this->s = strstr("abc", "x");
	printf("[%s]", this->s);
}

BEGIN
{
	s = "abc";
	s = strstr(s, "x");
	printf("%d\n", s == NULL);
}

BEGIN
{
	printf("[%s]", s);
}

BEGIN
{
	trace(s[1]);
}

BEGIN
{
	s = "set again";
	printf("%s\n", s);
	exit(0);
}
