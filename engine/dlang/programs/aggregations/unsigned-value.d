#pragma D option quiet

BEGIN
{
	@ = max((uint64_t)-1);
	printa("%@u\n", @);
	exit(0);
}
