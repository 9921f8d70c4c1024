#pragma D option quiet

BEGIN
{
	x = 7;
	s = "kept";
	exit(0);
}

END
{
	printf("%d %s\n", x, s);
}
