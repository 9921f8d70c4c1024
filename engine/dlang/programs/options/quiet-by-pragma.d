#pragma D option quiet=yes

BEGIN
{
	trace("only this");
	exit(0);
}
