#pragma D option quiet
#pragma D option agghist

BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(3);
	printa(@);
	exit(0);
}
