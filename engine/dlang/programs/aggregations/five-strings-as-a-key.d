#pragma D option quiet
BEGIN
{
	@[probeprov, probename, "a", "b", "c"] = count();
	exit(0);
}
