#pragma D option quiet

BEGIN
{
	s = "abcdef";
	p = (char *)s;
	bcopy("XY", p, 2);
	printf("no fault");
	exit(0);
}

BEGIN
{
	bcopy("XY", strjoin("ab", "cd"), 2);
	printf("no fault");
	exit(0);
}

BEGIN
{
	exit(1);
}
