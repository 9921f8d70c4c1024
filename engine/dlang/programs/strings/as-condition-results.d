#pragma D option quiet

BEGIN
{
	i = 3;
	s = i > 2 ? "big" : "small";
	printf("%s %s\n", s, i < 2 ? s : "other");
	exit(0);
}
