#pragma D option quiet

BEGIN
{
	printf("%x\n", 'ab');
	exit(0);
}
