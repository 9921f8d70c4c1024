#pragma D option quiet

BEGIN
{
	setopt("nosuch");
	setopt("quiet", "perhaps");
	setopt("bufsize", "1m");
	exit(0);
}
