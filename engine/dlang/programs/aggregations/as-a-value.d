#pragma D option quiet

BEGIN
{
	x = @a;
	exit(0);
}
