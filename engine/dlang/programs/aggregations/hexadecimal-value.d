#pragma D option quiet

BEGIN
{
	@ = sum(255);
	printa("%@x %@o\n", @);
	exit(0);
}
