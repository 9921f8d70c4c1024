#pragma D option quiet

BEGIN
{
	commit("one");
	exit(0);
}
