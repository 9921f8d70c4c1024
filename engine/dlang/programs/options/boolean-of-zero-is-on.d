#pragma D option quiet=0

BEGIN
{
	trace("only this");
	exit(0);
}
