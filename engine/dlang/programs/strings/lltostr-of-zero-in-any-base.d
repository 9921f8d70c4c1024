#pragma D option quiet

BEGIN
{
	printf("%s %s %s\n", lltostr(0, 2), lltostr(0, 8), lltostr(0, 16));
	exit(0);
}
