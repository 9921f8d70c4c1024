#pragma D option quiet
#pragma D option destructive

BEGIN
{
	copyout("x", 0, 2);
}

BEGIN
{
	copyoutstr("x", 4, 2);
}

BEGIN
{
	copyout("x", 0, 0);
	copyout("x", 8, 16777216);
}

BEGIN
{
	exit(0);
}
