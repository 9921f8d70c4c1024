#pragma D option quiet

BEGIN
{
	trace(xlate <nothing_t> (1).a);
	exit(0);
}
