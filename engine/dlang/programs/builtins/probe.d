#pragma D option quiet

BEGIN
{
	printf("%s %s [%s] [%s]\n", probeprov, probename, probemod, probefunc);
	printf("%d %d\n", id > 0, epid > 0);
	exit(0);
}
