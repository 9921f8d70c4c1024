#pragma D option quiet

BEGIN
{
	trace(offsetof(int, x));
	exit(0);
}
