#pragma D option quiet

BEGIN
{
	x = speculation(1);
	exit(0);
}
