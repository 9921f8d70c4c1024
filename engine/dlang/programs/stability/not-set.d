#pragma D option amin=Stable/Stable

BEGIN
{
	exit(0);
}
