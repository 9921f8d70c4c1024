#pragma D option quiet

BEGIN
{
	x = 3;
	exit(x + 1);
}
