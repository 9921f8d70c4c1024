#pragma D option quiet

BEGIN
{
	@a = count();
	@a++;
	exit(0);
}
