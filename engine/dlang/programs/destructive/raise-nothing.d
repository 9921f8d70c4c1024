#pragma D option quiet
#pragma D option destructive

/* No such signals. */
BEGIN
{
	raise(0);
}

BEGIN
{
	raise(65);
}

BEGIN
{
	raise(-1);
}

BEGIN
{
	exit(0);
}
