#pragma D option destructive

BEGIN
{
	chill(1);
}

BEGIN
{
	exit(0);
}
