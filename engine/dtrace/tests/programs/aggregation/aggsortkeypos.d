/* Keys are compared by their second part. */
#pragma D option quiet
#pragma D option aggsortkey
#pragma D option aggsortkeypos=1
BEGIN
{
	@[1, "b"] = count();
	@[2, "a"] = count();
	@[3, "c"] = count();
	exit(0);
}
