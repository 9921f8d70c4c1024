#pragma D option quiet

string s;

BEGIN
{
	s = "abc";
}

BEGIN
/s == "abc"/
{
	printf("equal\n");
}

BEGIN
/s > "abd"/
{
	printf("greater\n");
}

BEGIN
{
	exit(0);
}
