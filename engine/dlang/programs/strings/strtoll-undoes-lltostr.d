#pragma D option quiet

BEGIN
{
	printf("%d\n", strtoll(lltostr(-1234567890123)));
	exit(0);
}
