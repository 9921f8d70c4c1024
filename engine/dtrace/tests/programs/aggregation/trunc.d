/* trunc() retains the largest, the smallest, or none. */
#pragma D option quiet
BEGIN
{
	@a["a"] = sum(1);
	@a["b"] = sum(2);
	@a["c"] = sum(3);
	@b["a"] = sum(1);
	@b["b"] = sum(2);
	@b["c"] = sum(3);
	@c["a"] = sum(1);
	trunc(@a, 2);
	trunc(@b, -1);
	trunc(@c);
	exit(0);
}
