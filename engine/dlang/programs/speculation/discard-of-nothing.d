#pragma D option quiet

BEGIN
{
	discard();
	exit(0);
}
