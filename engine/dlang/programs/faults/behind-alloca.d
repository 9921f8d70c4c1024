#pragma D option quiet

BEGIN
{
	a = "xy";
	s = (char *)alloca(16);
	bcopy(a, &s[16], 2);
	printf("no fault");
	exit(0);
}

BEGIN
{
	s = (char *)alloca(8);
	s[9] = strlen(strjoin("a", "b"));
	printf("no fault");
	exit(0);
}

BEGIN
{
	exit(1);
}
