#pragma D option quiet

BEGIN
{
	@a["k"] = count();
	@b = sum(7);
	exit(0);
}
