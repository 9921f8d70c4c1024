#pragma D option quiet

BEGIN
{
	s = "a";
	s = "longer than before";
	printf("%s\n", s);
	exit(0);
}
